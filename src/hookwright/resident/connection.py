"""One connection of somebody on this machine: requests in, answers out, one at a time."""

import time

from hookwright.resident import http
from hookwright.resident.loop import READ
from hookwright.resident.outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.resident.forked import Job

SLOWEST_S = 5.0  # for a whole request, from its first byte; and for a connection's first one, from its beginning


class Connection:
    """What has been read of it, and what it waits for."""

    __slots__ = ("closing", "job", "keep_open", "known", "outbox", "reader", "since", "waits_for")

    def __init__(self, fd: int, port: int, token: str) -> None:
        self.outbox = Outbox(fd)
        self.reader = http.Reader(port, token)
        self.job: Job | None = None
        self.keep_open = False
        self.closing = False  # after what is still to be written
        self.known = False  # it has shown the token once
        self.waits_for = READ
        self.since = time.monotonic()

    def read(self) -> bool:
        """Take what has come; False where it is over."""
        piece = self.outbox.received()
        if not piece:
            return piece is None
        if not self.reader.waiting:
            self.since = time.monotonic()
        self.reader.feed(piece)
        return True

    def next_request(self) -> http.Request | None:
        """The next request, once the one before is answered. Raises http.Refused."""
        if self.job is not None or self.closing or self.outbox.left:
            return None
        request = self.reader.next()
        if request is not None:
            self.known, self.keep_open = True, request.keep_open
        elif self.reader.wants_to_be_told():
            self.outbox.send(http.CONTINUE)
        return request

    def answer(self, status: int, body: bytes = b"") -> None:
        """Answer the request that was taken last. Raises OSError."""
        self.job = None
        self.since = time.monotonic()
        self.closing = self.closing or not self.keep_open
        self.outbox.send(http.response(status, body, keep_open=not self.closing))

    def refuse(self, status: int) -> None:
        """Say why, and be done with it. Raises OSError."""
        self.keep_open = False
        self.answer(status)

    @property
    def over(self) -> bool:
        """Whether the last answer is out and no other will be asked for."""
        return self.closing and not self.outbox.left

    def too_slow(self, now: float) -> bool:
        """Whether it keeps a request, or an answer, to itself; one that has been answered may be silent for hours."""
        unfinished = not self.known or self.reader.waiting or bool(self.outbox.left)
        return self.job is None and unfinished and now - self.since > SLOWEST_S
