"""An agent that is kept from stopping is never kept twice for the same reason, nor for ever by ever new ones."""

import posix
import time

from hookwright.masks import cut
from hookwright.paths import make_folders, read_file, replace_file, state_folder
from hookwright.wire import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.reply import Reply

KEPT_AT_MOST = 20  # times in one turn
# For agents and events that do not say whether they were kept before:
TURN_S = 600.0  # after which it is another turn
SAME_AT_MOST = 5  # times for the same reason, which may be right each time
_SESSIONS_KEPT = 50


def let_go_if_told_before(event: "Any", reply: "Reply", config: str) -> None:
    """Take a block (or a context, which keeps the agent going too) out of the reply when it said the same before."""
    told = reply.reason if reply.decision == "deny" else reply.context
    if not told:
        return
    told = _gist(cut(told, 2000))
    try:
        make_folders(config)
        with _Lock(f"{state_folder(config)}/stops.lock"):
            before = _told_before(f"{state_folder(config)}/stops.json", event, told)
    except OSError:  # nothing can be remembered: better one block too few than an endless conversation
        before = [told] * _same_at_most(event)
    why = "for the same reason before" if before.count(told) >= _same_at_most(event) else ""
    if len(before) >= KEPT_AT_MOST:
        why = f"{len(before)} times in this turn"
    if why and not _begins_a_turn(event):
        reply.decision = reply.reason = reply.context = ""
        reply.notes += (f"{event.event_name} was let go: it had been kept {why}.",)


def _gist(text: str) -> str:
    """The same failures in another order, or beside another number of passing tests, are no other reason."""
    words = text.split()
    pairs = zip(words, [*words[1:], ""], strict=True)
    told = [word for word, after in pairs if not (word.isdigit() and after.startswith(("passed", "skipped")))]
    return " ".join(sorted(told))


def _told_before(path: str, event: "Any", told: str) -> list[str]:
    """What was said in this turn before; `told` is remembered now."""
    sessions = _read(path)
    who = f"{event.session_id}/{event.agent_id}{getattr(event, 'teammate_name', '')}"
    at, *before = sessions.pop(who, None) or [0]  # it comes back as the newest
    now = time.time()
    if _begins_a_turn(event) or (not _says_so(event) and abs(now - at) > TURN_S):
        before = []
    enough = before.count(told) >= _same_at_most(event)
    sessions[who] = [now, *before] if enough else [now, *before, told]
    replace_file(path, encode(dict(list(sessions.items())[-_SESSIONS_KEPT:])).encode())
    return before


def _says_so(event: "Any") -> bool:
    """Whether the agent says if it was kept before; many do not, and nobody does of a teammate."""
    return "stop_hook_active" in event.raw


def _begins_a_turn(event: "Any") -> bool:
    return _says_so(event) and not event.stop_hook_active


def _same_at_most(event: "Any") -> int:
    return 1 if _says_so(event) else SAME_AT_MOST


class _Lock:
    """One process at a time; a lock dies with its owner."""

    def __init__(self, path: str) -> None:
        self.fd = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW, 0o600)

    def __enter__(self) -> None:
        import fcntl

        fcntl.flock(self.fd, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        posix.close(self.fd)


def _read(path: str) -> "dict[str, list[Any]]":
    try:
        sessions = decode(read_file(path))
    except (OSError, NotJson):
        return {}
    if not isinstance(sessions, dict):
        return {}
    return {who: told for who, told in sessions.items() if isinstance(told, list) and _has_a_time(told)}


def _has_a_time(told: "list[Any]") -> bool:
    """Whether it begins with when it was told, as we write it."""
    return bool(told) and isinstance(told[0], int | float)
