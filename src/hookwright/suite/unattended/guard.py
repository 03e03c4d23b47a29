"""A process of its own that outlives the run only to tidy up: when the run is killed outright, its children are too.

Its input is a pipe that nobody but the run holds. `+PID` names a process group, `-PID` one that is gone; at the end of
the input, whatever is left is killed. Started by its path with `-I -S`, so it imports next to nothing.
"""

import _signal  # type: ignore[import-not-found]
import posix
import time

PIECE = 4096
GRACE_S = 1.0


def main() -> None:
    """Read until the run is gone, then end what it left."""
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, _signal.SIG_IGN)  # what ends the run must not end its guard first
    groups: set[int] = set()
    rest = b""
    while piece := posix.read(0, PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
    for number in (_signal.SIGTERM, _signal.SIGKILL):  # first kindly: an agent has children in other groups to end
        for group in groups:
            try:
                posix.killpg(group, number)
            except OSError:  # it ended by itself
                pass
        if groups and number == _signal.SIGTERM:
            time.sleep(GRACE_S)


if __name__ == "__main__":
    main()
