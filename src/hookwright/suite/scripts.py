"""The commands around a test: a suite's `before` and `after`. Variables reach them as environment, never as text."""

import posix
import time

from hookwright.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LONGEST_S = 20.0  # for all of them: the client waits 30 s for the answer to a prompt


def first_fault(scripts: "Sequence[str]", folder: str, test_id: str, known: "Mapping[str, str]") -> str | None:
    """Run them in order until one fails; what it said, or None."""
    until = time.monotonic() + LONGEST_S
    for script in scripts:
        left_s = max(until - time.monotonic(), 0.1)
        try:
            outcome = run(["/bin/sh", "-c", script], cwd=folder, env=environment(test_id, known), timeout_s=left_s)
        except OSError as error:
            return f"cannot be started: {error.strerror}"
        if outcome.exit_code != 0:
            return outcome.fault()
    return None


def environment(test_id: str, known: "Mapping[str, str]") -> dict[bytes, bytes]:
    """What such a command is given: ours, the test and the variables."""
    ours = {"HOOKWRIGHT_TEST_ID": test_id}
    for name, value in known.items():
        ours[f"HOOKWRIGHT_VAR_{name.replace('-', '_').replace('.', '_')}"] = str(value).replace("\0", "")
    return {**posix.environ, **{name.encode(): value.encode("utf-8", "replace") for name, value in ours.items()}}
