"""The journal: one whole line per event, private, masked, rotated, safe with many writers."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest
from conftest import BOOT, GOLDEN
from hypothesis import given
from hypothesis import strategies as st

from hookwright import journal, journal_view

HANDLERS = (
    "from hookwright import on, deny\n"
    "@on.PreToolUse(tool='Bash')\ndef guard(event): return deny('no')\n"
    "@on.PostToolUse\ndef crash(event): 1/0\n"
)


def test_a_line_says_what_came_what_ran_and_what_was_answered(project):
    """Time, agent, event, session, tool, bindings with time and outcome, answer, exit code, our own time."""
    project.handlers(HANDLERS)
    project.hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    (entry,) = project.journal()
    assert (entry["agent"], entry["event"], entry["session"], entry["tool"]) == (
        "claude-code",
        "PreToolUse",
        "s-1",
        "Bash",
    )
    assert entry["about"] == {"tool_input": {"command": "ls"}}
    assert entry["ran"][0]["binding"] == ".hookwright/handlers.py:guard"
    assert entry["ran"][0]["outcome"] == "deny"
    assert entry["answer"] == {"decision": "deny", "reason": "no"}
    assert entry["exit"] == 0
    assert entry["ms"] >= 0 and entry["ran"][0]["ms"] >= 0
    assert time.strptime(entry["time"], "%Y-%m-%dT%H:%M:%S." + entry["time"][-4:-1] + "Z")


def test_a_failed_handler_is_in_the_line(project):
    """Outcome and note tell what went wrong and where."""
    project.handlers(HANDLERS)
    project.hook("PostToolUse", tool_name="Edit")
    (entry,) = project.journal()
    assert entry["ran"][0]["outcome"] == "failed"
    assert "handlers.py:5: ZeroDivisionError" in entry["notes"][0]


SEED_EVENTS = {
    "PostToolUseFailure.Bash": ["tool_use_id", "error", "is_interrupt"],
    "Notification.permission_prompt": ["message", "notification_type"],
    "SubagentStart": ["agent_id", "agent_type"],
    "UserPromptSubmit": ["prompt"],
    "TeammateIdle": ["agent_id", "teammate_name"],
    "TaskCreated": ["task_id", "task_subject"],
}


@pytest.mark.parametrize("name", SEED_EVENTS)
def test_the_events_of_the_source_document_are_logged_with_their_fields(project, name):
    """A tool failure with error and is_interrupt, a notification with its fields, an agent with its id ..."""
    project.config("handlers: []\n")
    raw = json.loads((GOLDEN / "claude-code" / f"{name}.json").read_text()) | {"cwd": str(project.folder)}
    project.hook(raw=json.dumps(raw).encode())
    (entry,) = project.journal()
    for field in SEED_EVENTS[name]:
        assert entry["about"][field] == raw[field]


def test_a_permission_request_is_logged_with_its_tool(project):
    """The tool's name stands in the line itself."""
    project.config("handlers: []\n")
    project.hook("PermissionRequest", tool_name="Bash", tool_input={"command": "ls"})
    assert project.journal()[0]["tool"] == "Bash"


def test_a_prompt_is_cut_to_a_hundred_characters(project):
    """On a character border: a wide character is there whole or not at all."""
    project.config("handlers: []\n")
    project.hook("UserPromptSubmit", prompt="😀" * 300)
    assert project.journal()[0]["about"]["prompt"] == "😀" * 99 + "…"


def test_secrets_never_reach_the_file(project):
    """Not from the payload, not from an answer, not from a note."""
    project.handlers(
        "from hookwright import on, context\n"
        "@on.PreToolUse\ndef leak(event): return context('key ' + event.tool_input['command'])\n"
        "@on.PreToolUse\ndef crash(event): raise RuntimeError(event.tool_input['command'])\n"
    )
    project.hook(
        "PreToolUse", tool_input={"command": "sk-ant-SECRETSECRET", "password": "hunter2"}, prompt="ghp_" + "S" * 20
    )
    text = (project.folder / ".hookwright" / "journal.jsonl").read_text()
    assert "SECRET" not in text and "hunter2" not in text and "SSSS" not in text
    assert project.journal()[0]["answer"]["context"] == "key ***"


