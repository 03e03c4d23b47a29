"""An event that binds to nothing, sent through a registered command line exactly as the agent does it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
import uuid
from pathlib import Path
from typing import NamedTuple

from hookwright import journal_view, paths

EVENT = "HookwrightCanary"
ROUNDS = 3
TIMEOUT_S = 20


class Flight(NamedTuple):
    """What came of it."""

    exit_code: int
    stderr: str
    ms: float
    arrived: bool  # whether our journal has it; where there is no journal, whether nothing spoke against it


def fly(command: str, project: Path, plugin: str) -> Flight:
    """Send one to warm up (a changed config is compiled then) and some to be timed."""
    flights = [_once(command, project, plugin) for _ in range(ROUNDS + 1)]
    bad = next((flight for flight in flights if flight.exit_code or not flight.arrived), flights[-1])
    return bad._replace(ms=statistics.median(flight.ms for flight in flights[1:]))


def _once(command: str, project: Path, plugin: str) -> Flight:
    session = f"canary-{uuid.uuid4()}"
    payload = {"hook_event_name": EVENT, "session_id": session, "cwd": str(project)}
    started = time.perf_counter()
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=json.dumps(payload).encode() + b"\n",
            capture_output=True,
            cwd=project,
            env=os.environ | {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_PLUGIN_ROOT": plugin},
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Flight(-1, f"no answer within {TIMEOUT_S} s", TIMEOUT_S * 1000.0, False)
    ms = (time.perf_counter() - started) * 1000
    stderr = done.stderr.decode("utf-8", "replace").strip()
    config = paths.find_config(str(project))
    arrived = _in_journal(config, session) if config else not stderr
    return Flight(done.returncode, stderr, ms, arrived)


def _in_journal(config: str, session: str) -> bool:
    return any(entry.get("session") == session for entry in journalled(config))


def journalled(config: str) -> list[journal_view.Entry]:
    """The journal beside a config; nothing where it cannot be read (somebody made a folder of its name)."""
    try:
        return list(journal_view.entries(paths.our_folder(config)))
    except OSError:
        return []
