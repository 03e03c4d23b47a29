"""A command that nobody waits for: a detached process of ours runs it and puts what came of it into the journal.

Started as a file, like `boot.py`: `python -I -S background.py`, with the work on stdin and nothing of the agent's open.
"""

import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.bindings import Binding
    from hookwright.events import Event

_started: list[int] = []


def launch(
    event: "Event", binding: "Binding", argv: list[str], variables: dict[bytes, bytes], files: list[str]
) -> None:
    """Hand the work over in a file that has no name any more, and leave. Raises OSError where that cannot be."""
    from hookwright.environment import payload, private_file, remove
    from hookwright.spawn import reap, start
    from hookwright.streams import open_standard_descriptors
    from hookwright.wire import write_all

    folder = binding.options["folder"]
    about = {field: event.raw[field] for field in ("session_id", "tool_name") if field in event.raw}
    event_told = (event.agent, event.event_name, about)
    work = (argv, folder, variables, payload(event), binding.timeout_s, files, binding.name, event_told)
    reap(_started)
    open_standard_descriptors()
    stdin, path = private_file(folder)
    nowhere = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    try:
        remove([path])
        write_all(stdin, marshal.dumps(work))
        posix.lseek(stdin, 0, 0)
        waiter = [sys.executable, "-I", "-S", __file__]
        _started.append(start(waiter, "/", dict(posix.environ), (stdin, nowhere, nowhere)))
    finally:
        posix.close(stdin)
        posix.close(nowhere)


def wait() -> None:
    """The detached process: run the command to its end or its deadline, tell the journal, clean up."""
    from hookwright import journal
    from hookwright.environment import remove
    from hookwright.masks import cut
    from hookwright.process import run
    from hookwright.wire import read_all

    work = marshal.loads(read_all(0))
    argv, folder, variables, stdin, timeout_s, files, name, (agent, event_name, about) = work
    told: dict[str, Any] = {"background": name}
    try:
        outcome = run(argv, cwd=folder, env=variables, stdin=stdin, timeout_s=timeout_s)
        told |= {"exit": outcome.exit_code, "ms": round(outcome.took_ms, 1)}
        problem = outcome.fault()
    except OSError as error:
        problem = f"{argv[0]} cannot be started in {folder}: {error}"
    finally:
        remove(files)
    if problem:
        told["notes"] = [cut(f"{name} failed: {problem}", journal.CUT_AT)]
    journal.append(f"{folder.rstrip('/')}/.", journal.line(agent, event_name, about, told))


if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0])  # last: nothing of ours shadows the library
    wait()
