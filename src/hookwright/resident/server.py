"""The server: one loop that reads, hands events to workers and writes answers. No handler ever runs in it."""

import _signal  # type: ignore[import-not-found]
import _socket
import posix
import sys
import time

from hookwright import __version__
from hookwright.agents.over_http import NOT_ANSWERED
from hookwright.resident import http, state
from hookwright.resident.connection import Connection
from hookwright.resident.forked import Job
from hookwright.resident.loop import READ, WRITE, Loop, signals
from hookwright.resident.pool import LONGEST_S, SLOW_S, Pool
from hookwright.wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CONNECTIONS = 512
TICK_S = 0.5  # how often we look around while something goes on, and ...
SLOW_TICK_S = 5.0  # ... while nothing does
DRAIN_S = 3.0  # for events under way when we are told to leave
NOTES_KEPT = 10


class Server:
    """All that one process serves."""

    def __init__(self, listener: _socket.socket, lock: int, project: str, token: str, idle_s: float) -> None:
        self.listener, self.lock, self.project, self.token = listener, lock, project, token
        self.port: int = listener.getsockname()[1]
        self.idle_s = idle_s
        self.loop = Loop()
        self.connections: dict[int, Connection] = {}
        self.pool = Pool(project, self.loop.watch, self._done, self._complain)
        self.unsaid: list[str] = []  # for the next event that has words for a person
        self.events = 0
        self.began = self.last_event = self.looked = time.monotonic()
        self.package = state.package_identity()
        self.outdated_at = 0.0  # since when it is another one, and we begin again as soon as nothing is under way
        self.leave_at = 0.0  # told to leave: at the latest then
        self.end = ""  # why the loop is over

    def serve(self, idle: "Callable[[], None]") -> str:
        """Until told to leave ("") or installed anew ("again"); calls `idle` where nobody has needed us for long."""
        self.listener.setblocking(False)
        self.loop.watch(self.listener.fileno(), self._accept)
        self.loop.watch(signals(_signal.SIGTERM, _signal.SIGINT, _signal.SIGCHLD), self._signal)
        _signal.signal(_signal.SIGHUP, _signal.SIG_IGN)
        self.pool.keep_ready()
        while not self.end:
            self.loop.once(self._wait_ms())
            self.pool.hand_out()
            self.pool.keep_ready()
            now = time.monotonic()
            if now - self.looked >= TICK_S:
                self._look_around(now, idle)
            self._leave_if_told(now)
        self.pool.close()
        for connection in list(self.connections.values()):
            self._hang_up(connection)
        return "" if self.end == "left" else self.end

    def _wait_ms(self) -> float:
        if self.pool.queue:
            return SLOW_S * 1000
        quiet = not self.pool.busy and not self.leave_at and all(c.known for c in self.connections.values())
        return (SLOW_TICK_S if quiet else TICK_S) * 1000

    def _accept(self, _fd: int) -> None:
        try:
            fd, _ = self.listener._accept()  # type: ignore[attr-defined]
        except BlockingIOError:  # it has gone again
            return
        except OSError:  # no descriptors left
            self._make_room()
            return
        posix.set_blocking(fd, False)
        self.connections[fd] = Connection(fd, self.port, self.token)
        self.loop.watch(fd, self._ready)
        if len(self.connections) > CONNECTIONS:
            self._make_room()

    def _make_room(self) -> None:
        """Rather a stranger goes, the oldest first, than somebody who has shown the token."""
        idle = [connection for connection in self.connections.values() if connection.job is None]
        strangers = [connection for connection in idle if not connection.known]
        for connection in (strangers or idle)[:1]:
            self._hang_up(connection)

    def _ready(self, fd: int) -> None:
        """A connection can be read from or written to."""
        connection = self.connections[fd]
        try:
            if connection.outbox.left:
                connection.outbox.push()
            elif not connection.read():
                self._hang_up(connection)
                return
            self._take_requests(connection)
        except OSError:
            self._hang_up(connection)

    def _take_requests(self, connection: Connection) -> None:
        """Everything that can be done with a connection now. Raises OSError where it is over."""
        try:
            while request := connection.next_request():
                if request.path == b"/status":
                    connection.answer(200, self._status())
                else:
                    self._event(connection, request.body)
        except http.Refused as refused:
            connection.refuse(refused.status)
        if connection.over:
            self._hang_up(connection)
        else:
            self._listen_to(connection)

    def _listen_to(self, connection: Connection) -> None:
        """Wait for what is of use next: nobody who sends on and on, or does not read, keeps us busy."""
        wanted = READ
        if connection.outbox.left:
            wanted = WRITE
        elif connection.job is not None and connection.reader.full:
            wanted = 0
        if wanted != connection.waits_for:
            connection.waits_for = wanted
            self.loop.wait_for(connection.outbox.fd, wanted)

    def _event(self, connection: Connection, payload: bytes) -> None:
        self.events += 1
        self.last_event = time.monotonic()
        connection.job = job = Job(connection, payload)
        job.note, self.unsaid = "\n".join(self.unsaid), []
        self.pool.add(job)

    def _done(self, job: Job, status: int, body: bytes, told: bool) -> None:
        """What became of an event; status 0: its worker died over it."""
        if job.note and not told:
            self.unsaid = [*job.note.split("\n"), *self.unsaid]
        connection = job.connection
        if connection is None:
            return
        if not status:
            self._complain("an event went unanswered: the process that handled it was killed, or ended itself")
        try:
            connection.answer(status or NOT_ANSWERED, body)
            self._take_requests(connection)  # one may have been sent before this was answered
        except OSError:
            self._hang_up(connection)

    def _hang_up(self, connection: Connection) -> None:
        fd = connection.outbox.fd
        if self.connections.pop(fd, None) is None:
            return
        self.loop.watch(fd, None)
        posix.close(fd)
        if connection.job is not None:
            self.pool.abandon(connection.job)

    def _complain(self, text: str) -> None:
        if text not in self.unsaid:
            self.unsaid = [*self.unsaid, text][-NOTES_KEPT:]

    def _status(self) -> bytes:
        told = {
            "pid": posix.getpid(),
            "port": self.port,
            "version": __version__,
            "python": sys.executable,
            "project": self.project,
            "events": self.events,
            "uptime_s": round(time.monotonic() - self.began, 1),
            "workers": [worker.pid for worker in self.pool.workers.values() if worker.stays],
            "under_way": sum(worker.job is not None for worker in self.pool.workers.values()),
            "connections": len(self.connections),
        }
        return encode(told).encode()

    def _look_around(self, now: float, idle: "Callable[[], None]") -> None:
        self.looked = now
        self.pool.look_around(now)
        for connection in [each for each in self.connections.values() if each.too_slow(now)]:
            self._hang_up(connection)
        if self.leave_at:
            return
        if not self._has_its_place():
            self.outdated_at = 0.0
            self._leave(now + DRAIN_S)
        elif self.outdated_at:
            if now - self.outdated_at > LONGEST_S:  # never quiet for so long: nobody is let in until it is
                self._leave(now + LONGEST_S)
        elif state.package_identity() not in (self.package, ""):
            self.outdated_at = now
        elif now - self.last_event > self.idle_s and not self.pool.busy:
            self.last_event = now  # once; whoever is asked to stop us does, or we ask again
            idle()

    def _has_its_place(self) -> bool:
        """Whether the lock we hold is the one that others look at: the project may have been removed under us."""
        try:
            return posix.stat(state.file(self.project, state.LOCK)).st_ino == posix.fstat(self.lock).st_ino
        except OSError:
            return False

    def _leave(self, at_the_latest: float) -> None:
        """Let nobody in any more; who comes now waits at the port, for a server that begins again, or for its end."""
        self.leave_at = self.leave_at or at_the_latest
        self.loop.watch(self.listener.fileno(), None)

    def _leave_if_told(self, now: float) -> None:
        if (self.leave_at and now > self.leave_at) or ((self.leave_at or self.outdated_at) and self._quiet()):
            self.end = "again" if self.outdated_at else "left"

    def _quiet(self) -> bool:
        """Whether nothing is under way, nor half said, nor has just come."""
        open_ended = any(each.reader.waiting or not each.known for each in self.connections.values())
        return not self.pool.busy and not open_ended and self.loop.nothing_came()

    def _signal(self, fd: int) -> None:
        numbers = posix.read(fd, 512)
        if _signal.SIGTERM in numbers or _signal.SIGINT in numbers:
            soon = time.monotonic() + DRAIN_S
            self.leave_at = min(self.leave_at or soon, soon)  # however often we are told
            self.outdated_at = 0.0  # to leave, not to begin again
            self._leave(soon)
