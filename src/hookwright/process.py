"""One child process: both streams drained, stdin fed, a deadline that ends its whole process group -> Outcome.

The child leads a session of its own: it has no terminal to wait at, and the deadline reaches everything it started,
also what ignores SIGTERM or outlives it. Only a process that left the group by `setsid` or job control gets away. One
that a command leaves running behind it, in time, is left alone: it holds our pipes, never the agent's.
"""

import _signal  # type: ignore[import-not-found]
import posix
import select
import time

from hookwright.masks import masked
from hookwright.output import KEEP_BYTES, Captured
from hookwright.spawn import start
from hookwright.streams import open_standard_descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

GRACE_S = 0.3  # between SIGTERM and SIGKILL
LINGER_S = 0.2  # how long the pipes may stay open after the child is gone
LINES_OF_A_FAULT = 5
PIECE = 1 << 16
WITHOUT_PIDFD_MS = 5  # how often we look for the exit where the system cannot tell us


class Outcome:
    """What came of one child. `exit_code` is negative for the signal that ended it, None when we stopped it."""

    def __init__(
        self, exit_code: int | None, streams: tuple[Captured, Captured], timeout_s: float | None, took_ms: float
    ) -> None:
        self.exit_code = exit_code
        self.stdout, self.stderr = streams
        self.timeout_s = timeout_s
        self.timed_out = exit_code is None
        self.took_ms = took_ms

    def fault(self) -> str:
        """What went wrong, and the first lines that it said about it; "" when nothing did."""
        if self.exit_code == 0:
            return ""
        if self.exit_code is None:
            what = f"timed out after {round(self.timeout_s or 0, 1):g} s, all its processes were stopped"
        else:
            what = f"killed by signal {-self.exit_code}" if self.exit_code < 0 else f"exit code {self.exit_code}"
        said = [line for line in self.stderr.first_lines(LINES_OF_A_FAULT).split("\n") if line.strip()]
        return masked("\n  ".join([f"{what}{':' if said else ''}", *said]))


def run(
    argv: list[str],
    *,
    cwd: str,
    env: dict[bytes, bytes],
    stdin: bytes = b"",
    timeout_s: float | None = None,
    keep_bytes: int = KEEP_BYTES,
) -> Outcome:
    """Run a program to its end or its deadline. Raises OSError when it cannot be started."""
    started = time.monotonic()
    child = _Child(keep_bytes)
    signals = _watch_signals(child)
    try:
        child.start(argv, cwd, env, stdin)
        child.pump(None if timeout_s is None else started + timeout_s, lambda: child.exited)
        if child.exited:
            child.pump(time.monotonic() + LINGER_S, lambda: child.silent)
            exit_code: int | None = child.exit_code()
        else:
            exit_code = None
            child.stop()
    except BaseException:
        child.signal_group(_signal.SIGKILL)
        raise
    finally:
        child.close()
        for number, before in signals.items():
            _signal.signal(number, before)
    return Outcome(exit_code, child.streams, timeout_s, (time.monotonic() - started) * 1000)


