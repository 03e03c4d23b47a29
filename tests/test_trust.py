"""Where a user requires it, a repository's config and handlers run only as that user approved them."""

import json
import shutil
import subprocess
import sys

import pytest

from hookwright import trust

DENY = "from hookwright import on, deny\n@on.PreToolUse\ndef no(event): return deny('{reason}')\n"


@pytest.fixture
def home(tmp_path_factory, monkeypatch):
    """A user with a home of their own."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


@pytest.fixture
def cautious(home, run_cli):
    """A user who requires approval."""
    assert run_cli("trust", "--require").exit_code == 0
    return home


def reason(project):
    answer = project.hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    assert answer.exit_code == 0
    return (answer.document["hookSpecificOutput"]["permissionDecisionReason"] if answer.stdout else None), answer.stderr


def test_by_default_nobody_is_asked(home, project):
    """Without `--require` a config runs as the contract says."""
    project.handlers(DENY.format(reason="as written"))
    assert reason(project)[0] == "as written"


def test_what_was_not_approved_does_not_run(cautious, project):
    """Neither a handler, nor the code of its file, nor a command; the person is told once what to do."""
    project.handlers("open('ran', 'w')\n" + DENY.format(reason="hostile"))
    project.config('handlers: [".hookwright/handlers.py"]\npreToolUse: {commands: [{run: "touch ran"}]}\n')
    told, stderr = reason(project)
    assert told is None
    assert "hookwright trust" in stderr
    assert not (project.folder / "ran").exists()
    assert reason(project) == (None, "")


CHANGES = {
    "config": (".hookwright.yaml", 'handlers: [".hookwright/handlers.py"]\nstop: {commands: [{run: "touch ran"}]}\n'),
    "handler": (".hookwright/handlers.py", "open('ran', 'w')\n" + DENY.format(reason="changed")),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_a_change_asks_again_and_what_was_approved_goes_on(cautious, project, run_cli, changed):
    """An edit of the config or a handler is not run; the guard that was approved still guards."""
    project.handlers(DENY.format(reason="approved"))
    assert run_cli("trust", "--yes", cwd=project.folder).exit_code == 0
    assert reason(project)[0] == "approved"
    name, text = CHANGES[changed]
    (project.folder / name).write_text(text)
    assert reason(project)[0] == "approved"
    project.hook("Stop")
    assert not (project.folder / "ran").exists()
    assert run_cli("trust", "--yes", cwd=project.folder).exit_code == 0
    project.hook("Stop")
    reason(project)
    assert (project.folder / "ran").exists()


def test_what_changes_between_the_look_and_the_load_is_not_kept_as_approved(cautious, project, run_cli):
    """Here by the handler itself as it is loaded: the next event looks again, and finds what nobody has seen."""
    change = "import os\nwith open(os.path.dirname(__file__) + '/beside.py', 'w') as file: file.write('x = 1')\n"
    project.handlers(change + DENY.format(reason="approved"))
    (project.folder / ".hookwright/beside.py").write_text("")
    run_cli("trust", "--yes", cwd=project.folder)
    assert reason(project) == ("approved", "")
    assert "hookwright trust" in reason(project)[1]


@pytest.mark.parametrize("module", ["beside", "newcomer"])
def test_what_a_handler_imports_is_part_of_what_is_approved(cautious, project, run_cli, module):
    """A module beside the handler that changes, or one that was not there before, runs no line before it is approved."""
    project.handlers(
        f"from hookwright import on\n@on.PreToolUse\ndef late(event):\n    try: import {module}\n    except ImportError: pass\n"
    )
    (project.folder / ".hookwright/beside.py").write_text("")
    run_cli("trust", "--yes", cwd=project.folder)
    reason(project)
    (project.folder / f".hookwright/{module}.py").write_text(f"open({str(project.folder / 'ran')!r}, 'w')\n")
    assert "hookwright trust" in reason(project)[1]
    assert not (project.folder / "ran").exists()
    run_cli("trust", "--yes", cwd=project.folder)
    reason(project)
    assert (project.folder / "ran").exists()


BYTECODE = """
import py_compile, sys
from importlib.util import cache_from_source
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
py_compile.compile(sys.argv[1], cache_from_source(sys.argv[2]) if sys.argv[3] else sys.argv[2] + "c", invalidation_mode=mode)
"""


@pytest.mark.parametrize(
    "way", ["bytecode beside", "bytecode in its cache", "our own folder", "a link", "an empty folder"]
)
def test_nothing_is_imported_that_was_not_approved(cautious, project, run_cli, tmp_path_factory, way):
    """Bytecode is never taken for a source, our state holds no packages, and folders without a module are watched too."""
    names = {
        "bytecode in its cache": "beside",
        "our own folder": "state.x",
        "a link": "linked.x",
        "an empty folder": "empty.x",
    }
    module = names.get(way, "newcomer")
    project.handlers(
        f"from hookwright import on\n@on.PreToolUse\ndef late(event):\n    try: import {module}\n    except ImportError: pass\n"
    )
    ours, elsewhere = project.folder / ".hookwright", tmp_path_factory.mktemp("elsewhere")
    (ours / "beside.py").write_text("")
    (ours / "empty").mkdir()
    (ours / "linked").symlink_to(elsewhere)
    run_cli("trust", "--yes", cwd=project.folder)
    reason(project)
    hostile = tmp_path_factory.mktemp("hostile") / "x.py"
    hostile.write_text(f"open({str(project.folder / 'ran')!r}, 'w')\n")
    if way.startswith("bytecode"):
        words = [str(hostile), str(ours / f"{module}.py"), "cache" if module == "beside" else ""]
        subprocess.run([sys.executable, "-c", BYTECODE, *words], check=True)
    else:
        (ours / module.partition(".")[0]).mkdir(exist_ok=True)
        shutil.copy(hostile, ours / f"{module.replace('.', '/')}.py")
    reason(project)
    assert not (project.folder / "ran").exists()


def test_too_many_files_switch_no_guard_off(cautious, project, run_cli):
    """Where what a handler may import cannot be told any more, the commands that were approved go on."""
    project.handlers("")
    project.config('handlers: [".hookwright/handlers.py"]\npreToolUse: {commands: [{run: "echo no >&2; exit 2"}]}\n')
    run_cli("trust", "--yes", cwd=project.folder)
    assert reason(project)[0]
    (project.folder / ".hookwright/many").mkdir()
    for number in range(trust.MOST_FILES):
        (project.folder / f".hookwright/many/m{number}.py").touch()
    assert reason(project)[0]


def test_verbs_run_nothing_of_a_config_that_was_not_approved(cautious, project, run_cli):
    """`test` and `suite run` start no command and no server that the config or the suite names."""
    project.config("autoTest: {commands: {python: [touch, ran]}}\n")
    (project.folder / "pyproject.toml").touch()
    (project.folder / "test_a.py").touch()
    for words in (["test", "--all"], ["suite", "run"], ["suite", "init"]):
        answer = run_cli(*words, cwd=project.folder)
        assert (answer.exit_code, "hookwright trust" in answer.stderr) == (3, True), words
    assert not (project.folder / "ran").exists()


def test_switching_it_on_is_noticed_by_a_compiled_config(home, project, run_cli):
    """What was compiled before the switch does not slip through."""
    project.handlers(DENY.format(reason="before"))
    assert reason(project)[0] == "before"
    run_cli("trust", "--require")
    assert reason(project)[0] is None
    run_cli("trust", "--no-require")
    assert reason(project)[0] == "before"


def test_an_approval_can_be_taken_back(cautious, project, run_cli):
    """After `--revoke` nothing of the project runs."""
    project.handlers(DENY.format(reason="approved"))
    run_cli("trust", "--yes", cwd=project.folder)
    assert reason(project)[0] == "approved"
    assert run_cli("trust", "--status", cwd=project.folder).exit_code == 0
    run_cli("trust", "--revoke", cwd=project.folder)
    assert reason(project)[0] is None
    assert run_cli("trust", "--status", cwd=project.folder).exit_code == 1


def test_it_shows_what_would_run_and_runs_none_of_it(cautious, project, run_cli):
    """The commands and files are listed before the question, and no handler file is loaded for that."""
    project.handlers("open('ran', 'w')\n")
    project.config(
        'handlers: [".hookwright/handlers.py"]\nstop: {commands: [{run: "echo bye\\n#\\n#\\nrm x"}]}\n'
        "autoTest: {commands: {python: [mine, a b]}, projects: {api: {commands: {go: [its own]}}}}\n"
    )
    answer = run_cli("trust", cwd=project.folder)
    assert answer.exit_code == 3
    for line in ("$ echo bye", "$ rm x", "$ mine 'a b'", "$ 'its own'"):
        assert line in answer.stdout
    assert ".hookwright/handlers.py" in answer.stdout
    assert "--yes" in answer.stderr
    assert not (project.folder / "ran").exists()


def test_a_project_that_moves_is_asked_about_again(cautious, project, tmp_path, run_cli):
    """Approval is for a place and a content: a copy elsewhere is another project."""
    project.handlers(DENY.format(reason="approved"))
    run_cli("trust", "--yes", cwd=project.folder)
    copy = tmp_path / "copy"
    shutil.copytree(project.folder, copy, ignore=shutil.ignore_patterns("copy"))
    project.folder = copy
    assert reason(project)[0] is None


def test_a_damaged_trust_file_is_the_safe_side(cautious, project):
    """A file that cannot be understood counts as: ask."""
    project.handlers(DENY.format(reason="hostile"))
    (cautious / ".config/hookwright/trust.json").write_text("{")
    assert reason(project)[0] is None


def test_only_the_user_can_read_it(cautious):
    """The decisions are private."""
    file = cautious / ".config/hookwright/trust.json"
    assert file.stat().st_mode & 0o077 == 0
    assert json.loads(file.read_text())["require"] is True


def test_no_verb_loads_a_handler_that_was_not_approved(cautious, project, run_cli):
    """Looking at a project does not run it: check, config, doctor and init load nothing of it."""
    project.handlers(f"open({str(project.folder / 'ran')!r}, 'w')\n")
    for words in (["check"], ["config"], ["doctor"], ["init", "--dry-run"], ["fire", "Stop"]):
        answer = run_cli(*words, cwd=project.folder)
        assert not (project.folder / "ran").exists(), words
        assert "Traceback" not in answer.stderr
    assert "hookwright trust" in run_cli("check", cwd=project.folder).stdout
    assert "hookwright trust" in run_cli("doctor", cwd=project.folder).stdout


def test_init_approves_what_it_wrote_and_nothing_else(cautious, tmp_path, run_cli):
    """A new project works at once; one that brought its own config is asked about."""
    fresh, foreign = tmp_path / "fresh", tmp_path / "foreign"
    for folder in (fresh, foreign):
        folder.mkdir()
    (foreign / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    assert run_cli("init", cwd=fresh).exit_code == 0
    assert run_cli("trust", "--status", cwd=fresh).exit_code == 0
    refused = run_cli("init", cwd=foreign)
    assert (refused.exit_code, "`hookwright trust` first" in refused.stderr) == (3, True)
    assert run_cli("trust", "--status", cwd=foreign).exit_code == 1


def test_without_a_home_nothing_is_required(project, monkeypatch):
    """Who has no home has decided nothing: no file in the root folder counts as theirs."""
    monkeypatch.setenv("HOME", "")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert trust.file() == ""
    project.handlers(DENY.format(reason="as written"))
    assert reason(project)[0] == "as written"
