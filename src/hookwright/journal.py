"""One JSON line per invocation: what came, what ran, what was answered, how long it took.

Written with a single write to a file opened for appending, so that many processes may write at once. Reading it for
people is `journal_view`'s work.
"""

import posix
import time

from hookwright.masks import cut, is_harmless, trimmed
from hookwright.paths import make_folders, our_folder, refuse_link
from hookwright.wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "journal.jsonl"
ROTATE_AT_BYTES = 8 << 20
KEEP_ROTATED = 3
CUT_AT = 400
DEPTH = 5  # of what is kept of a payload or an answer
PROMPT_CUT_AT = 100  # what a person typed is theirs: enough to recognise, no more

# Told elsewhere in the line, or too large and too private to keep.
_LEFT_OUT = frozenset(
    [
        "session_id",
        "transcript_path",
        "cwd",
        "hook_event_name",
        "prompt_id",
        "permission_mode",
        "effort",
        "scratchpad_dir",
        "tool_name",
        "tool_response",
        "toolResponse",
        "session",
    ]
)
_RESULTS = frozenset(("tool_response",))


def journal_file(config: str) -> str:
    """Where the line goes."""
    return f"{our_folder(config)}/{NAME}"


def line(agent: str, event_name: str, raw: "dict[str, Any]", told: "dict[str, Any]") -> bytes:
    """The journal's line for one event; `told` is what became of it, its `answer` as it was given."""
    kept = without(raw, _LEFT_OUT)
    answer = told.get("answer")
    harmless = is_harmless((event_name, raw.get("session_id"), raw.get("tool_name"), kept, answer), CUT_AT, DEPTH + 1)
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    entry: dict[str, Any] = {
        "time": f"{stamp}.{int(now * 1000) % 1000:03}Z",
        "agent": agent,
        "event": cut(event_name, 100, harmless),
    }
    for name, field in (("session", "session_id"), ("tool", "tool_name")):
        if isinstance(raw.get(field), str):
            entry[name] = cut(raw[field], CUT_AT, harmless)
    about = trimmed(kept, CUT_AT, DEPTH, harmless)
    if isinstance(raw.get("prompt"), str):
        about["prompt"] = cut(raw["prompt"], PROMPT_CUT_AT, harmless)
    if about:
        entry["about"] = about
    entry |= told
    if answer:
        entry["answer"] = trimmed(answer, CUT_AT, DEPTH, harmless)
    return encode(entry).encode() + b"\n"


def without(raw: "dict[str, Any]", names: frozenset[str]) -> "dict[str, Any]":
    """The payload without these fields, in a batch's tool calls too."""
    kept = {key: value for key, value in raw.items() if key not in names}
    calls = kept.get("tool_calls")
    if isinstance(calls, list):
        kept["tool_calls"] = [without(call, _RESULTS) if isinstance(call, dict) else call for call in calls[:10]]
    return kept


def append(config: str, data: bytes) -> None:
    """Add one line. Raises OSError where that cannot be."""
    path = journal_file(config)
    # No link is followed, and no FIFO waited for: the file must be what we made it.
    flags = posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
    try:
        refuse_link(our_folder(config))
        fd = posix.open(path, flags, 0o600)
    except FileNotFoundError:
        make_folders(config)
        fd = posix.open(path, flags, 0o600)
    try:
        if posix.fstat(fd).st_mode != 0o100600:  # a regular file, for its owner only
            posix.fchmod(fd, 0o600)
        posix.write(fd, data)
        if posix.lseek(fd, 0, 1) > ROTATE_AT_BYTES:
            _rotate(path, fd)
    finally:
        posix.close(fd)


def _rotate(path: str, fd: int) -> None:
    """Move a full journal aside. The lock makes one process do it; a lock dies with its owner."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    folder = path.rpartition("/")[0]
    try:
        if posix.stat(path).st_ino == posix.fstat(fd).st_ino:
            posix.rename(path, f"{folder}/journal.{time.time_ns()}.jsonl")
            for old in rotated(folder)[:-KEEP_ROTATED]:
                posix.unlink(old)
    except FileNotFoundError:
        return  # another process has just done it


def rotated(folder: str) -> list[str]:
    """The journals that were moved aside, oldest first."""
    names = [name for name in posix.listdir(folder) if name.startswith("journal.") and name.endswith(".jsonl")]
    return [f"{folder}/{name}" for name in sorted(names) if name != NAME]
