"""The agent's stdin, stdout and stderr, kept for ourselves while other people's code runs."""

import posix
import sys

from hookwright.wire import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.hook import Response

PRINTED_LIMIT = 1 << 20


class Streams:
    """What a handler prints goes to a scratch file, and from there to stderr.

    Nothing that it starts inherits the agent's pipes: the client refuses an answer whose pipe a left-over child
    holds open.
    """

    def __init__(self) -> None:
        open_standard_descriptors()
        self.out, self.err, self.scratch = posix.dup(1), posix.dup(2), _scratch_file()  # dup: no child inherits it
        posix.dup2(self.scratch, 1)
        posix.dup2(self.scratch, 2)

    def hand_over(self, response: "Response") -> int:
        """Give the agent its answer -> the exit code; where nobody listens, an answer without its text is none."""
        heard = self.answer(response.written.stdout, response.stderr)
        exit_code = response.written.exit_code if heard else 0
        if response.ran and not exit_code:  # beside a block by exit code, stderr is the model's
            self.pass_on_what_was_printed()
        return exit_code

    def answer(self, stdout: str, stderr: str) -> bool:
        """Hand the answer over; False where nobody listens any more."""
        try:
            write_all(self.out, stdout.encode("utf-8", "replace"))
            write_all(self.err, stderr.encode("utf-8", "replace"))
        except OSError:
            return False
        return True

    def pass_on_what_was_printed(self) -> None:
        """After the answer, for it matters less; a handler may have done anything to sys.stdout."""
        try:
            sys.stdout.flush()
        except Exception:  # closed, replaced by None, or on a closed descriptor
            pass
        try:
            printed = posix.fstat(self.scratch).st_size
            if printed:
                from hookwright.output import plain  # it may be a tool's output that the handler printed

                text = posix.pread(self.scratch, min(printed, PRINTED_LIMIT), 0).decode("utf-8", "replace")
                write_all(self.err, plain(text).encode("utf-8", "replace"))
        except OSError:
            pass


def open_standard_descriptors() -> None:
    """Where stdin, stdout or stderr is closed, a file of ours would take its number and be mistaken for it."""
    for fd in range(3):
        try:
            posix.fstat(fd)
        except OSError:
            posix.open("/dev/null", posix.O_RDWR)  # the lowest free number: this one


def _scratch_file() -> int:
    try:
        return posix.memfd_create("hookwright")
    except (AttributeError, OSError):  # macOS has none: what is printed there is dropped
        return posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
