"""What must hold after a fault: every file whole, the answer right or none, nobody left behind."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookwright import journal_view
from stress.scenarios import SUITE, Scenario

MARK = "HOOKWRIGHT_STRESS"  # in the environment of whatever a try started
GRACE_S = 3.0  # for a server that was told to end


@dataclass
class Ended:
    """How a process ended, and who of its children is still there."""

    exit_code: int
    stdout: str
    stderr: str
    left: list[int]


@dataclass
class Whole:
    """What must never be half: their settings, the user's approvals, the suite's results, the journal's entries."""

    settings: dict[str, Any]
    results: int
    journal: int


APPROVALS = ".config/hookwright/trust.json"  # where the scenarios of trust keep them


def whole(project: Path) -> Whole:
    """What there is; raises where something cannot be read."""
    settings = {
        name: json.loads((project / ".claude" / name).read_text())
        for name in ("settings.json", "settings.local.json")
        if (project / ".claude" / name).exists()
    }
    if (project / APPROVALS).exists():
        json.loads((project / APPROVALS).read_text())
    state = project / ".claude/test-state.json"
    results = len(json.loads(state.read_text())["results"]) if state.exists() else 0
    return Whole(settings, results, _entries(project))


def _entries(project: Path) -> int:
    """How many entries the journal's reader finds; a torn line costs only itself."""
    return sum(1 for _ in journal_view.entries(str(project / ".hookwright")))


def of_the_files(project: Path, before: Whole, after: Whole) -> Iterator[str]:
    try:
        now = whole(project)
    except (ValueError, KeyError) as error:
        yield f"a file cannot be read: {error}"
        return
    for name in before.settings.keys() | after.settings.keys():
        known = (before.settings.get(name), after.settings.get(name))
        if now.settings.get(name) not in known:
            yield f"{name} is neither what it was nor what it should be"
    if not before.results <= now.results <= before.results + 2:  # the step in flight, and the one tried again
        yield f"{now.results} results of {before.results}"
    if now.journal < before.journal:
        yield f"{before.journal - now.journal} journal entries lost"
    if (project / "tests/functional/tests.json").read_text() != json.dumps(SUITE):
        yield "the suite file has changed"


def of_the_answer(scenario: Scenario, ended: Ended, clean: Ended) -> Iterator[str]:
    if ended.exit_code == -1:
        yield "it hung"
    if ended.left:
        yield f"left behind: {ended.left}"
    if "Traceback" in ended.stderr or "this is a bug" in ended.stderr:
        yield f"a traceback: {ended.stderr[-300:]!r}"
    if scenario.event is None:
        return
    if ended.exit_code not in (0, clean.exit_code, -signal.SIGKILL):
        yield f"the hook ended with {ended.exit_code}"
    if ended.exit_code == 0 and ended.stdout.strip() and not _is_json(ended.stdout):
        yield f"not an answer: {ended.stdout[:100]!r}"


def already_done(again: Ended) -> bool:
    """What was complete when the fault came cannot be done twice, and says so in a sentence."""
    return again.exit_code in (1, 3) and "Traceback" not in again.stderr


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def left_over(mark: str) -> list[int]:
    """Processes that carry a mark in their environment and do not end soon."""
    until = time.monotonic() + GRACE_S
    while (found := _marked(f"{MARK}={mark}".encode())) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def _marked(wanted: bytes) -> list[int]:
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if wanted in Path(entry.path, "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:  # it has just gone
                continue
    return found
