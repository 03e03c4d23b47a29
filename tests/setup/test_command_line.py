"""The command lines: they run from anywhere, and refuse nothing when hookwright is gone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from setup.running import PACKAGE

from hookwright.errors import Refusal
from hookwright.setup import command_line

from .conftest import install_into

SHELLS = [
    [path, *words]
    for name, *words in (["/bin/sh"], ["bash", "--posix"], ["busybox", "sh"])
    if (path := shutil.which(name))
]


def hook(command, project, shell=("/bin/sh",), cwd="/", **env):
    """Start a command line as the client does, with an environment of nothing but what is given."""
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "cwd": str(project)}
    return subprocess.run(
        [*shell, "-c", command],
        input=json.dumps(payload).encode(),
        capture_output=True,
        cwd=cwd,
        env={"PATH": "/nowhere", **env},
        timeout=60,
        check=False,
    )


def refuses(done):
    assert done.stderr == b""
    return done.returncode == 0 and json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_this_machines_interpreter_by_absolute_paths(guarded, tmp_path):
    """From any folder, without PATH and HOME, with blanks, quotes and dollars in every path."""
    python = install_into(tmp_path / 'it\'s $HOME "v env"')
    boot = next(python.parent.parent.glob("lib/*/site-packages/hookwright/boot.py"))
    assert refuses(hook(command_line.of_this_machine(str(python), str(boot)), guarded))


@pytest.mark.parametrize("missing", ["python", "boot"])
@pytest.mark.parametrize("kind", ["gone", "folder"])
def test_an_installation_that_is_gone_refuses_nothing(guarded, tmp_path, missing, kind):
    """`python missing.py` leaves with 2, which means "block": so the files are looked at first."""
    (tmp_path / "folder").mkdir()
    paths = {"python": sys.executable, "boot": command_line.boot_file(), missing: str(tmp_path / kind)}
    done = hook(command_line.of_this_machine(**paths), guarded)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"hookwright uninstall" in done.stderr and done.stderr.count(b"\n") == 1


def test_a_package_that_may_not_be_read_refuses_nothing(guarded, tmp_path):
    """Python leaves with 2 there too. Root may read anything, so that the question is asked is looked up as well."""
    boot = tmp_path / "boot.py"
    boot.write_text("raise SystemExit(0)")
    boot.chmod(0)
    assert f"[ -r '{boot}' ]" in command_line.of_this_machine(boot=str(boot))
    assert b'[ -r "$boot" ]' in command_line.launcher()
    done = hook(command_line.of_this_machine(boot=str(boot)), guarded)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("path", ["/a\nb/python", "/a\0b", "", "/a\udcff", "/a\x1b[2Jb"])
def test_paths_that_no_settings_file_can_hold_are_refused(path):
    """A newline would end the command in its middle."""
    with pytest.raises(Refusal):
        command_line.quoted(path)


@pytest.fixture
def shared(guarded):
    """The project with the launcher in it."""
    (guarded / ".claude" / command_line.LAUNCHER).write_bytes(command_line.launcher())
    return guarded


def _venv(name):
    return lambda project, tmp_path: install_into(project / name) and {}


def _editable(project, tmp_path):
    install_into(project / ".venv", editable=True)
    return {}


def _named(project, tmp_path):
    return {"HOOKWRIGHT_PYTHON": str(install_into(tmp_path / "my env"))}


def _script(text):
    def make(project, tmp_path):
        python = install_into(tmp_path / "tool env")
        script = tmp_path / "bin" / "hookwright"
        script.parent.mkdir()
        script.write_text(text.format(python=python))
        script.chmod(0o755)
        return {"PATH": str(script.parent)}

    return make


def _tool(place):
    return lambda project, tmp_path: install_into(tmp_path / "home" / place) and {"HOME": str(tmp_path / "home")}


def _any_python(project, tmp_path):
    return {"PATH": str(install_into(tmp_path / "env", editable=True).parent)}


def _shim(project, tmp_path):
    """As pyenv has them: neither script names the interpreter."""
    python = install_into(tmp_path / "env", editable=True)
    folder = tmp_path / "shims"
    folder.mkdir()
    for name, target in (("hookwright", "exit 127"), ("python3", f'exec "{python}" "$@"')):
        (folder / name).write_text(f"#!/bin/sh\n{target}\n")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def _worktree(project, tmp_path):
    install_into(tmp_path / "main checkout" / ".venv")
    (project / ".git").write_text(f"gitdir: {tmp_path}/main checkout/.git/worktrees/topic\n")
    return {}


INSTALLATIONS = {
    ".venv": _venv(".venv"),
    "venv": _venv("venv"),
    "editable": _editable,
    "HOOKWRIGHT_PYTHON": _named,
    "script": _script("#!{python}\nimport sys\n"),
    "script of a long path": _script("#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''\nimport sys\n"),
    "script by uv": _script("#!/bin/sh\n'''exec' '{python}' \"$0\" \"$@\"\n' '''\n"),
    "pipx": _tool(".local/share/pipx/venvs/hookwright"),
    "old pipx": _tool(".local/pipx/venvs/hookwright"),
    "uv tool": _tool(".local/share/uv/tools/hookwright"),
    "python3 on PATH": _any_python,
    "shims": _shim,
    "git worktree": _worktree,
}


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
@pytest.mark.parametrize("make", INSTALLATIONS.values(), ids=INSTALLATIONS.keys())
def test_the_launcher_finds_an_installation(shared, tmp_path, make, shell):
    """Wherever a colleague has it, with the least of environments, twice: found, and remembered or found again."""
    env = make(shared, tmp_path)
    launcher = shared / ".claude" / command_line.LAUNCHER
    for _ in range(2):
        assert refuses(hook(command_line.of_the_project(), shared, CLAUDE_PROJECT_DIR=str(shared), **env))
    done = subprocess.run(
        [*shell, str(launcher)],
        input=json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(shared)}).encode(),
        capture_output=True,
        cwd=shared,
        env={"PATH": "/nowhere", **env},
        check=False,
    )
    assert refuses(done)  # without CLAUDE_PROJECT_DIR, by its own place


def test_without_hookwright_the_launcher_hints_and_refuses_nothing(shared):
    """One line on stderr, exit 0."""
    done = hook(command_line.of_the_project(), shared, CLAUDE_PROJECT_DIR=str(shared))
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"hookwright is not installed here") and done.stderr.count(b"\n") == 1


def test_what_the_launcher_remembers_is_looked_at_before_use(shared, tmp_path):
    """A memory of an installation that is gone is passed over."""
    state = shared / ".hookwright/state"
    state.mkdir()
    (state / "launcher").write_text("/gone/python\n/gone/boot.py\n")
    env = _any_python(shared, tmp_path)
    assert refuses(hook(command_line.of_the_project(), shared, CLAUDE_PROJECT_DIR=str(shared), **env))
    assert (state / "launcher").read_text() == f"{tmp_path}/env/bin/python3\n{PACKAGE}/boot.py\n\n"


def _script_at(path, text, mode=0o755):
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(mode)


BROKEN_INTERPRETERS = {
    "exits 2": lambda path: _script_at(path, "#!/bin/sh\necho stray\nexit 2\n"),
    "says yes to everything": lambda path: _script_at(path, "#!/bin/sh\ncat\nexit 0\n"),
    "not executable": lambda path: _script_at(path, "#!/bin/sh\nexit 2\n", 0o644),
    "no program": lambda path: _script_at(path, "exit 2\n"),
    "folder": lambda path: path.unlink() or path.mkdir(),
    "dangling": lambda path: path.unlink() or path.symlink_to("/gone"),
    "old": lambda path: _script_at(path, f'#!/bin/sh\nexec {sys.executable} -c "import sys; sys.exit(2)"\n'),
}


@pytest.mark.parametrize("spoil", BROKEN_INTERPRETERS.values(), ids=BROKEN_INTERPRETERS.keys())
def test_a_broken_interpreter_beside_the_package_refuses_nothing(shared, tmp_path, spoil):
    """It is passed over, before and after it was remembered; the next place that has hookwright is taken."""
    python = install_into(shared / ".venv")
    state = shared / ".hookwright/state"
    state.mkdir()
    where = {"CLAUDE_PROJECT_DIR": str(shared)}
    assert refuses(hook(command_line.of_the_project(), shared, **where))
    assert (state / "launcher").read_text().startswith(f"{python}\n")
    os.utime(state / "launcher", (1, 1))  # as if it had been long ago
    spoil(python)
    for _ in range(2):
        done = hook(command_line.of_the_project(), shared, **where)
        assert (done.returncode, done.stdout) == (0, b"")
        assert done.stderr.startswith(b"hookwright is not installed here") and done.stderr.count(b"\n") == 1
    assert refuses(hook(command_line.of_the_project(), shared, **where, **_any_python(shared, tmp_path)))


def test_an_environment_that_came_later_goes_before_what_is_remembered(shared, tmp_path):
    """And what is remembered is still there for an environment that has no hookwright."""
    state = shared / ".hookwright/state"
    state.mkdir()
    known = install_into(tmp_path / "known")
    memory = f"{known}\n{next(known.parent.parent.glob('lib/*/site-packages/hookwright'))}/boot.py\n\n"
    (state / "launcher").write_text(memory)
    os.utime(state / "launcher", (1, 1))
    (shared / "venv/bin").mkdir(parents=True)
    where = {"CLAUDE_PROJECT_DIR": str(shared)}
    assert refuses(hook(command_line.of_the_project(), shared, **where))
    assert (state / "launcher").read_text() == memory
    os.utime(state / "launcher", (1, 1))
    python = install_into(shared / ".venv")
    assert refuses(hook(command_line.of_the_project(), shared, **where))
    assert (state / "launcher").read_text().startswith(f"{python}\n")


COUNTING_BOOT = """\
import os, resource
print(os.getpid(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt)
"""


def test_a_remembered_interpreter_costs_no_other_process(shared, tmp_path):
    """The shell becomes the interpreter: same process, and no child of it was ever waited for."""
    state = shared / ".hookwright/state"
    state.mkdir()
    boot = tmp_path / "boot.py"
    boot.write_text(COUNTING_BOOT)
    (state / "launcher").write_text(f"{sys.executable}\n{boot}\n\n")
    launcher = shared / ".claude" / command_line.LAUNCHER
    command = ["/bin/sh", str(launcher)]
    with subprocess.Popen(command, cwd=shared, stdout=subprocess.PIPE, text=True) as started:
        out, _ = started.communicate()
    assert out.split() == [str(started.pid), "0"]


@pytest.mark.parametrize("linked", [".hookwright", ".hookwright/state", ".hookwright/state/launcher"])
def test_the_launcher_remembers_nothing_through_a_link(shared, tmp_path, linked):
    """Nor in a FIFO, for which it would wait for ever."""
    outside = tmp_path / "outside"
    shutil.copytree(shared / ".hookwright", outside)
    (outside / "state").mkdir()
    shutil.rmtree(shared / ".hookwright")
    target = {".hookwright": outside, ".hookwright/state": outside / "state"}.get(linked, tmp_path / "new")
    (shared / linked).parent.mkdir(parents=True, exist_ok=True)
    (shared / linked).symlink_to(target)
    env = {"CLAUDE_PROJECT_DIR": str(shared), **_any_python(shared, tmp_path)}
    assert hook(command_line.of_the_project(), shared, **env).returncode == 0
    assert not (outside / "state/launcher").exists() and not (tmp_path / "new").exists()


def test_a_memory_that_is_no_file_is_passed_over(shared, tmp_path):
    """A FIFO is not waited for, a folder not written into."""
    (shared / ".hookwright/state").mkdir()
    os.mkfifo(shared / ".hookwright/state/launcher")
    env = {"CLAUDE_PROJECT_DIR": str(shared), **_any_python(shared, tmp_path)}
    assert refuses(hook(command_line.of_the_project(), shared, **env))


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole.replace(b"\n", b"\r\n"),
        lambda whole: b"<<<<<<< HEAD\n" + whole + b"=======\n>>>>>>> topic\n",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: b"",
        None,
    ],
    ids=["line ends", "merge conflict", "half", "empty", "gone"],
)
@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_a_damaged_launcher_refuses_nothing(shared, damage, shell):
    """A shell leaves with 2 at a syntax error, so it is asked first whether there is one."""
    launcher = shared / ".claude" / command_line.LAUNCHER
    whole = launcher.read_bytes()
    launcher.unlink()
    if damage:
        launcher.write_bytes(damage(whole))
    done = hook(command_line.of_the_project(), shared, shell, CLAUDE_PROJECT_DIR=str(shared))
    assert (done.returncode, done.stdout) == (0, b"")
    hint = b".claude/hookwright.sh is missing or torn; to mend it: hookwright sync\n"
    assert done.stderr.endswith(hint) and done.stderr.count(b"\n") == 1


def test_without_a_config_no_python_is_started(shared, tmp_path):
    """The plugin is in every project; where there is nothing to do it costs a shell."""
    (shared / ".hookwright.yaml").unlink()
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\ntouch '" + str(tmp_path) + "/started'\n")
    python.chmod(0o755)
    done = hook(
        command_line.of_the_project(), shared, cwd=shared, CLAUDE_PROJECT_DIR=str(shared), HOOKWRIGHT_PYTHON=str(python)
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (tmp_path / "started").exists()


def test_the_launcher_runs_verbs_too(shared, tmp_path):
    """For the plugin's commands, which cannot count on PATH."""
    env = _named(shared, tmp_path)
    launcher = shared / ".claude" / command_line.LAUNCHER
    command = ["/bin/sh", str(launcher), "run", "check"]
    done = subprocess.run(command, cwd=shared, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ".hookwright.yaml: 1 handler: no problems\n")
    done = subprocess.run(command, cwd=shared, env={"PATH": "/nowhere"}, capture_output=True, text=True, check=False)
    assert done.returncode == 3


@pytest.mark.parametrize("path", ["/home/me/.cache/uv/archive-v0/x/bin/python", "/home/me/.cache/pipx/y/bin/python"])
def test_installations_in_caches_are_known(path):
    """`uvx hookwright init` would register what uv clears away."""
    assert command_line.is_temporary(command_line.of_this_machine(path))
    assert not command_line.is_temporary(command_line.of_this_machine())
