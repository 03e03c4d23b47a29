# mypy: ignore-errors
# ruff: noqa: UP031 - it must also run on Python 3.8, in an environment that we know nothing of
"""A failed report of pytest, as short as it can be understood."""

import linecache
import re

LINES_OF_A_FAILURE = 6
LONGEST_LINE = 300
FRAME = re.compile(r"\S.*:\d+: in ")  # as pytest begins one; files outside of the project have another kind of path


def failure(report):
    """The assertion, and where it failed: what a reader needs of a traceback."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        lines = _of_the_project([line for line in str(report.longrepr or "").splitlines() if line.strip()])
        return {"text": [line[:LONGEST_LINE] for line in lines[-LINES_OF_A_FAILURE:]], "where": ""}
    text = [line[:LONGEST_LINE] for line in crash.message.splitlines()[:LINES_OF_A_FAILURE] if line.strip()]
    return {"text": text, "where": "%s:%s" % (crash.path, crash.lineno), "line": _line(crash)}


def _of_the_project(lines):
    """A traceback from its first frame in the project on: what imports a file of tests is nobody's business."""
    frames = [place for place, line in enumerate(lines) if FRAME.match(line)]
    own = [place for place in frames if not lines[place].startswith(("/", ".."))]
    return lines[own[0] :] if own else lines


def _line(crash):
    """The source line that failed; pytest's own search for it parses the file anew for each line of a traceback."""
    return linecache.getline(str(crash.path), crash.lineno).strip()[:LONGEST_LINE]
