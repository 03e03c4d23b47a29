"""The command line: verbs, usage, errors for people."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import hookwright.verbs.events as events_verb
from hookwright import __version__, cli
from hookwright.cli import COMMANDS


def test_every_verb_explains_itself(run_cli):
    """--help works for each, and names what it does."""
    for verb in COMMANDS:
        answer = run_cli(verb, "--help")
        assert answer.exit_code == 0
        assert "usage: hookwright" in answer.stdout


@pytest.mark.parametrize(
    "words", [[], ["frobnicate"], ["fire"], ["events", "--frob"], ["journal"], ["journal", "frob"]]
)
def test_wrong_usage_leaves_with_64(run_cli, words):
    """Never with 2, which means "block" to an agent."""
    answer = run_cli(*words)
    assert answer.exit_code == 64
    assert "usage:" in answer.stderr


def test_the_version(run_cli):
    """`--version` is what the package says."""
    assert run_cli("--version").stdout == f"hookwright {__version__}\n"


def test_hook_answers_like_the_started_file(run_cli, project):
    """`hookwright hook EVENT` by the console script is the same hook."""
    project.handlers("from hookwright import on, deny\n@on.PreToolUse\ndef f(e): return deny('no')\n")
    answer = run_cli("hook", "pre-tool", stdin=json.dumps({"cwd": str(project.folder)}))
    assert answer.document["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert project.journal()


def test_a_file_that_cannot_be_read_is_told_in_one_line(run_cli, project):
    """What, and why; no traceback."""
    project.config("handlers: []\n")
    ours = project.folder / ".hookwright"
    ours.mkdir()
    (ours / "journal.jsonl").mkdir()
    answer = run_cli("journal", "tail")
    assert answer.exit_code == 3
    assert answer.stderr.count("\n") == 1 and "journal.jsonl: Is a directory" in answer.stderr


def test_a_folder_that_is_gone_is_told_as_such(project):
    """The shell may still stand in a folder that somebody has removed."""
    code = "import os, sys; os.rmdir(os.getcwd()); from hookwright.cli import main; sys.exit(main())"
    for words in (["init"], ["doctor"], ["check"], ["plugin", "build", "x"]):
        (project.folder / "gone").mkdir()
        done = subprocess.run([sys.executable, "-c", code, *words], cwd=project.folder / "gone", capture_output=True)
        assert done.returncode == 3
        assert done.stderr == b"hookwright: the folder you are in is not there any more. Go to another (cd) first.\n"


def test_a_terminal_that_knows_only_ascii_is_no_reason_to_fail(project):
    """What it cannot show is a question mark."""
    project.handlers("from hookwright import on, context\n@on.Stop\ndef f(e): return context('größe \\ud800')\n")
    command = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())", "fire", "Stop"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(command, cwd=project.folder, env=env, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"gr" in done.stdout


def test_a_bug_is_one_line_and_a_report(project, monkeypatch, capsys):
    """No traceback on the terminal; the report's path is told."""
    monkeypatch.setattr(tempfile, "tempdir", str(project.folder))
    monkeypatch.setattr(events_verb, "table", lambda: 1 / 0)
    assert cli.main(["events"]) == 3
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "this is a bug" in told
    assert "ZeroDivisionError" in Path(told.split()[-1]).read_text()
