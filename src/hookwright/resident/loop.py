"""Wait until one of many descriptors can be read or written, and call whoever watches it."""

import _signal  # type: ignore[import-not-found]
import posix
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

READ, WRITE = select.POLLIN, select.POLLOUT


class Loop:
    """`asyncio` would be 9 MB and a tenth of a second; this is a table of descriptors."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._callbacks: dict[int, Callable[[int], None]] = {}

    def watch(self, fd: int, callback: "Callable[[int], None] | None", to_write: bool = False) -> None:
        """Call this when there is something to read, or room to write; None: no longer."""
        if callback is None:
            if self._callbacks.pop(fd, None):
                self._poll.unregister(fd)
            return
        self._callbacks[fd] = callback
        self._poll.register(fd, READ | (WRITE if to_write else 0))

    def wait_for(self, fd: int, what: int) -> None:
        """Watch the same descriptor for something else: READ, WRITE, or 0 for nothing but its end."""
        self._poll.modify(fd, what)

    def once(self, wait_ms: float) -> None:
        """Wait, and call."""
        for fd, _ in self._poll.poll(wait_ms):
            if fd in self._callbacks:  # one before it may have ended this one
                self._callbacks[fd](fd)

    def nothing_came(self) -> bool:
        """Whether nobody waits to be called."""
        return not self._poll.poll(0)


def signals(*numbers: int) -> int:
    """A descriptor that can be read when one of these has come; it gives their numbers."""
    heard, told = posix.pipe()
    posix.set_blocking(heard, False)
    posix.set_blocking(told, False)
    _signal.set_wakeup_fd(told)
    for number in numbers:
        _signal.signal(number, lambda *_: None)
    return heard
