"""The state of a run: read, and replaced as a whole under a lock, in exactly the schema of the source documents.

It is the one truth about where a run stands. Whoever is killed leaves the state of before or the state of after, and
the system takes the lock back.
"""

import binascii
import fcntl
import posix
import time

from hookwright.errors import Refusal
from hookwright.paths import read_file, replace_file
from hookwright.suite import damage
from hookwright.suite.places import lock_file, make_claude_folder, make_our_folder, mark_file, state_file
from hookwright.suite.results import Results
from hookwright.wire import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

PATIENCE_S = 25.0  # for whoever holds the lock; a `before` command may take its time
LOOK_EVERY_S = 0.01
OPENS, CLOSES = b'\n"results": [\n', b"\n],\n"  # with newlines, which no value has: JSON escapes them
RUNNING, COMPLETED, ABORTED = "running", "completed", "aborted"


def fresh(total: int, started_at: str, category: str | None = None, tag: str | None = None) -> "dict[str, Any]":
    """The state of a run that has just begun; every key of the schema, in its order."""
    return {
        "mode": RUNNING,
        "total_tests": total,
        "current_index": 0,
        "current_test": None,
        "results": Results(),
        "saved_vars": {},
        "filter_category": category,
        "filter_tag": tag,
        "started_at": started_at,
        "completed_at": None,
    }


def look(folder: str) -> bytes:
    """The state as it lies there, b"" where there is none: all that a hook without a run has to pay for."""
    try:
        return read_file(state_file(folder))
    except OSError:
        return b""


def understood(data: bytes, ours: bytes = b"") -> "dict[str, Any] | None":
    """The state in these bytes with every key of the schema; None for no state. Raises Damaged.

    `ours` is the mark of the state that we wrote last; only that one has results that need not be looked at.
    """
    if not data.strip():
        return None
    try:
        if ours == mark_of(data):
            return _checked(_read_ours(data))
        kept = _checked(decode(data))
        written(kept)  # whoever goes on with it will have to
    except NotJson:
        raise Damaged("it is no JSON") from None
    except (ValueError, RecursionError):
        raise Damaged("it has a number that is too big, or is nested too deep") from None
    return kept


def _checked(raw: "Any") -> "dict[str, Any]":
    """A document as a state. Raises Damaged; ValueError or RecursionError for what JSON has no way to write."""
    if not isinstance(raw, dict):
        raise Damaged("it is not a JSON object")
    if isinstance(raw.get("results"), list):
        if wrong := damage.results_fault(raw["results"]):
            raise Damaged(wrong)
        raw["results"] = Results.of(raw["results"])
    given = {key: value for key, value in raw.items() if value is not None}
    state = {key: given.get(key, default) for key, default in fresh(0, "").items()} | {"mode": raw.get("mode")}
    if wrong := damage.fault(state):
        raise Damaged(wrong)
    state["saved_vars"] = {
        name: value if isinstance(value, str) else encode(value) for name, value in state["saved_vars"].items()
    }
    return state


class Damaged(Refusal):
    """The state is there, and is none that we could go on with."""

    def __init__(self, wrong: str) -> None:
        super().__init__(
            f".claude/test-state.json is not a test state: {wrong}. Mend it, or begin anew with"
            " `hookwright suite init --reset` (/run-tests --reset), which keeps it aside."
        )


def set_aside(folder: str) -> str:
    """Keep a damaged state under another name, which is given back."""
    name, number = f"{state_file(folder)}.damaged", 1
    while True:
        aside = f"{name}.{number}" if number > 1 else name
        try:
            posix.stat(aside)
            number += 1
        except FileNotFoundError:
            posix.rename(state_file(folder), aside)
            return aside


def read(folder: str) -> "dict[str, Any] | None":
    """The state of the last run of a project, if there is one. Raises Damaged."""
    kept = understood(look(folder), our_mark(folder))
    if kept is not None and not kept["started_at"]:  # the name of a run: one that somebody else began may have none
        kept["started_at"] = iso(posix.stat(state_file(folder)).st_mtime)
    return kept


def replace(folder: str, state: "dict[str, Any]") -> None:
    """Put a new state in the place of the old one; a reader sees one of the two."""
    make_claude_folder(folder)
    data = written(state)
    replace_file(state_file(folder), data)
    try:
        replace_file(mark_file(folder), mark_of(data))
    except OSError:  # without its mark the state is only read more slowly
        pass


def sweep(folder: str) -> None:
    """Remove what somebody who was killed had half written. Called under the lock: nobody writes now."""
    for path in (state_file(folder), mark_file(folder)):
        place, _, name = path.rpartition("/")
        for left in posix.listdir(place):
            if left.startswith(f"{name}.") and left.endswith(".new"):
                posix.unlink(f"{place}/{left}")


def written(state: "dict[str, Any]") -> bytes:
    """The state as JSON with a line for each result: the others need not be read, or written anew, to add one."""
    results: Results = state["results"]
    names = list(state)
    at = names.index("results")
    head = encode({name: state[name] for name in names[:at]})[:-1].encode()
    tail = encode({name: state[name] for name in names[at + 1 :]})[1:].encode()
    return head + b"," + OPENS + results.data + CLOSES + tail + b"\n"


def _read_ours(data: bytes) -> "Any":
    """The document that we wrote; its results stay as they are."""
    head, _, rest = data.partition(OPENS)
    results, _, tail = rest.rpartition(CLOSES)
    raw = decode(head + tail)
    return {**raw, "results": Results(results)} if isinstance(raw, dict) else raw


def mark_of(data: bytes) -> bytes:
    """By which a state that nobody has touched is known again."""
    return b"%d %d" % (len(data), binascii.crc32(data))


def our_mark(folder: str) -> bytes:
    """The mark of the state that we wrote last; b"" where none is known."""
    try:
        return read_file(mark_file(folder))
    except OSError:
        return b""


def now() -> str:
    """ISO 8601, in the documents' own form."""
    return iso(time.time())


def iso(seconds: float) -> str:
    """A moment in the documents' form."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Locked:
    """`with Locked(folder):` nobody else changes this project's run. The system frees it when we die."""

    def __init__(self, folder: str, patience_s: float = PATIENCE_S) -> None:
        self.folder = folder
        self.patience_s = patience_s
        self.fd = -1

    def __enter__(self) -> "Self":
        try:
            make_our_folder(self.folder)
            flags = posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
            self.fd = posix.open(lock_file(self.folder), flags, 0o600)
        except OSError as error:
            raise Refusal(f"a run cannot be kept in {self.folder}/.hookwright: {error.strerror}.") from error
        until = time.monotonic() + self.patience_s
        while not self._taken():
            if time.monotonic() > until:
                posix.close(self.fd)
                raise Refusal("another process is busy with this run; try again in a moment.")
            time.sleep(LOOK_EVERY_S)
        return self

    def _taken(self) -> bool:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        posix.close(self.fd)
        if isinstance(error, OSError):
            raise Refusal(f"the run cannot be kept: {error.strerror or error}.") from error
