"""One descriptor that is never waited for: what it is still to be sent, and what has come from it."""

import posix

PIECE = 1 << 16


class Outbox:
    """What has still to be written to one descriptor, without ever waiting for it."""

    __slots__ = ("fd", "left")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.left = memoryview(b"")

    def send(self, data: bytes) -> bool:
        """Add to it, and write what can be; True when nothing is left. Raises OSError where nobody listens."""
        self.left = memoryview(bytes(self.left) + data) if self.left else memoryview(data)
        return self.push()

    def push(self) -> bool:
        """Write what can be; True when nothing is left. Raises OSError where nobody listens."""
        while self.left:
            try:
                self.left = self.left[posix.write(self.fd, self.left) :]
            except BlockingIOError:
                return False
        return True

    def received(self) -> bytes | None:
        """What has come: None where nothing has yet, b"" where nothing more will."""
        try:
            return posix.read(self.fd, PIECE)
        except BlockingIOError:
            return None
        except OSError:
            return b""
