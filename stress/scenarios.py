"""What is done while faults are injected: one row for each verb that writes something."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import hookwright

BOOT = str(Path(hookwright.__file__).with_name("boot.py"))
HOOK = [sys.executable, "-I", "-S", BOOT]
HOOKWRIGHT = [sys.executable, "-m", "hookwright"]

THEIR_SETTINGS = {
    "permissions": {"deny": ["Bash(rm:*)"]},
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "their-own-check"}]}]},
}
CONFIG = """\
handlers: [".hookwright/handlers.py"]
postToolUse:
  commands:
    - run: cat > seen.txt
suite: {drive: manual}
"""
HANDLERS = """\
from hookwright import block, on

@on.Stop()
def not_yet(event):
    return block("not yet")
"""
SUITE = {
    "version": "1.0",
    "tests": [
        {"id": f"t{number}", "description": "d", "category": "c", "action": "Say hello", "expect": [{"contains": "o"}]}
        for number in range(4)
    ],
}


@dataclass(frozen=True)
class Scenario:
    """One verb, the project it is used in, and what is typed."""

    name: str
    argv: list[str]
    event: dict[str, str] | None = None  # a hook's payload, its cwd left out
    prepare: tuple[Callable[[Path], None], ...] = ()
    most: int = 0  # points at which it is tried, where all would take an hour

    def stdin(self, project: Path) -> bytes:
        return json.dumps({**self.event, "cwd": str(project), "session_id": "s"}).encode() if self.event else b""

    def made(self, project: Path) -> None:
        """A project as it is before."""
        project.mkdir(parents=True)
        for file, text in (
            (".hookwright.yaml", CONFIG),
            (".hookwright/handlers.py", HANDLERS),
            (".claude/settings.json", json.dumps(THEIR_SETTINGS, indent=2)),
            ("tests/functional/tests.json", json.dumps(SUITE)),
            ("pyproject.toml", "[project]\nname = 'theirs'\nversion = '1'\n"),
        ):
            (project / file).parent.mkdir(parents=True, exist_ok=True)
            (project / file).write_text(text)
        for step in self.prepare:
            step(project)


def _typed(*argv: str) -> Callable[[Path], None]:
    def type_it(project: Path) -> None:
        subprocess.run([*HOOKWRIGHT, *argv], cwd=project, check=True, capture_output=True, timeout=60)

    return type_it


def _fired(event: dict[str, str]) -> Callable[[Path], None]:
    def fire(project: Path) -> None:
        payload = json.dumps({**event, "cwd": str(project), "session_id": "s"}).encode()
        subprocess.run(HOOK, input=payload, cwd=project, check=True, capture_output=True, timeout=60)

    return fire


def _deletes_its_config(project: Path) -> None:
    config = project / ".hookwright.yaml"
    config.write_text(config.read_text().replace("cat > seen.txt", "rm .hookwright.yaml"))


def _full_journal(project: Path) -> None:
    line = json.dumps({"time": "2026-01-01T00:00:00.000Z", "event": "Stop", "pad": "x" * 900}) + "\n"
    journal = project / ".hookwright/journal.jsonl"
    journal.write_text(line * ((8 << 20) // len(line) + 1))
    journal.chmod(0o600)


QUIET = {"hook_event_name": "Notification", "message": "m"}
TOOL = {"hook_event_name": "PostToolUse", "tool_name": "Bash"}
STOP = {"hook_event_name": "Stop"}
COMPILED = _fired(QUIET)
INSTALLED = _typed("init")
RUNNING = (_typed("suite", "init"), _typed("suite", "next"))

DIRECT = {
    "servers": {"demo": {"command": sys.executable, "args": ["-m", "hookwright.demo"]}},
    "tests": [
        {"id": f"d{number}", "call": {"server": "demo", "tool": "echo", "arguments": {"text": "o"}}}
        for number in range(2)
    ],
}


def _with_direct_suite(project: Path) -> None:
    (project / "direct.json").write_text(json.dumps(DIRECT))


def _own_approvals(*argv: str) -> list[str]:
    """A verb whose user keeps their approvals in the project, one for each try; at home where the folder is gone."""
    return ["sh", "-c", 'XDG_CONFIG_HOME="${PWD:+$PWD/.config}" exec "$@"', "sh", *HOOKWRIGHT, *argv]


# A server stays behind by intention; only one that `stop` does not end has been left behind.
SERVED = ["sh", "-c", '"$@" resident start; "$@" resident stop', "sh", *HOOKWRIGHT]

SCENARIOS = [
    Scenario("hook: nothing bound", HOOK, QUIET, (COMPILED,)),
    Scenario("hook: config compiled", HOOK, QUIET),
    Scenario("hook: a command", HOOK, TOOL, (COMPILED,)),
    Scenario("hook: a Stop blocked", HOOK, STOP, (COMPILED,)),
    Scenario("hook: journal rotated", HOOK, QUIET, (COMPILED, _full_journal)),
    Scenario("hook: a suite's word", HOOK, {"hook_event_name": "UserPromptSubmit", "prompt": "v hello"}, RUNNING),
    Scenario("hook: config deleted", HOOK, TOOL, (_deletes_its_config, COMPILED)),
    Scenario("init", [*HOOKWRIGHT, "init"]),
    Scenario("init --scope local", [*HOOKWRIGHT, "init", "--scope", "local"]),
    Scenario("sync", [*HOOKWRIGHT, "sync"], None, (INSTALLED, lambda project: _with_one_more_event(project))),
    Scenario("uninstall", [*HOOKWRIGHT, "uninstall"], None, (INSTALLED,)),
    Scenario("plugin build", [*HOOKWRIGHT, "plugin", "build", "plugin"]),
    Scenario("suite init", [*HOOKWRIGHT, "suite", "init"]),
    Scenario("suite next", [*HOOKWRIGHT, "suite", "next"], None, RUNNING[:1]),
    Scenario("suite validate", [*HOOKWRIGHT, "suite", "validate", "hello"], None, RUNNING),
    Scenario("suite report", [*HOOKWRIGHT, "suite", "report", "--output", "r.md"], None, RUNNING),
    Scenario("suite abort", [*HOOKWRIGHT, "suite", "abort"], None, RUNNING),
    Scenario(
        "suite run --via direct",
        [*HOOKWRIGHT, "suite", "run", "--suite", "direct.json"],
        None,
        (_with_direct_suite,),
        20,
    ),
    Scenario("resident start, stop", SERVED, None, (COMPILED,), 20),
    Scenario("trust --require", _own_approvals("trust", "--require")),
    Scenario("trust --yes", _own_approvals("trust", "--yes")),
]


def _with_one_more_event(project: Path) -> None:
    config = project / ".hookwright.yaml"
    config.write_text(config.read_text() + "sessionEnd:\n  commands:\n    - run: 'true'\n")
