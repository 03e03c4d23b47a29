"""What `ps` shows to other users of the machine: no value of a payload, a variable or a server's environment."""

import json
import os
import sys
from pathlib import Path

import pytest

SECRET = "correct-horse-battery"
# Writes down the command lines of itself and of everyone above it, which are ours.
LOOK = """\
import os, sys
pid, lines = os.getpid(), []
while pid > 1 and pid != int(os.environ["WATCHED_FROM"]):
    lines.append(open(f"/proc/{pid}/cmdline").read())
    pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
with open(sys.argv[1], "a") as seen:
    seen.write("\\n".join(lines) + "\\n")
"""


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program for the other side of whatever is started; what it saw is in the file `seen`."""
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("not on this machine: /proc, where command lines can be read")
    monkeypatch.setenv("WATCHED_FROM", str(os.getpid()))
    program = tmp_path / "look.py"
    program.write_text(LOOK)
    return program


def seen(folder: Path) -> str:
    text = (folder / "seen").read_text()
    assert "hookwright" in text or "look.py" in text  # it did look
    return text


def test_a_command_gets_the_payload_by_other_ways(project, look):
    """Environment and stdin; a value that is too large for them goes by a file."""
    run = f"{sys.executable} {look} seen"
    project.config(
        json.dumps({"preToolUse": {"commands": [{"run": run}]}, "userPromptSubmit": {"commands": [{"run": run}]}})
    )
    project.hook("PreToolUse", tool_name="Bash", tool_input={"command": f"login {SECRET}"})
    project.hook("UserPromptSubmit", prompt=SECRET + "x" * 200_000)
    assert seen(project.folder).count("boot.py") == 2
    assert SECRET not in seen(project.folder)


def test_what_a_run_without_a_person_starts(project, look, run_cli, monkeypatch):
    """A server's environment, a call's arguments and a suite's variables are on no command line."""
    monkeypatch.setenv("THE_KEY", SECRET)
    server = {"command": sys.executable, "args": [str(look), "seen"], "env": {"API_KEY": "${THE_KEY}"}}
    test = {
        "id": "a",
        "before": [f"{sys.executable} {look} seen"],
        "call": {"server": "s", "tool": "t", "arguments": {"password": SECRET}},
    }
    (project.folder / "s.json").write_text(json.dumps({"servers": {"s": server}, "tests": [test]}))
    answer = run_cli("suite", "run", "--suite", "s.json", "--timeout", "5")
    assert answer.exit_code in (1, 3)  # it is no server
    assert SECRET not in seen(project.folder)
    assert SECRET not in answer.stdout + answer.stderr
    runs = project.folder / ".hookwright/runs"
    kept = [path for path in runs.rglob("*") if path.is_file() and path.name != "plan.jsonl"]  # the suite's own words
    assert kept
    assert not [path.name for path in kept if SECRET in path.read_text()]


def test_a_headless_client_is_told_by_its_input(project, look, run_cli, monkeypatch):
    """The prompt, and the servers with their keys, are on no command line."""
    monkeypatch.setenv("THE_KEY", SECRET)
    client = project.folder / "client"
    client.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{look}" seen "$@"\n')
    client.chmod(0o755)
    server = {"command": "x", "env": {"API_KEY": SECRET}}
    test = {"id": "a", "action": f"Say {SECRET}"}
    (project.folder / "s.json").write_text(json.dumps({"servers": {"s": server}, "tests": [test]}))
    run_cli("suite", "run", "--suite", "s.json", "--via", "claude-code", "--claude", str(client), "--timeout", "5")
    assert "--mcp-config" in seen(project.folder)
    assert SECRET not in seen(project.folder)
