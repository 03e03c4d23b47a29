"""A pytest per project that was started ahead (`autoTest.warm`): given a run when it fits, sent away when it does not.

Whoever has the project's turn may use it, so there is one user at a time. It is never ours to wait for: a worker that
is not ready, not fit or dies without a word costs nothing but an ordinary start.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import hashlib
import json
import os
import posix
import select
import time
from contextlib import suppress
from typing import Any

from hookwright.affected.contract import Project
from hookwright.affected.python.interpreter import mark
from hookwright.affected.python.pytest_config import config_identity
from hookwright.output import Captured
from hookwright.paths import read_file, replace_file
from hookwright.process import GRACE_S, Outcome
from hookwright.spawn import reap, start

SCRIPT = "_hookwright_warm.py"
# what differs from one event to the next and no import looks at
FLEETING = (b"HOOKWRIGHT_", b"CLAUDE", b"CODEX", b"_", b"SHLVL", b"PWD", b"OLDPWD")
LOOK_EVERY_S = 0.005  # where the system cannot tell us of an exit
_started: list[int] = []


def key_of(project: Project, python: str, folder: str) -> str:
    """What a worker must have in common with a run: interpreter, packages, pytest's config, variables, our files."""
    variables = sorted(pair for pair in project.environment.items() if not pair[0].startswith(FLEETING))
    ours = [os.stat(f"{folder}/{name}").st_mtime_ns for name in sorted(os.listdir(folder)) if name.endswith(".py")]
    told = repr([mark(python), config_identity(project.root), variables, ours, project.root, os.getuid()])
    return hashlib.blake2b(told.encode(), digest_size=12).hexdigest()


def prefetch(project: Project, python: str, folder: str, plugins: list[str]) -> None:
    """Start a worker for the next run, unless one is there or the project is not fit for it."""
    key = key_of(project, python, folder)
    reap(_started)
    if _fitting(project.state, key) or _unfit(project.state) == key:
        return
    variables = {name: value for name, value in project.environment.items() if name != b"HOOKWRIGHT_CONTROL"}
    nowhere = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    try:
        argv = [python, f"{folder}/{SCRIPT}", project.state, key, *plugins]
        _started.append(start(argv, project.root, variables, (nowhere, nowhere, nowhere)))
    except OSError:
        pass  # the next run starts as usual
    finally:
        posix.close(nowhere)


def run(
    project: Project, python: str, folder: str, arguments: list[str], timeout_s: float, into: str
) -> Outcome | None:
    """A run by the worker, its output kept in the folder `into`; None when there is none, or it died without a word."""
    pipe = _fitting(project.state, key_of(project, python, folder))
    if not pipe:
        return None
    began = time.monotonic()
    job: dict[str, Any] = {name: f"{into}/{name}" for name in ("stdout", "stderr", "exit")}
    job["arguments"], job["umask"] = arguments, _umask()
    job["environment"] = {os.fsdecode(name): os.fsdecode(value) for name, value in project.environment.items()}
    replace_file(f"{into}/job.json", json.dumps(job).encode())
    pid = int(pipe.rpartition("-")[2])
    if not _said(pipe, f"{into}/job.json"):
        return None
    ended = _ended(pid, began + timeout_s)
    streams = (_captured(job["stdout"]), _captured(job["stderr"]))
    took_ms = (time.monotonic() - began) * 1000
    if not ended:
        return Outcome(None, streams, timeout_s, took_ms)
    try:
        return Outcome(int(read_file(job["exit"])), streams, timeout_s, took_ms)
    except (OSError, ValueError):
        return None


def _fitting(state: str, key: str) -> str:
    """The pipe of a worker that waits with this key; all others are sent away."""
    found = ""
    for name in os.listdir(state):
        pipe = f"{state}/{name}"
        if not name.startswith("warm-") or name == "warm-unfit":
            continue
        if name.startswith(f"warm-{key}-") and not found and _is_open(pipe):
            found = pipe
        else:
            _said(pipe, "leave")
            with suppress(OSError):
                os.unlink(pipe)
    return found


def _is_open(pipe: str) -> bool:
    """Whether somebody reads there; the name alone may be what a killed worker left."""
    try:
        fd = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    os.close(fd)
    return True


def _said(pipe: str, word: str) -> bool:
    try:
        fd = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.write(fd, os.fsencode(f"{word}\n")) > 0
    except OSError:
        return False
    finally:
        os.close(fd)


def _ended(pid: int, until: float) -> bool:
    """Wait for its exit; at the deadline, or when we are told to go, its whole group is ended."""
    before = _heeded()
    try:
        if _is_gone(pid, until):
            return True
        for number in (_signal.SIGTERM, _signal.SIGKILL):
            _kill(pid, number)
            _is_gone(pid, time.monotonic() + GRACE_S)
        return False
    except BaseException:
        _kill(pid, _signal.SIGKILL)
        raise
    finally:
        for number, handler in before.items():
            _signal.signal(number, handler)


def _is_gone(pid: int, until: float) -> bool:
    try:
        pidfd = posix.pidfd_open(pid)
    except ProcessLookupError:
        return True
    except (AttributeError, OSError):
        return _is_gone_by_looking(pid, until)
    try:
        return bool(select.select([pidfd], [], [], max(until - time.monotonic(), 0))[0])
    finally:
        posix.close(pidfd)


def _is_gone_by_looking(pid: int, until: float) -> bool:
    while time.monotonic() < until:
        reap(_started)
        try:
            os.kill(pid, 0)
        except OSError:
            return True
        time.sleep(LOOK_EVERY_S)
    return False


def _kill(pid: int, number: int) -> None:
    with suppress(OSError):
        posix.killpg(pid, number)  # it leads a session of its own


def _heeded() -> dict[int, Any]:
    """Have the signals by which an agent gives up on us reach the worker: it is nobody's child."""

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    try:
        return {
            number: _signal.signal(number, leave)
            for number in (_signal.SIGTERM, _signal.SIGHUP)
            if _signal.getsignal(number) == _signal.SIG_DFL
        }
    except ValueError:  # not the main thread
        return {}


def _unfit(state: str) -> str:
    try:
        return read_file(f"{state}/warm-unfit").decode()
    except OSError:
        return ""


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _captured(path: str) -> Captured:
    stream = Captured()
    with suppress(OSError):
        stream.take(read_file(path))
    return stream
