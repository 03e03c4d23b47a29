"""One worker as the server sees it: how it is forked, the channel to it, its end."""

import _signal  # type: ignore[import-not-found]
import _socket
import posix
import time

from hookwright.resident import worker
from hookwright.resident.outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap

    from hookwright.resident.connection import Connection

ENDING = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)


class Job:
    """One event on its way."""

    __slots__ = ("connection", "given", "note", "payload")

    def __init__(self, connection: "Connection", payload: bytes) -> None:
        self.connection: Connection | None = connection  # None: whoever asked has gone
        self.payload = payload
        self.note = ""
        self.given = 0  # how often to a worker


class Result:
    """What a worker says: an answer, or with status 0 a complaint that no event asked for."""

    __slots__ = ("body", "leaving", "status", "told")

    def __init__(self, status: int, leaving: bool, told: bool, body: bytes) -> None:
        self.status = status
        self.leaving = leaving  # it was the worker's last
        self.told = told  # so was the note that came with the event
        self.body = body


class Worker:
    """One forked process."""

    __slots__ = ("frames", "job", "leaving", "outbox", "pid", "served", "since", "slot", "told_to_end")

    def __init__(self, pid: int, fd: int, slot: int) -> None:
        self.pid = pid
        self.outbox = Outbox(fd)
        self.slot = slot
        self.frames = bytearray()
        self.job: Job | None = None
        self.since = time.monotonic()  # it got its job, or its last one was done
        self.served = False  # it has answered something
        self.leaving = False  # it has said that its last answer was its last
        self.told_to_end = 0.0

    @property
    def stays(self) -> bool:
        """Whether it can be given another event."""
        return not self.leaving and not self.told_to_end

    def read(self) -> bool:
        """Take what has come; False where the worker is gone."""
        piece = self.outbox.received()
        self.frames += piece or b""
        return piece is None or bool(piece)

    def next_result(self) -> Result | None:
        """The next thing that it has said to its end."""
        head = worker.HEAD_OF_A_RESULT
        size = int.from_bytes(self.frames[4:head], "big")
        if len(self.frames) < head + size:
            return None
        status, leaving, told = int.from_bytes(self.frames[:2], "big"), bool(self.frames[2]), bool(self.frames[3])
        body = bytes(self.frames[head : head + size])
        del self.frames[: head + size]
        return Result(status, leaving, told, body)

    def end(self, number: int) -> None:
        """Send it a signal."""
        try:
            posix.kill(self.pid, number)
        except ProcessLookupError:
            pass


def fork(project: str, begun: "mmap.mmap", slot: int) -> Worker | None:
    """One more worker; None where the system has no room for it."""
    try:
        ours, theirs = _socket.socketpair()
    except OSError:
        return None
    # A signal for a newborn worker would still find the server's own way to hear of signals, and end the server.
    _signal.pthread_sigmask(_signal.SIG_BLOCK, ENDING)
    try:
        pid = posix.fork()
        if pid == 0:
            _live(theirs.fileno(), project, begun, slot)
    except OSError:
        ours.close()
        return None
    finally:
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, ENDING)
        theirs.close()
    ours.setblocking(False)
    return Worker(pid, ours.detach(), slot)


def bury() -> None:
    """Reap whoever is dead."""
    try:
        while posix.waitpid(-1, posix.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _live(channel: int, project: str, begun: "mmap.mmap", slot: int) -> None:
    """The forked process: nothing of the server's stays open in it. Never returns."""
    try:
        _signal.set_wakeup_fd(-1)
        for number in (*ENDING, _signal.SIGCHLD):
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, ENDING)
        posix.dup2(channel, worker.CHANNEL, False)
        posix.closerange(worker.CHANNEL + 1, 1 << 16)
        worker.work(project, begun, slot)
    except BaseException:  # noqa: S110 - the server sees that it is gone and says so
        pass
    finally:
        posix._exit(0)
