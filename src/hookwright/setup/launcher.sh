#!/bin/sh
# hookwright launcher, written by `hookwright init` and the same for every event. Commit it: it finds hookwright on
# whichever machine the agent runs. It never refuses anything by itself: where there is no hookwright it leaves with 0.
#
#   hookwright.sh            answer one event (payload on stdin)
#   hookwright.sh run VERB   the `hookwright` command
#
# Looked at in turn: $HOOKWRIGHT_PYTHON, .venv and venv of the project (in a git worktree also of its main checkout),
# what was found last time, `hookwright` on PATH, the places of pipx and uv, python3.

here=${0%/*}
[ "$here" = "$0" ] && here=.
project=${CLAUDE_PROJECT_DIR:-$here/..}

# A worktree's .git is a file that names the main checkout, where the virtual environment is.
main=
if [ -f "$project/.git" ]; then
    read -r line < "$project/.git"
    case $line in "gitdir: /"*/.git/worktrees/*) main=${line#gitdir: } main=${main%/.git/*} ;; esac
fi

run() { # PYTHON BOOT ARGUMENTS...
    python=$1 boot=$2
    shift 2
    if [ "$1" = run ]; then
        shift
        [ -f "$here/../.claude-plugin/plugin.json" ] && export HOOKWRIGHT_PLUGIN="$here/.."
        exec "$python" -I -c 'import sys; from hookwright.cli import main; sys.exit(main())' "$@"
    fi
    exec "$python" -I -S "$boot" "$@"
}

boot_beside() { # PYTHON: the package in the same environment, found without starting anything
    for boot in "${1%/bin/*}"/lib/python3*/site-packages/hookwright/boot.py; do
        [ -x "$1" ] && [ -r "$boot" ] && return 0
    done
    return 1
}

boot_by_asking() { # PYTHON: editable installations, shims; costs a start of Python, so what it says is remembered
    [ -x "$1" ] || return 1
    said=$("$1" -I -c 'import sys, hookwright; print(sys.executable, hookwright.__file__[:-11] + "boot.py", sep="\n")' \
        2>/dev/null) || return 1
    { read -r python && read -r boot; } <<END
$said
END
    [ -x "$python" ] && [ -r "$boot" ] || return 1
    remember
}

remember() {
    state=$project/.hookwright/state
    [ -d "$state" ] && [ -w "$state" ] || return 0
    printf '%s\n%s\n' "$python" "$boot" > "$state/launcher" # half of it would not be used: both are looked at first
    return 0
}

# No config at or above the folder: nothing to answer, and no Python to start.
configured() { # FOLDER
    folder=$1
    while :; do
        for name in .hookwright.yaml .hookwright.yml .conclaude.yaml .conclaude.yml; do
            [ -f "$folder/$name" ] && return 0
        done
        [ -n "$folder" ] || return 1
        case $folder in */*) folder=${folder%/*} ;; *) return 1 ;; esac
    done
}
[ "$1" = run ] || configured "$PWD" || configured "$project" || exit 0

for python in "$HOOKWRIGHT_PYTHON" "$project/.venv/bin/python" "$project/venv/bin/python" \
    ${main:+"$main/.venv/bin/python" "$main/venv/bin/python"}; do
    boot_beside "$python" && run "$python" "$boot" "$@"
done

for memory in "$project/.hookwright/state/launcher" ${main:+"$main/.hookwright/state/launcher"}; do
    [ -z "$HOOKWRIGHT_PYTHON" ] && [ -r "$memory" ] || continue
    { read -r python && read -r boot; } < "$memory"
    [ -x "$python" ] && [ -r "$boot" ] && run "$python" "$boot" "$@"
done

for python in "$HOOKWRIGHT_PYTHON" "$project/.venv/bin/python" "$project/venv/bin/python" \
    ${main:+"$main/.venv/bin/python" "$main/venv/bin/python"}; do
    boot_by_asking "$python" && run "$python" "$boot" "$@"
done

# The console script names its interpreter: in its first line, or, where that would be too long or has a blank, after
# an 'exec' in its second.
script=$(command -v hookwright 2>/dev/null)
if [ -n "$script" ] && [ -r "$script" ]; then
    python=
    { read -r first && read -r second; } < "$script"
    case $first in "#!/"*python*) python=${first#??} ;; esac
    case $second in "'''exec' "*) python=${second#"'''exec' "} python=${python% \"\$0\"*} ;; esac
    case $python in \"*\" | \'*\') python=${python#?} python=${python%?} ;; esac
    { boot_beside "$python" && remember || boot_by_asking "$python"; } && run "$python" "$boot" "$@"
fi

data=${XDG_DATA_HOME:-$HOME/.local/share}
for python in "${PIPX_HOME:-$data/pipx}/venvs/hookwright/bin/python" "$HOME/.local/pipx/venvs/hookwright/bin/python" \
    "${UV_TOOL_DIR:-$data/uv/tools}/hookwright/bin/python" "$(command -v python3 2>/dev/null)" \
    "$(command -v python 2>/dev/null)"; do
    { boot_beside "$python" && remember || boot_by_asking "$python"; } && run "$python" "$boot" "$@"
done

echo "hookwright is not installed here, so this project's hooks do nothing; to install it: pipx install hookwright" >&2
[ "$1" = run ] && exit 3
exit 0
