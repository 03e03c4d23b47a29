"""A process that answers one event at a time: whatever a handler does to it, the server and the other events go on.

Each event meets what a started hook would meet: its own working directory, the environment the server began with, a
handler file run anew, nothing printed where it matters. Installed packages stay imported; that is what saves the time.
"""

import gc
import posix
import resource
import sys

import hookwright.agents.over_http as over_http
import hookwright.bindings as bindings
import hookwright.handlers as handlers
import hookwright.hook as hook
import hookwright.paths as paths
from hookwright.masks import cut
from hookwright.resident.notes import tell
from hookwright.streams import Streams
from hookwright.wire import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS_OF_A_LIFE = 20_000
GROWTH_KB = 16 << 10  # beyond what its first event needed
PRINTED_LIMIT = 400
CHANNEL = 3  # the descriptor of the way to the server
HEAD_OF_A_JOB, HEAD_OF_A_RESULT = 6, 8
PIECE = 1 << 16


def job(payload: bytes, note: str) -> bytes:
    """A frame for a worker: an event, and what has to be told with it."""
    told = note.encode("utf-8", "replace")[:0xFFFF]
    return len(payload).to_bytes(4, "big") + len(told).to_bytes(2, "big") + told + payload


def result(status: int, body: bytes, leaving: bool, told: bool) -> bytes:
    """A frame for the server: the answer, whether this was the worker's last, whether the note has been told."""
    return status.to_bytes(2, "big") + bytes((leaving, told)) + len(body).to_bytes(4, "big") + body


def work(project: str, begun: "Any", slot: int) -> None:
    """Answer events until the server closes the channel. `begun[slot]` says that an event is being handled."""
    streams = Streams()
    bindings.remembered = {}
    worker = _Worker(project, streams.scratch)
    while frame := _frame():
        body = HEAD_OF_A_JOB + int.from_bytes(frame[4:HEAD_OF_A_JOB], "big")
        note, payload = frame[HEAD_OF_A_JOB:body].decode("utf-8", "replace"), frame[body:]
        begun[slot] = 1
        try:
            if worker.serve(payload, note):
                return
        except Exception as error:  # a fault of ours: nobody but the server can answer for us now
            _complain(f"a fault of hookwright's own ({type(error).__name__}: {error})")
            raise


class _Worker:
    def __init__(self, project: str, scratch: int) -> None:
        self.project = project
        self.scratch = scratch
        self.environment = dict(posix.environ)
        self.events = 0
        self.modules = 0
        self.theirs = False  # it has imported code of the user's that cannot be forgotten
        self.enough_kb = 0

    def serve(self, payload: bytes, note: str) -> bool:
        """Answer, then write the journal; True when this was the last event of this process."""
        response = hook.respond(payload, meet=self._meet)
        told = bool(note) and tell(response, note)
        self._after(response)
        leaving = self._old()
        status, body = over_http.answer(response.event_name, response.written)
        try:
            write_all(CHANNEL, result(status, body.encode("utf-8", "replace"), leaving, told))
        except OSError:
            response.notes.append("the server was gone before this answer could be given")
            leaving = True
        try:
            hook.record(response)
        except OSError as error:
            # After the answer: there is nothing to add it to but the next one.
            _complain(f"an event is not in the journal: {error.strerror or error}")
        return leaving

    def _meet(self, raw: "dict[str, Any]") -> None:
        """The folder and the variables of a hook that was started for this event."""
        cwd, session = raw.get("cwd"), raw.get("session_id")
        wanted = dict(self.environment)
        if isinstance(session, str) and session and "\0" not in session:
            wanted[b"CLAUDE_CODE_SESSION_ID"] = session.encode("utf-8", "replace")
        _set_environment(wanted)
        own = paths.start_folder(cwd) if isinstance(cwd, str) and cwd.startswith("/") else self.project
        for folder in (own, self.project, "/"):
            try:
                posix.chdir(folder)
                break
            except (OSError, ValueError):
                continue

    def _after(self, response: hook.Response) -> None:
        """Forget what the event left behind; what was printed is kept with it."""
        if not response.ran:
            return
        try:
            sys.stdout.flush()
        except Exception:  # noqa: S110 - closed or replaced by a handler
            pass
        printed = posix.lseek(self.scratch, 0, 2)
        if printed:
            text = posix.pread(self.scratch, PRINTED_LIMIT, 0).decode("utf-8", "replace")
            response.notes.append(f"printed: {cut(text.strip(), PRINTED_LIMIT)}")
            posix.ftruncate(self.scratch, 0)
            posix.lseek(self.scratch, 0, 0)
        if len(sys.modules) != self.modules:
            handlers.forget()
            self.modules = len(sys.modules)
            self.theirs = self.theirs or _has_theirs()
        handlers.forget_files()

    def _old(self) -> bool:
        """Whether a fresh process should take over: after many events, much growth, or an import that must not stay."""
        self.events += 1
        used_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (10 if sys.platform == "darwin" else 0)
        self.enough_kb = self.enough_kb or used_kb + GROWTH_KB
        tired = self.events >= EVENTS_OF_A_LIFE or used_kb > self.enough_kb
        return tired or self.theirs or "hookwright.config" in sys.modules


def _has_theirs() -> bool:
    """Whether a module is here that its user may edit: neither installed, nor Python's, nor ours.

    Those beside a handler were forgotten. One from elsewhere in the project may be half of something in C, which
    cannot be imported twice.
    """
    known = (f"{sys._stdlib_dir}/", f"{__file__.rpartition('/resident/')[0]}/")  # type: ignore[attr-defined]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or file.startswith(known) or name.startswith(handlers.MODULE):
            continue
        if "-packages/" not in file and "/lib-dynload/" not in file:
            return True
    return False


def _set_environment(wanted: dict[bytes, bytes]) -> None:
    """For `posix`, for `os` where a handler has imported it, and for the C library."""
    now = posix.environ
    os: Any = sys.modules.get("os")
    seen = now if os is None else os.environb._data  # the mapping around it takes a call for each variable
    if now == wanted == seen:
        return
    for name in (now.keys() | seen.keys()) - wanted.keys():
        posix.unsetenv(name)
    for name, value in wanted.items():
        posix.putenv(name, value)
    for known in (now, seen):
        known.clear()
        known.update(wanted)


def _frame() -> bytes:
    """The next job, nearly always in one piece: the server sends no other before this one is done. b"": it is gone."""
    pieces, size, wanted = [b""], 0, HEAD_OF_A_JOB
    while size < wanted:
        piece = posix.read(CHANNEL, max(PIECE, wanted - size))
        if not piece:
            return b""
        pieces.append(piece)
        size += len(piece)
        if wanted == HEAD_OF_A_JOB and size >= HEAD_OF_A_JOB:
            head = b"".join(pieces)[:HEAD_OF_A_JOB]
            wanted += int.from_bytes(head[:4], "big") + int.from_bytes(head[4:], "big")
    return b"".join(pieces)


def _complain(text: str) -> None:
    """Tell the server something that nobody else can be told: a result without a request."""
    try:
        write_all(CHANNEL, result(0, text.encode("utf-8", "replace"), False, False))
    except OSError:
        pass


def warm() -> None:
    """What events need, imported before the first fork: the workers then share its memory."""
    for name in ("agents.claude_code", "command", "dispatch", "edits", "journal", "loops", "masks"):
        __import__(f"hookwright.{name}")
    gc.collect()
    gc.freeze()