def test_names_are_cut_and_masked_too_and_numbers_without_end_are_text(project):
    """A field's name can be as long, or as secret, as its value."""
    project.config("handlers: []\n")
    raw = json.dumps(project.payload("Stop", **{"k" * 9000: 1, "sk-ant-SECRETSECRET": 1})).replace('"s-1"', "1e999")
    project.hook(raw=raw.replace('"session_id": 1e999', '"session_id": "s", "x": 1e999').encode())
    (line,) = (project.folder / ".hookwright" / "journal.jsonl").read_text().splitlines()
    assert len(line) < 2000 and "SECRET" not in line and json.loads(line)["about"]["x"] == "inf"


def test_tool_results_are_left_out(project):
    """Too large and too private; in a batch too, and in any spelling."""
    project.config("handlers: []\n")
    project.hook("PostToolUse", tool_name="Bash", tool_response="RESULT", toolResponse="RESULT")
    project.hook("PostToolBatch", tool_calls=[{"tool_name": "Bash", "tool_response": "RESULT"}])
    assert "RESULT" not in (project.folder / ".hookwright" / "journal.jsonl").read_text()


def test_a_fifo_in_the_place_of_a_file_keeps_nobody_waiting(project):
    """Neither as the journal nor as the config."""
    project.handlers(HANDLERS)
    project.hook("Stop")
    journal_file = project.folder / ".hookwright" / "journal.jsonl"
    journal_file.unlink()
    os.mkfifo(journal_file)
    assert project.hook("PreToolUse", tool_name="Bash").stdout
    (project.folder / ".hookwright.yaml").unlink()
    os.mkfifo(project.folder / ".hookwright.yaml")
    assert project.hook("PreToolUse", tool_name="Bash").exit_code == 0


def test_the_file_is_for_its_owner_only(project):
    """Mode 0600, also where it was made otherwise."""
    project.config("handlers: []\n")
    project.hook("Stop")
    os.chmod(project.folder / ".hookwright" / "journal.jsonl", 0o644)
    project.hook("Stop")
    assert stat.S_IMODE(os.stat(project.folder / ".hookwright" / "journal.jsonl").st_mode) == 0o600


def test_broken_payloads_are_recorded_too(project):
    """A payload nobody could read is a line with a note, where a config is near."""
    project.config("handlers: []\n")
    project.hook(raw=b"{broken")
    (entry,) = project.journal()
    assert entry["event"] == "unknown"
    assert "not JSON" in entry["notes"][0]


def test_many_processes_write_whole_lines(project):
    """Forty hooks at once: forty lines, each one JSON."""
    project.config("handlers: []\n")
    project.hook("Stop")
    payload = json.dumps(project.payload("PreToolUse", tool_name="Bash", tool_input={"x": "y" * 5000})).encode()
    hooks = []
    for _ in range(40):
        hook = subprocess.Popen([sys.executable, "-I", "-S", BOOT], stdin=subprocess.PIPE)
        hook.stdin.write(payload)
        hook.stdin.close()
        hooks.append(hook)
    assert [hook.wait(60) for hook in hooks] == [0] * 40
    assert len(project.journal()) == 41


def test_a_full_journal_is_moved_aside_by_one_of_many_writers(tmp_path):
    """Rotation under concurrent writers loses no line, and only some old files are kept."""
    config = tmp_path / ".hookwright.yaml"
    config.touch()
    script = textwrap.dedent(
        """
        import sys
        from hookwright import journal
        journal.ROTATE_AT_BYTES, journal.KEEP_ROTATED = 2000, 1000
        for n in range(200):
            journal.append(sys.argv[1], journal.line("a", f"{sys.argv[2]}-{n}", {}, {}))
        """
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(config), str(n)]) for n in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    folder = tmp_path / ".hookwright"
    names = [entry["event"] for entry in journal_view.entries(str(folder))]
    assert sorted(names) == sorted(f"{w}-{n}" for w in range(4) for n in range(200))
    assert len(journal.rotated(str(folder))) > 3


