"""`hookwright journal`: what ran, why, how long."""

import json
import subprocess
import sys

import pytest

CODE = "import sys; from hookwright.cli import main; sys.exit(main())"


@pytest.fixture
def busy(project):
    """A project in which something has happened."""
    project.handlers("from hookwright import on\n@on.PostToolUse\ndef crash(event): 1/0\n")
    project.hook("PreToolUse", tool_name="Bash")
    project.hook("PostToolUse", tool_name="Edit", session_id="other")
    return project


def test_tail_has_a_line_each_and_filters(run_cli, busy):
    """By event, tool, session and failure."""
    assert len(run_cli("journal", "tail").stdout.splitlines()) == 2
    for words in (["--event", "post-tool"], ["--tool", "Edit"], ["--session", "other"], ["--failed"], ["-n", "1"]):
        (line,) = run_cli("journal", "tail", *words).stdout.splitlines()
        assert "PostToolUse(Edit)" in line and "crash failed" in line


def test_show_has_the_whole_entry(run_cli, busy):
    """The last one by default."""
    assert json.loads(run_cli("journal", "show").stdout)["event"] == "PostToolUse"


def test_stats_count_and_measure(run_cli, busy):
    """Per event and handler; --json for programs."""
    told = run_cli("journal", "stats").stdout
    assert "PreToolUse" in told and ".hookwright/handlers.py:crash" in told
    assert (
        json.loads(run_cli("journal", "stats", "--json").stdout)["handlers"][".hookwright/handlers.py:crash"]["failed"]
        == 1
    )


def test_follow_shows_what_comes(busy):
    """-f goes on with the next event."""
    command = [sys.executable, "-u", "-c", CODE, "journal", "tail", "-n", "0", "-f", "--project", str(busy.folder)]
    follower = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = ""
        while not line:  # it may have begun to look only after the first events
            busy.hook("Stop")
            import select

            ready, _, _ = select.select([follower.stdout], [], [], 0.5)
            line = follower.stdout.readline() if ready else ""
        assert "Stop" in line
    finally:
        follower.kill()
        follower.wait()
        follower.stdout.close()


def test_escape_sequences_do_not_reach_the_terminal(run_cli, project):
    """A tool's name cannot drive the person's screen."""
    project.config("handlers: []\n")
    project.hook("PreToolUse", tool_name="\x1b[2Jevil")
    assert "\x1b" not in run_cli("journal", "tail").stdout


@pytest.mark.parametrize(
    "line", ['{"event": 5, "tool": 6, "ms": null, "notes": 7, "ran": 8}', "[" * 100_000, '{"ran": [3]}']
)
def test_any_line_of_a_journal_can_be_shown(run_cli, project, line):
    """Whoever wrote it: odd types and endless nesting are no traceback."""
    project.config("handlers: []\n")
    project.hook("Stop")
    with open(project.folder / ".hookwright" / "journal.jsonl", "a") as file:
        file.write(line + "\n")
    for view in ("tail", "show", "stats"):
        assert run_cli("journal", view).exit_code == 0


def test_without_a_config_it_says_so(run_cli):
    """One sentence, exit 3."""
    answer = run_cli("journal", "tail")
    assert (answer.exit_code, answer.stderr.count("\n")) == (3, 1)


def test_an_empty_journal_is_no_error(run_cli, project):
    """Nothing has happened yet."""
    project.config("handlers: []\n")
    assert run_cli("journal", "tail").exit_code == 0
    assert "none yet" in run_cli("journal", "stats").stdout
