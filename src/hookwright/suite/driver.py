"""Which conversation has the current test: only its events count, and only while it goes about the test."""

import posix
import sys

from hookwright.paths import read_file, replace_file
from hookwright.suite import state
from hookwright.suite.places import driver_file
from hookwright.wire import NotJson, decode, encode

SHAPE = [str, int, bool, int, str, str, float]
# The same words again, that soon after our answer, were never the agent's. A second hook of the same Stop is started
# beside the first and comes before its answer, or just after; with a scripted model a new Stop was seen after 0.07 s.
AT_ONCE_S = 0.02
CLIENTS_CAP = 8  # blocks in a row, without a tool call between them, before the client lets the agent stop anyway


class Driver:
    """Who drives, how far it is from the client's cap, and which Stop was the last that counted."""

    __slots__ = ("at", "blocks", "hook", "index", "paused", "session", "stop")

    def __init__(self, session: str = "", index: int = -1, paused: bool = False, blocks: int = 0) -> None:
        self.session = session
        self.index = index
        self.paused = paused
        self.blocks = blocks  # since the last tool call
        self.hook = ""  # the registration whose Stops count: the first that came; another's are the same ones again
        self.stop = ""  # the last that counted, in short
        self.at = 0.0  # when it had been answered, by the clock that never goes back

    def has(self, session: str) -> bool:
        """Whether this conversation has the current test in hand."""
        return bool(self.session) and self.session == session and not self.paused

    def counts(self, stop: str, arrived: float, first: bool) -> bool:
        """Whether this Stop is a new one. Where we are registered twice, in settings and by a plugin, each comes twice.

        The `first` after a prompt cannot come again; of a later one, only the time tells whether it did.
        """
        if self.hook not in ("", registration()):
            return False
        again = stop == self.stop and (first or -state.PATIENCE_S < arrived - self.at < AT_ONCE_S)
        if not again:
            self.hook, self.stop = registration(), stop
        return not again


def read(run: str) -> Driver:
    """The driver of a run; nobody, where none is known."""
    try:
        kept = decode(read_file(driver_file(run)))
    except (OSError, NotJson):
        return Driver()
    if not isinstance(kept, list) or [type(value) for value in kept] != SHAPE:
        return Driver()
    driver = Driver(*kept[:4])
    driver.hook, driver.stop, driver.at = kept[4:]
    return driver


def write(run: str, driver: Driver) -> None:
    """Keep the driver; called under the lock."""
    kept = [driver.session, driver.index, driver.paused, driver.blocks, driver.hook, driver.stop, driver.at]
    replace_file(driver_file(run), encode(kept).encode())


def registration() -> str:
    """Which of the agent's registrations started this process."""
    plugin = posix.environ.get(b"CLAUDE_PLUGIN_ROOT", b"").decode("utf-8", "replace")
    return f"{plugin} {sys.executable} {__file__}"


def cap() -> int:
    """How many blocks in a row the client takes; 0 for any number."""
    given = posix.environ.get(b"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", b"")
    return int(given) if given.isdigit() else CLIENTS_CAP