def test_only_the_newest_journals_are_kept(tmp_path, monkeypatch):
    """Rotation bounds the space."""
    config = str(tmp_path / ".hookwright.yaml")
    monkeypatch.setattr(journal, "ROTATE_AT_BYTES", 100)
    for n in range(30):
        journal.append(config, journal.line("a", str(n), {}, {}))
    assert len(journal.rotated(str(tmp_path / ".hookwright"))) == journal.KEEP_ROTATED


def test_a_journal_that_is_a_link_is_not_followed(project, tmp_path_factory):
    """A planted link cannot make us write elsewhere."""
    target = tmp_path_factory.mktemp("target") / "file"
    target.write_text("mine")
    project.config("handlers: []\n")
    project.hook("Stop")
    file = project.folder / ".hookwright" / "journal.jsonl"
    file.unlink()
    file.symlink_to(target)
    assert project.hook("Stop").exit_code == 0
    assert target.read_text() == "mine"


def test_a_journal_in_a_folder_that_is_a_link_is_not_written(project, tmp_path_factory):
    """Nor does a link in the place of the whole folder make us write elsewhere, however the folder came about."""
    project.config("handlers: []\n")
    project.hook("Stop")
    target = tmp_path_factory.mktemp("target")
    (project.folder / ".hookwright").rename(target / "moved")
    (target / "moved" / "journal.jsonl").unlink()
    (project.folder / ".hookwright").symlink_to(target / "moved")
    assert project.hook("Stop").exit_code == 0
    assert not (target / "moved" / "journal.jsonl").exists()


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=5), st.data())
def test_a_torn_line_costs_only_itself(names, data):
    """A reader finds the next whole entry behind the piece of a torn one."""
    lines = [journal.line("x", name, {}, {}) for name in names]
    torn = journal.line("x", "torn", {"prompt": "p"}, {})
    piece = torn[: data.draw(st.integers(0, len(torn) - 2))]
    text = (piece + b"".join(lines)).decode()
    found = [entry["event"] for line in text.splitlines() for entry in journal_view.parsed(line)]
    assert found == names


@given(st.text())
def test_any_line_can_be_read(line):
    """The reader never fails on what is in the file."""
    list(journal_view.parsed(line))
    journal_view.stats(iter(list(journal_view.parsed(line))))


def test_figures_are_counted_per_event_and_handler():
    """Nearest-rank percentiles of what was really measured, and failures."""
    entries = [
        {"event": "Stop", "ms": n, "ran": [{"binding": "f", "ms": 2 * n, "outcome": "failed" if n > 98 else "nothing"}]}
        for n in range(1, 101)
    ]
    figures = journal_view.stats(iter(entries))
    assert figures["events"]["Stop"] == {"count": 100, "failed": 2, "p50": 50, "p95": 95, "p99": 99}
    assert figures["handlers"]["f"]["p50"] == 100


@given(st.lists(st.text(st.sampled_from('aé\n"{}'), max_size=40), max_size=30), st.integers(1, 64))
def test_the_journal_reads_the_same_from_both_ends(texts, block):
    """Whatever the entries hold and wherever a block ends, newest first is oldest first turned round."""
    with tempfile.TemporaryDirectory() as folder:
        entries = [{"time": "2026", "n": number, "text": text} for number, text in enumerate(texts)]
        half = len(entries) // 2
        for name, part in (("journal.1.jsonl", entries[:half]), ("journal.jsonl", entries[half:])):
            Path(folder, name).write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in part))
        assert (
            list(journal_view.newest_first(folder, block)) == entries[::-1] == list(journal_view.entries(folder))[::-1]
        )
