"""One run per project at a time; of those that wait, only the newest runs, for the files of all of them.

A lock of the system's (`flock`) is gone with its owner, however that ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hookwright.paths import read_file, replace_file

LOOK_EVERY_S = 0.03


@contextmanager
def turn(state: str, files: list[str], wait_s: float) -> Iterator[list[str] | None]:
    """The files to run for, ours and those of whoever gave way to us; None when a newer edit takes our place."""
    ticket = f"{os.getpid()}-{time.monotonic_ns()}"
    _queue(state, ticket, files)
    lock = os.open(f"{state}/run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        has_it = _wait(lock, state, ticket, time.monotonic() + wait_s)
        yield _taken(state, ticket) if has_it else None
    finally:
        os.close(lock)


@contextmanager
def giving_way(state: str, files: list[str]) -> Iterator[None]:
    """For a run that nobody waits for: when a newer edit comes, its files go back to the queue and the process ends."""
    done, own = threading.Event(), _read(state)[0]

    def look() -> None:
        while not done.wait(LOOK_EVERY_S):
            if _read(state)[0] != own:
                _give_back(state, files)
                os.kill(os.getpid(), signal.SIGTERM)  # whoever runs the tests ends them with it
                return

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _give_back(state: str, files: list[str]) -> None:
    with _mutex(state):
        ticket, waiting = _read(state)
        _write(state, ticket, list(dict.fromkeys([*files, *waiting])))


def _wait(lock: int, state: str, ticket: str, until: float) -> bool:
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= until or _read(state)[0] != ticket:
                return False
        time.sleep(LOOK_EVERY_S)


def _queue(state: str, ticket: str, files: list[str]) -> None:
    with _mutex(state):
        _, waiting = _read(state)
        _write(state, ticket, list(dict.fromkeys([*waiting, *files])))


def _taken(state: str, ticket: str) -> list[str] | None:
    with _mutex(state):
        newest, files = _read(state)
        if newest != ticket:
            return None
        _write(state, ticket, [])
        return files


@contextmanager
def _mutex(state: str) -> Iterator[None]:
    fd = os.open(f"{state}/queue.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _read(state: str) -> tuple[str, list[str]]:
    try:
        waiting = json.loads(read_file(f"{state}/queue.json"))
        return str(waiting["ticket"]), [str(file) for file in waiting["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return "", []


def _write(state: str, ticket: str, files: list[str]) -> None:
    replace_file(f"{state}/queue.json", json.dumps({"ticket": ticket, "files": files}).encode())