class _Child:
    """A running child with our ends of its pipes; `callbacks` are the descriptors we still wait for."""

    def __init__(self, keep_bytes: int) -> None:
        self.streams = (Captured(keep_bytes), Captured(keep_bytes))
        self.callbacks: dict[int, Callable[[int], None]] = {}
        self.poll = select.poll()
        self.open_streams = len(self.streams)
        self.pid = 0
        self.pidfd = -1
        self.exited = False
        self.status: int | None = None
        self.unsent = memoryview(b"")
        self.signal = 0

    def start(self, argv: list[str], cwd: str, env: dict[bytes, bytes], stdin: bytes) -> None:
        open_standard_descriptors()
        theirs: list[int] = []
        try:
            for stream in self.streams:
                ours, end = posix.pipe()
                theirs.append(end)
                self._watch(ours, self._reader(stream), select.POLLIN)
            end, ours = posix.pipe()
            theirs.append(end)
            self._watch(ours, self._feed, select.POLLOUT)
            posix.set_blocking(ours, False)
            self.unsent = memoryview(stdin)
            self._feed(ours)  # most payloads fit into the pipe: nothing is left to wait for
            self.pid = start(argv, cwd, env, (theirs[2], theirs[0], theirs[1]))
        finally:
            for end in theirs:
                posix.close(end)
        self._watch_exit()
        self._leave_if_told()

    def told_to_leave(self, number: int, _frame: object) -> None:
        """A signal for us. While the child is being started it waits: nobody knows yet whom to end."""
        self.signal = number
        if self.pid:
            self._leave_if_told()

    def _leave_if_told(self) -> None:
        if self.signal == _signal.SIGINT:
            raise KeyboardInterrupt
        if self.signal:
            raise SystemExit(128 + self.signal)

    def pump(self, until: float | None, done: "Callable[[], bool]") -> None:
        """Serve the child until something is reached or the time is over."""
        while not done():
            left_ms = None if until is None else (until - time.monotonic()) * 1000
            if left_ms is not None and left_ms <= 0:
                return
            if self.pidfd < 0 and not self.exited:
                left_ms = min(left_ms or WITHOUT_PIDFD_MS, WITHOUT_PIDFD_MS)
                self._look_for_exit()
            for fd, _ in self.poll.poll(left_ms):
                self.callbacks[fd](fd)

    @property
    def silent(self) -> bool:
        """Whether nothing can be heard from the child or its children any more."""
        return self.exited and not self.open_streams

    def stop(self) -> None:
        """End the whole group, first kindly. With a pidfd the child stays unreaped, so its number is not reused."""
        for number in (_signal.SIGTERM, _signal.SIGKILL):
            self.signal_group(number)
            self.pump(time.monotonic() + GRACE_S, lambda: self.silent)
        self._reap(posix.WNOHANG)

    def signal_group(self, number: int) -> None:
        if self.pid:
            try:
                posix.killpg(self.pid, number)
            except OSError:  # nobody left; on macOS also where only the dead are left
                pass

    def exit_code(self) -> int:
        self._reap(0)
        return posix.waitstatus_to_exitcode(self.status or 0)

    def close(self) -> None:
        for fd in list(self.callbacks):
            self._drop(fd)

    def _watch(self, fd: int, callback: "Callable[[int], None]", events: int) -> None:
        self.callbacks[fd] = callback
        self.poll.register(fd, events)

    def _drop(self, fd: int) -> None:
        del self.callbacks[fd]
        self.poll.unregister(fd)
        posix.close(fd)

    def _reader(self, stream: Captured) -> "Callable[[int], None]":
        def read(fd: int) -> None:
            piece = posix.read(fd, PIECE)
            if piece:
                stream.take(piece)
            else:
                self.open_streams -= 1
                self._drop(fd)

        return read

    def _feed(self, fd: int) -> None:
        try:
            while self.unsent:
                self.unsent = self.unsent[posix.write(fd, self.unsent[:PIECE]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # the child does not care for its stdin
            self.unsent = memoryview(b"")
        self._drop(fd)

    def _watch_exit(self) -> None:
        try:
            self.pidfd = posix.pidfd_open(self.pid)
        except (AttributeError, OSError):  # macOS, an old kernel, a strict sandbox
            return
        self._watch(self.pidfd, self._note_exit, select.POLLIN)

    def _note_exit(self, fd: int) -> None:
        self._drop(fd)
        self.exited = True

    def _look_for_exit(self) -> None:
        self._reap(posix.WNOHANG)
        self.exited = self.status is not None

    def _reap(self, options: int) -> None:
        if self.status is None:
            pid, status = posix.waitpid(self.pid, options)
            self.status = status if pid else None


def _watch_signals(child: _Child) -> "dict[int, Any]":
    """Let an agent that gives up on us end the child too: its group is its own, so the signal would miss it."""
    taken: dict[int, Any] = {}
    try:
        if _signal.getsignal(_signal.SIGCHLD) == _signal.SIG_IGN:
            _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)  # inherited; exit codes would be lost
        for number in (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT):
            if _signal.getsignal(number) in (_signal.SIG_DFL, _signal.default_int_handler):
                taken[number] = _signal.signal(number, child.told_to_leave)
    except ValueError:  # only the main thread may; elsewhere a server looks after its own end
        pass
    return taken
