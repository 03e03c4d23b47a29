"""Headless runs with a client that goes wrong; with the real one they are in tests/client."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hookwright.errors import Refusal

FAKE = Path(__file__).with_name("fake_claude.py")


@pytest.fixture
def claude(tmp_path):
    program = tmp_path / "claude"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    program.chmod(0o755)
    return str(program)


def does(name, action, **more):
    return {"id": name, "action": action, "expect": [{"contains": f"I did: {action}"}], **more}


def test_a_client_that_goes_wrong_fails_one_test(bed, claude):
    """With the reason; the next test begins a new conversation; tool calls that were told twice count once."""
    bed.suite(
        does("one", "Work"),
        does("two", "Crash"),
        does("three", "Hang", timeout=1),
        does("four", "Give up"),
        does("five", "Unhooked"),
        does("six", "Babble"),
        does(
            "seven", "Twice", expect=[{"tool_called": {"tool": "echo", "count": 1}}, {"contains": "once", "on": "tool"}]
        ),
        servers={},
    )
    came = bed.run(via="claude-code", claude=claude)
    assert came.statuses == {"one": "pass", "two": "fail", "three": "fail", "four": "fail", "five": "fail", "six": "pass", "seven": "pass"}  # fmt: skip
    assert came.row("two")["failures"] == ["The client ended with exit code 9: Segmentation fault, sort of"]
    assert came.row("three")["failures"] == ["Timed out: no answer within 1 s"]
    assert came.row("four")["failures"] == ["The client gave up (error_max_turns): no reason given"]
    assert came.row("five")["failures"][0].startswith("The client did not run our hooks")
    transcript = (came.path / came.row("two")["transcript"]).read_text()
    assert "doing: Crash ***" in transcript  # secrets are masked there, too
    assert [came.row(name)["cost_usd"] for name in ("one", "six", "seven")] == [0.25, 0.25, 0.25]


def test_one_conversation_or_one_for_each(bed, claude):
    """By default one for all; with --isolate one for each test."""
    bed.suite(*[does(f"t{n}", "Work") for n in range(3)], servers={})
    for isolate, conversations in ((False, 1), (True, 3)):
        came = bed.run(via="claude-code", claude=claude, isolate=isolate)
        assert came.code == 0
        assert len({row["answer"] for row in came.report["results"]}) == conversations
    came = bed.run(via="claude-code", claude=claude, repeat=2)
    assert came.row("t0")["cost_usd"] == 0.5 and came.report["run"]["cost_usd"] == 1.5  # every round was paid for


def test_a_client_that_is_not_there(bed):
    """How to get it."""
    bed.suite(does("a", "Work"), servers={})
    with pytest.raises(Refusal, match="there is no no-such-claude on this machine"):
        bed.run(via="claude-code", claude="no-such-claude")


def test_ctrl_c_ends_clients_and_what_they_started(bed, claude):
    """Two lanes hang; both are ended with their own children, and the report is written."""
    bed.suite(does("a", "Work"), does("b", "Hang"), does("c", "Hang"), does("d", "Work"), servers={})
    process = bed.start("run", "--via", "claude-code", "--claude", claude, "--jobs", "2")
    assert process.stdout.readline().startswith("✅ PASS a")
    groups = _groups_below(process.pid, 2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert _left(groups) == []
    statuses = {row["id"]: row["status"] for row in bed.report()["results"]}
    assert statuses == {"a": "pass", "b": "not run", "c": "not run", "d": "not run"}


def _table():
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,stat=,args="], capture_output=True, text=True, check=True
    )
    return [line.split(None, 4) for line in listed.stdout.splitlines()]


def _groups_below(pid, count):
    """The groups of the clients that hang, once each has its own child."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        rows = [row for row in _table() if len(row) == 5]
        clients = {row[2] for row in rows if int(row[1]) == pid and "fake_claude" in row[4]}
        hanging = {row[2] for row in rows if row[4] == "sleep 600" and row[2] in clients}
        if len(hanging) == count:
            return hanging
        time.sleep(0.1)
    raise AssertionError(f"no {count} clients below {pid}")


def _left(groups):
    until = time.monotonic() + 60
    while (
        left := [row for row in _table() if row[2] in groups and not row[3].startswith("Z")]
    ) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def test_what_a_client_is_started_with(bed, claude, tmp_path):
    """Settings and servers of this run only; the servers' ${NAME} is left to the client; all gone afterwards."""
    show = tmp_path / "shown.json"
    program = tmp_path / "spy"
    code = "import json, sys; a = sys.argv[1:]; f = lambda n: json.load(open(a[a.index(n) + 1])); "
    code += f"json.dump([a, f('--settings'), f('--mcp-config')], open({str(show)!r}, 'w'))"
    program.write_text(f'#!/bin/sh\n"{sys.executable}" -c "{code}" "$@"\nexec "{claude}" "$@"\n')
    program.chmod(0o755)
    bed.suite(does("a", "Work"), servers={"demo": {"command": "x", "env": {"KEY": "${SOME_SECRET}"}}})
    came = bed.run(via="claude-code", claude=str(program), model="some-model", budget=2, extra=["--max-turns", "3"])
    assert came.code == 0
    words, settings, servers = json.loads(show.read_text())
    assert words[words.index("--model") + 1] == "some-model" and words[-2:] == ["--max-turns", "3"]
    assert float(words[words.index("--max-budget-usd") + 1]) == 2
    assert set(settings["hooks"]) == {"PostToolUse", "PostToolUseFailure", "Stop"}
    assert settings["permissions"] == {"allow": ["mcp__demo"]}
    assert servers["mcpServers"]["demo"]["env"] == {"KEY": "${SOME_SECRET}"}
    assert not os.path.exists(words[words.index("--settings") + 1])
