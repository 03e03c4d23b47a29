"""Every process that a run starts, by its group: none outlives the run, however the run ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GRACE_S = 2.0  # between SIGTERM and SIGKILL
LOOK_EVERY_S = 0.02
SAID = 4_000  # characters of a command's output that are kept
GUARD = str(Path(__file__).with_name("guard.py"))


class Ended(Exception):
    """The run is being ended: nothing new is started."""


@dataclass(frozen=True)
class Done:
    """What came of a command; `exit_code` is None when it was stopped at its deadline."""

    exit_code: int | None
    said: str

    def fault(self, timeout_s: float) -> str | None:
        """What went wrong, with the end of what it said."""
        if self.exit_code == 0:
            return None
        what = f"exit code {self.exit_code}" if self.exit_code is not None else f"timed out after {timeout_s:g} s"
        said = self.said.strip()
        return f"{what}: {said}" if said else what


class Children:
    """The living children of one run."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._lock = threading.RLock()  # a signal's handler may find us inside
        self._guard: subprocess.Popen[bytes] | None = None
        self.ended = False

    def __enter__(self) -> Children:
        command = [sys.executable, "-I", "-S", GUARD]
        self._guard = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.end_all(0)
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait()

    def start(self, argv: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """A child that leads a group of its own. Raises OSError, and Ended while the run is being ended."""
        with self._lock:  # between being started and being known it could not be ended
            if self.ended:
                raise Ended
            process = subprocess.Popen(argv, start_new_session=True, **options)
            self._groups.add(process.pid)
            self._tell(f"+{process.pid}")
        return process

    def forget(self, process: subprocess.Popen[bytes]) -> None:
        """It is gone; whatever it left behind in its group goes too."""
        _signal_group(process.pid, signal.SIGKILL)
        with self._lock:
            self._groups.discard(process.pid)
            self._tell(f"-{process.pid}")

    def stop(self, process: subprocess.Popen[bytes], grace_s: float = GRACE_S) -> None:
        """End one child and its group, first kindly."""
        if grace_s:
            _signal_group(process.pid, signal.SIGTERM)
            try:
                process.wait(grace_s)
            except subprocess.TimeoutExpired:
                pass
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
        self.forget(process)

    def end_all(self, grace_s: float = GRACE_S) -> None:
        """End everybody at once. Whoever waits for a child sees it end."""
        with self._lock:
            self.ended = True
            groups = set(self._groups)
        if grace_s:
            for group in groups:
                _signal_group(group, signal.SIGTERM)
        until = time.monotonic() + grace_s
        while grace_s and time.monotonic() < until and any(_lives(group) for group in groups & self._groups):
            time.sleep(LOOK_EVERY_S)
        for group in groups:
            _signal_group(group, signal.SIGKILL)

    def run(self, argv: Sequence[str], cwd: str, env: Mapping[bytes, bytes], timeout_s: float) -> Done:
        """Run a command to its end or its deadline. Raises OSError, Ended."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        process = self.start(argv, cwd=cwd, env=dict(env), **streams)
        said = bytearray()
        reader = threading.Thread(target=_keep_end, args=(process, said), daemon=True)
        reader.start()
        try:
            exit_code: int | None = process.wait(timeout_s)
            self.forget(process)
        except subprocess.TimeoutExpired:
            exit_code = None
            self.stop(process)
        reader.join(GRACE_S)
        return Done(exit_code, said.decode("utf-8", "replace")[-SAID:])

    def _tell(self, line: str) -> None:
        """Keep the guard informed; a run goes on without one."""
        if self._guard is None or self._guard.stdin is None:
            return
        try:
            self._guard.stdin.write(f"{line}\n".encode())
            self._guard.stdin.flush()
        except OSError:
            self._guard = None


def _keep_end(process: subprocess.Popen[bytes], said: bytearray) -> None:
    assert process.stdout is not None
    with process.stdout as stream:
        while piece := stream.read1(1 << 16):  # type: ignore[attr-defined]
            said += piece
            del said[: -4 * SAID]


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # nobody left; on macOS also where only the dead are left
        pass


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
