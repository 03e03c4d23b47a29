"""One child process: both streams drained, stdin fed, a deadline that ends its whole process group -> Outcome.

The child leads a session of its own: it has no terminal to wait at, and the deadline reaches everything it started,
also what ignores SIGTERM or outlives it. Only a process that left the group by `setsid` or job control gets away. One
that a command leaves running behind it, in time, is left alone: it holds our pipes, never the agent's.
"""

import _signal  # type: ignore[import-not-found]
import posix
import select
import sys
import time

from hookwright.output import KEEP_BYTES, Captured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_S = 0.3  # between SIGTERM and SIGKILL
LINGER_S = 0.2  # how long the pipes may stay open after the child is gone
PIECE = 1 << 16
WITHOUT_PIDFD_MS = 5  # how often we look for the exit where the system cannot tell us


class Outcome:
    """What came of one child. `exit_code` is negative for the signal that ended it, None when it was stopped."""

    __slots__ = ("exit_code", "stderr", "stdout", "timed_out", "took_ms")

    def __init__(
        self, exit_code: int | None, stdout: Captured, stderr: Captured, timed_out: bool, took_ms: float
    ) -> None:
        self.exit_code = exit_code
        self.stdout = stdout
        self.stderr = stderr
        self.timed_out = timed_out
        self.took_ms = took_ms


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
    signals = _raise_on_signals()
    child = _Child(keep_bytes)
    try:
        child.start(argv, cwd, env, stdin)
        child.pump(None if timeout_s is None else started + timeout_s, lambda: child.exited)
        timed_out = not child.exited
        if timed_out:
            child.stop()
        else:
            child.pump(time.monotonic() + LINGER_S, lambda: child.silent)
        exit_code = None if timed_out else child.exit_code()
    except BaseException:
        child.signal_group(_signal.SIGKILL)
        raise
    finally:
        child.close()
        for number in signals:
            _signal.signal(number, _signal.SIG_DFL)
    return Outcome(exit_code, *child.streams, timed_out, (time.monotonic() - started) * 1000)


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

    def start(self, argv: list[str], cwd: str, env: dict[bytes, bytes], stdin: bytes) -> None:
        _open_standard_descriptors()
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
        if self.pidfd >= 0:
            posix.close(self.pidfd)

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
        self.poll.register(self.pidfd, select.POLLIN)
        self.callbacks[self.pidfd] = self._note_exit

    def _note_exit(self, fd: int) -> None:
        del self.callbacks[fd]
        self.poll.unregister(fd)
        self.exited = True

    def _look_for_exit(self) -> None:
        self._reap(posix.WNOHANG)
        self.exited = self.status is not None

    def _reap(self, options: int) -> None:
        if self.status is None:
            pid, status = posix.waitpid(self.pid, options)
            self.status = status if pid else None


def start(argv: list[str], cwd: str, env: dict[bytes, bytes], stdio: tuple[int, int, int]) -> int:
    """Start a program in a session of its own, with these descriptors as its stdin, stdout and stderr -> its pid.

    `subprocess` costs one and a half Python starts. `posix_spawn` is as fast as the C function below it, but knows no
    working directory: it would have to be changed for the whole process, under the feet of a server's other threads.
    """
    words = [_bytes(word) for word in argv]
    try:
        from _posixsubprocess import fork_exec
    except ImportError:
        return _start_slowly(words, cwd, env, stdio)
    fault, fault_end = posix.pipe()
    with_vfork = (True,) if sys.version_info < (3, 14) else ()
    try:
        try:
            pid: int = fork_exec(
                words, _candidates(words[0], env), True, (fault_end,), _bytes(cwd),  # type: ignore[arg-type]
                [name + b"=" + value for name, value in env.items()],
                stdio[0], -1, -1, stdio[1], -1, stdio[2], fault, fault_end,
                True, True, -1, None, None, None, -1, None, *with_vfork,  # type: ignore[arg-type]
            )  # fmt: skip
        except TypeError:  # not public: another Python may have another idea of its arguments
            return _start_slowly(words, cwd, env, stdio)
        finally:
            posix.close(fault_end)
        told = posix.read(fault, 1000)
    finally:
        posix.close(fault)
    if told:
        posix.waitpid(pid, 0)
        raise _fault(told, argv[0], cwd)
    return pid


def _start_slowly(words: list[bytes], cwd: str, env: dict[bytes, bytes], stdio: tuple[int, int, int]) -> int:
    import subprocess

    stdin, stdout, stderr = stdio
    child = subprocess.Popen(
        words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=_bytes(cwd), env=env, start_new_session=True
    )
    child.returncode = 0  # we reap it; nothing is left to do when this object goes
    return child.pid


def _candidates(word: bytes, env: dict[bytes, bytes]) -> list[bytes]:
    """Where a program may be, as the shell would look for it."""
    if b"/" in word:
        return [word]
    return [(folder or b".") + b"/" + word for folder in env.get(b"PATH", b"/usr/bin:/bin").split(b":")]


def _fault(told: bytes, program: str, cwd: str) -> OSError:
    """What the child said instead of becoming the program: `OSError:<errno in hex>:<noexec when it had no folder>`."""
    _, _, rest = told.partition(b":")
    number, _, where = rest.partition(b":")
    errno = int(number or b"0", 16)
    return OSError(errno, posix.strerror(errno), cwd if where.startswith(b"noexec") else program)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _open_standard_descriptors() -> None:
    """Where stdin, stdout or stderr is closed, a pipe of ours would take its number and be mistaken for it."""
    for fd in range(3):
        try:
            posix.fstat(fd)
        except OSError:
            posix.open("/dev/null", posix.O_RDWR)  # the lowest free number: this one


def _raise_on_signals() -> list[int]:
    """Let an agent that gives up on us end the child too: its group is its own, so the signal would miss it."""
    taken = []
    try:
        if _signal.getsignal(_signal.SIGCHLD) == _signal.SIG_IGN:
            _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)  # inherited; exit codes would be lost
        for number in (_signal.SIGTERM, _signal.SIGHUP):
            if _signal.getsignal(number) == _signal.SIG_DFL:
                _signal.signal(number, _leave)
                taken.append(number)
    except ValueError:  # only the main thread may; elsewhere a server looks after its own end
        pass
    return taken


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
