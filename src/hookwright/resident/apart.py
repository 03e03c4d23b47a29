"""A verb of ours, run in a process that nobody waits for: it may load what a hook or a server must not."""

import posix
import sys

from hookwright.spawn import start

_VERB = "import sys; sys.path.append(sys.argv[1]); from hookwright.cli import main; sys.exit(main(sys.argv[2:]))"


def run_apart(project: str, *words: str) -> None:
    """Start `hookwright WORDS` in a project. Raises OSError."""
    source = __file__.rpartition("/")[0].rpartition("/")[0].rpartition("/")[0]
    nowhere = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    try:
        argv = [sys.executable, "-I", "-c", _VERB, source, *words]
        start(argv, project, dict(posix.environ), (nowhere, nowhere, nowhere))
    finally:
        posix.close(nowhere)
