"""Have a server for a project: find the one that runs, or start one. Cheap enough for a hook to do it at each prompt.

Who starts it opens the port itself and hands it over: events that come while the server still boots wait there.
"""

import _socket
import posix
import sys
import time

from hookwright.resident import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

IDLE_S = 3600.0
WAIT_S = 5.0
BACKLOG = 128
ADDRESS = "127.0.0.1"

# Of one conversation, or of one hook: a server that outlives it must not hand them on.
OF_A_CONVERSATION = (
    b"CLAUDE_CODE_CHILD_SESSION",
    b"CLAUDE_CODE_MESSAGING_SOCKET",
    b"CLAUDE_CODE_MESSAGING_TOKEN",
    b"CLAUDE_CODE_SESSION_ATTENDED",
    b"CLAUDE_CODE_SESSION_ID",
    b"CLAUDE_EFFORT",
    b"CLAUDE_ENV_FILE",
    b"CLAUDE_PID",
    b"COLUMNS",
    b"LINES",
    b"TRACEPARENT",
)


class Started:
    """The server that serves now."""

    __slots__ = ("crashed", "fresh", "moved", "port", "token")

    def __init__(self, port: int, token: str, fresh: bool, crashed: bool, moved: bool) -> None:
        self.port = port
        self.token = token
        self.fresh = fresh  # it was started just now
        self.crashed = crashed  # the one before it did not end by itself
        self.moved = moved  # its port or token is another than the one before had


def start(project: str, idle_s: float = IDLE_S, even_if_stopped: bool = True) -> Started | None:
    """Have exactly one server; None where somebody stopped it and it shall stay so. Raises OSError."""
    lock = state.open_lock(project)
    try:
        until, asked = time.monotonic() + WAIT_S, False
        while not state.take(lock):
            known = state.record(lock)
            if known.get("state") == state.RUNNING:
                token = state.token(project)
                if token and state.is_ours(known.get("maker")):
                    return Started(known["port"], token, False, False, False)
                asked = True
                _ask_to_leave(known)  # of another installation, or with a token that nobody knows any more
            if time.monotonic() > until:
                raise TimeoutError(110, "another server does not make way", state.file(project, state.LOCK))
            time.sleep(0.01)
        before = state.record(lock)
        if before.get("state") == state.STOPPED and not even_if_stopped:
            return None
        crashed = before.get("state") == state.RUNNING and not asked
        return _start(project, lock, before.get("port"), idle_s, crashed)
    finally:
        posix.close(lock)


def stop(project: str, why: str = state.STOPPED) -> bool:
    """End the server, what it is at included; False where there was none. Raises OSError where it does not go."""
    known = state.running(project)
    if not known:
        return False
    _ask_to_leave(known)
    lock = state.open_lock(project)
    try:
        until = time.monotonic() + WAIT_S
        while not state.take(lock):
            if time.monotonic() > until:
                raise TimeoutError(110, f"the server (process {known.get('pid')}) does not end", project)
            time.sleep(0.01)
        state.write_record(lock, known["port"], 0, why)
    finally:
        posix.close(lock)
    return True


def _ask_to_leave(known: "dict[str, Any]") -> None:
    import _signal  # type: ignore[import-not-found]

    pid = known.get("pid")
    if isinstance(pid, int) and pid > 1:
        try:
            posix.kill(pid, _signal.SIGTERM)
        except ProcessLookupError:
            pass


def _start(project: str, lock: int, port_before: object, idle_s: float, crashed: bool) -> Started:
    from hookwright.spawn import start as spawn

    token = state.token(project)
    log = state.open_own(state.file(project, state.LOG), posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC)
    try:
        listener = _listener(port_before if token else 0)
    except OSError:
        posix.close(log)
        raise
    try:
        port: int = listener.getsockname()[1]
        moved = not token or port != port_before
        if moved:  # whoever has the old port now may have been told the old token
            token = state.new_token(project)
        program = f"{__file__.rpartition('/')[0]}/serve.py"
        words = [sys.executable, "-I", "-S", program, project, str(idle_s)]
        pid = spawn(words, "/", environment(project), (listener.fileno(), lock, log))
        try:
            state.write_record(lock, port, pid, state.RUNNING)
        except OSError:
            _ask_to_leave({"pid": pid})  # nobody would find it, and it has the lock
            raise
    finally:
        listener.close()
        posix.close(log)
    return Started(port, token, True, crashed, moved)


def _listener(port: object) -> _socket.socket:
    """The same port as before where it is free, else any."""
    for wanted in (port if isinstance(port, int) and 1024 <= port < 65536 else 0, 0):
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
            listener.bind((ADDRESS, wanted))
            listener.listen(BACKLOG)
            return listener
        except OSError:
            listener.close()
            if not wanted:
                raise
    raise AssertionError("any port would have done")


def environment(project: str) -> dict[bytes, bytes]:
    """What commands and handlers get from the server: what its starter had, without what belongs to a conversation."""
    kept = {name: value for name, value in posix.environ.items() if name not in OF_A_CONVERSATION}
    kept[b"CLAUDE_PROJECT_DIR"] = project.encode("utf-8", "surrogateescape")
    kept[b"CLAUDECODE"] = b"1"
    return kept
