"""An agent that is kept from stopping is never kept twice for the same reason."""

from hookwright.masks import cut
from hookwright.paths import make_folders, read_file, replace_file, state_folder
from hookwright.wire import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.reply import Reply

_SESSIONS_KEPT = 50


def let_go_if_told_before(event: "Any", reply: "Reply", config: str) -> None:
    """Take a block (or a context, which keeps the agent going too) out of the reply when it said the same before."""
    told = reply.reason if reply.decision == "deny" else reply.context
    if not told:
        return
    told = cut(told, 2000)
    path = f"{state_folder(config)}/stops.json"
    sessions = _read(path)
    who = f"{event.session_id}/{event.agent_id}"
    before: list[str] = sessions.pop(who, []) if event.stop_hook_active else []
    repeated = told in before
    sessions[who] = before if repeated else [*before, told]
    remembered = _write(config, path, sessions)
    if event.stop_hook_active and (repeated or not remembered):
        reply.decision = reply.reason = reply.context = ""
        reply.notes += (f"{event.event_name} was let go: it had been kept for the same reason before.",)


def _read(path: str) -> dict[str, list[str]]:
    try:
        sessions = decode(read_file(path))
    except (OSError, NotJson):
        return {}
    if not isinstance(sessions, dict):
        return {}
    return {who: told for who, told in sessions.items() if isinstance(told, list)}


def _write(config: str, path: str, sessions: dict[str, list[str]]) -> bool:
    newest = dict(list(sessions.items())[-_SESSIONS_KEPT:])
    try:
        make_folders(config)
        replace_file(path, encode(newest).encode())
    except OSError:
        return False
    return True
