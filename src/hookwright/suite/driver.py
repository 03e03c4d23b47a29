"""Which conversation has the current test: only its events count, and only while it goes about the test."""

import posix

from hookwright.paths import read_file, replace_file
from hookwright.suite.places import driver_file
from hookwright.wire import NotJson, decode, encode

CLIENTS_CAP = 8  # blocks in a row, without a tool call between them, before the client lets the agent stop anyway


class Driver:
    """Who drives, and how far it is from the client's cap."""

    __slots__ = ("blocks", "index", "paused", "session")

    def __init__(self, session: str = "", index: int = -1, paused: bool = False, blocks: int = 0) -> None:
        self.session = session
        self.index = index
        self.paused = paused
        self.blocks = blocks  # since the last tool call

    def has(self, session: str) -> bool:
        """Whether this conversation has the current test in hand."""
        return bool(self.session) and self.session == session and not self.paused


def read(run: str) -> Driver:
    """The driver of a run; nobody, where none is known."""
    try:
        kept = decode(read_file(driver_file(run)))
    except (OSError, NotJson):
        return Driver()
    if not isinstance(kept, list) or len(kept) != 4:
        return Driver()
    session, index, paused, blocks = kept
    return Driver(str(session), index if isinstance(index, int) else -1, bool(paused), int(blocks or 0))


def write(run: str, driver: Driver) -> None:
    """Keep the driver; called under the lock."""
    kept = [driver.session, driver.index, driver.paused, driver.blocks]
    replace_file(driver_file(run), encode(kept).encode())


def cap() -> int:
    """How many blocks in a row the client takes; 0 for any number."""
    given = posix.environ.get(b"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", b"")
    return int(given) if given.isdigit() else CLIENTS_CAP
