"""What is started as the server: `python -I -S serve.py PROJECT IDLE_S`, with the port as stdin and the lock as stdout.

Both are handed over open, so that an event which comes before this process is up waits instead of being refused.
"""

import posix
import sys

sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0].rpartition("/")[0])  # last: nothing of ours shadows


def main(project: str, idle_s: float) -> None:
    """Serve, and leave a record that says how it ended."""
    import _socket

    from hookwright.resident import state, worker
    from hookwright.resident.server import Server

    listener, lock = _socket.socket(fileno=posix.dup(0)), posix.dup(1)
    nowhere = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    for fd in (0, 1):
        posix.dup2(nowhere, fd)
    posix.close(nowhere)
    token = state.token(project)
    if not token:  # removed since it was made; the next prompt makes another
        posix._exit(1)
    worker.warm()
    server = Server(listener, lock, project, token, idle_s)
    state.write_record(lock, server.port, posix.getpid(), state.RUNNING)
    if server.serve(lambda: _ask_to_be_stopped(project)) == "again":
        posix.dup2(listener.fileno(), 0)
        posix.dup2(lock, 1)
        posix.execv(sys.executable, [sys.executable, "-I", "-S", __file__, project, str(idle_s)])
    try:
        state.write_record(lock, server.port, 0, state.IDLE)
    except OSError:  # the project is gone
        pass
    posix._exit(0)


def _ask_to_be_stopped(project: str) -> None:
    """The verb knows the agent's settings; we, who are kept small, do not."""
    from hookwright.resident.apart import run_apart

    try:
        run_apart(project, "resident", "stop", "--idle")
    except OSError:  # asked again after another while
        pass


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
