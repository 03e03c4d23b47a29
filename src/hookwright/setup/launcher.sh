#!/bin/sh
# hookwright launcher, written by `hookwright init` and the same for every event. Commit it: it finds hookwright on
# whichever machine the agent runs. It never refuses anything by itself: where there is no hookwright it leaves with 0.
#
#   hookwright.sh            answer one event (payload on stdin)
#   hookwright.sh run VERB   the `hookwright` command
#
# Looked at in turn: $HOOKWRIGHT_PYTHON, .venv and venv of the project (in a git worktree also of its main checkout),
# what was found last time, `hookwright` on PATH, the places of pipx and uv, python3. An interpreter is asked once
# whether it is one and has hookwright. What was found is remembered and believed until $HOOKWRIGHT_PYTHON or one of
# those environments changes, so that an event starts no process but the hook itself.

here=${0%/*}
[ "$here" = "$0" ] && here=.
project=${CLAUDE_PROJECT_DIR:-$here/..}
newline='
'

# A worktree's .git is a file that names the main checkout, where the virtual environment is.
main=
if [ -f "$project/.git" ] && [ -r "$project/.git" ]; then
    read -r line < "$project/.git"
    case $line in "gitdir: /"*/.git/worktrees/*) main=${line#gitdir: } main=${main%/.git/*} ;; esac
fi

run() { # ARGUMENTS...: with $python and $boot
    if [ "$1" = run ]; then
        shift
        [ -f "$here/../.claude-plugin/plugin.json" ] && export HOOKWRIGHT_PLUGIN="$here/.."
        exec "$python" -I -c 'import sys; from hookwright.cli import main; sys.exit(main())' "$@"
    fi
    exec "$python" -I -S "$boot" "$@"
}

usable() { # whether $python and $boot can be started: a missing file would make Python leave with 2
    [ -f "$python" ] && [ -x "$python" ] && [ -f "$boot" ] && [ -r "$boot" ]
}

found() { # PYTHON: whether it is an interpreter with hookwright; sets $python and $boot, and remembers them
    [ -f "$1" ] && [ -x "$1" ] || return 1
    said=$("$1" -I -c 'import sys, hookwright
assert sys.version_info >= (3, 11)
print(sys.executable, hookwright.__file__[:-11] + "boot.py", sep="\n")' </dev/null 2>/dev/null) || return 1
    python=${said%%"$newline"*} boot=${said#*"$newline"}
    usable || return 1
    remember
}

remember() { # never through a link, into a FIFO, or where we have no folder yet
    ours=$project/.hookwright memory=$project/.hookwright/state/launcher
    [ -d "$ours/state" ] && [ -w "$ours/state" ] && [ ! -h "$ours" ] && [ ! -h "$ours/state" ] || return 0
    [ ! -h "$memory" ] && { [ -f "$memory" ] || [ ! -e "$memory" ]; } || return 0
    { printf '%s\n%s\n%s\n' "$python" "$boot" "$HOOKWRIGHT_PYTHON" > "$memory"; } 2>/dev/null
    return 0
}

older() { # MEMORY: than the interpreter it names, or an environment that would go before it
    for each in "$python" "$project/.venv/bin" "$project/venv/bin" ${main:+"$main/.venv/bin" "$main/venv/bin"}; do
        [ "$each" -nt "$1" ] 2>/dev/null && return 0
    done
    return 1
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

known=
for memory in "$project/.hookwright/state/launcher" ${main:+"$main/.hookwright/state/launcher"}; do
    [ -f "$memory" ] && [ -r "$memory" ] || continue
    python= boot= asked=
    { read -r python && read -r boot && read -r asked; } < "$memory"
    usable || continue
    known=${known:-$python}
    [ "$asked" = "$HOOKWRIGHT_PYTHON" ] && ! older "$memory" && run "$@"
done

for each in "$HOOKWRIGHT_PYTHON" "$project/.venv/bin/python" "$project/venv/bin/python" \
    ${main:+"$main/.venv/bin/python" "$main/venv/bin/python"} "$known"; do
    found "$each" && run "$@"
done

# The console script names its interpreter: in its first line, or, where that would be too long or has a blank, after
# an 'exec' in its second.
script=$(command -v hookwright 2>/dev/null)
if [ -f "$script" ] && [ -r "$script" ]; then
    named= first= second=
    { read -r first && read -r second; } < "$script"
    case $first in "#!/"*python*) named=${first#??} ;; esac
    case $second in "'''exec' "*) named=${second#"'''exec' "} named=${named% \"\$0\"*} ;; esac
    case $named in \"*\" | \'*\') named=${named#?} named=${named%?} ;; esac
    found "$named" && run "$@"
fi

data=${XDG_DATA_HOME:-$HOME/.local/share}
for each in "${PIPX_HOME:-$data/pipx}/venvs/hookwright/bin/python" "$HOME/.local/pipx/venvs/hookwright/bin/python" \
    "${UV_TOOL_DIR:-$data/uv/tools}/hookwright/bin/python" "$(command -v python3 2>/dev/null)" \
    "$(command -v python 2>/dev/null)"; do
    found "$each" && run "$@"
done

echo "hookwright is not installed here, so this project's hooks do nothing; install it with pipx, or in the project's .venv" >&2
[ "$1" = run ] && exit 3
exit 0
