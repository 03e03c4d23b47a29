"""Bytes that wait until a socket takes them."""

import posix


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
