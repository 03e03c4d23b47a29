"""The server under test."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress

import pytest
from conftest import Project
from resident.serving import Resident, gone, until

from hookwright.resident import start, state


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
