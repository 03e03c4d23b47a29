"""The server under test."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import Project
from resident.serving import Resident, gone, until

from hookwright.resident import start, state


def processes_of(folder: str) -> set[int]:
    """Servers and workers of a project, and verbs that a hook left running there, whoever their parent is now."""
    found = set()
    for entry in os.scandir("/proc"):
        with suppress(OSError):
            if entry.name.isdigit() and int(entry.name) != os.getpid() and not gone(int(entry.name)):
                words = Path(entry.path, "cmdline").read_bytes().split(b"\0")
                if folder.encode() in words or os.readlink(f"{entry.path}/cwd") == folder:
                    found.add(int(entry.name))
    return found


def end_all(folder: str) -> bool:
    """Whether nobody was left to end: a verb may start one more server, and a stopped worker hears of nothing else."""
    left = processes_of(folder)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return not left


@pytest.fixture
def resident(project: Project) -> Iterator[Resident]:
    """A server that is ended with the test, whatever the test did to it."""
    server = Resident(project)
    yield server
    known = state.running(server.folder)
    with suppress(OSError, ValueError):
        start.stop(server.folder)
    for pid in {*server.pids, known.get("pid", 0)} - {0}:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        until(lambda pid=pid: gone(pid))
    until(lambda: end_all(server.folder))
