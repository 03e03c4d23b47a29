"""What readers of foreign reports share: values that may be anything, reports that broke off, a compiler's words."""

from __future__ import annotations

import os
import re
from typing import Any

from hookwright.affected.contract import Failure, Project, Report
from hookwright.affected.toolchain import line_of, unreported
from hookwright.output import plain
from hookwright.process import Outcome

MOST_LINES = 4
MOST_BROKEN = 5
PLACED = re.compile(r"^(.*?\.\w+:\d+) .*", re.DOTALL)


def fresh(project: Project, name: str) -> str:
    """A file of ours for a report, without what an earlier run left there."""
    path = project.file(name)
    if os.path.lexists(path):
        os.remove(path)
    return path


def speak_utf8(project: Project) -> None:
    """An agent may have no locale; ruby and erlang then stumble over a path with an umlaut in it."""
    names = (b"LC_ALL", b"LC_CTYPE", b"LANG")
    said = next((value for name in names if (value := project.environment.get(name))), b"C")
    if said in (b"C", b"POSIX"):
        project.environment[b"LC_ALL"] = b"C.UTF-8"


def broke_off(runner: str) -> Report:
    """A report without its end says nothing about the tests that it does not name."""
    return Report(found=True, problem=f"the report of {runner} broke off")


def count(report: Report, test: str, how: str) -> None:
    """One test that ran: passed, skipped, or else failed."""
    report.ran.append(test)
    report.passed += how == "passed"
    report.skipped += how == "skipped"


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def lines(said: str) -> tuple[str, ...]:
    """The first lines of a message that say something."""
    return tuple([line.strip() for line in said.splitlines() if line.strip()][:MOST_LINES])


def place_of(test: str) -> str:
    """The `file:line` of a test that is called `file:line description`, by which its runner finds it."""
    return PLACED.sub(r"\1", test)


def failure(root: str, test: str, said: str, path: str, line: str) -> Failure:
    """A failure with the source line of its place, which is told from the project's folder."""
    where = f"{inside(root, path)}:{line}" if path and line else ""
    return Failure(test, lines(said), where, line_of(root, where))


def inside(root: str, path: str) -> str:
    """A path as seen from the project, if it is in it."""
    path = os.path.normpath(os.path.join(root, path.removeprefix("file://")))
    return os.path.relpath(path, root) if path.startswith(f"{root}/") else path


def not_run(root: str, runner: str, outcome: Outcome, complaint: re.Pattern[str]) -> Report:
    """No report. `complaint` finds (file, line, what) where it was the compiler that ended it."""
    told = unreported(runner, outcome)
    if told.problem:
        said = plain(f"{outcome.stderr.text()}\n{outcome.stdout.text()}")
        told.broken = complaints(root, said, complaint)
    if told.broken:
        told.problem = f"{told.broken[0].where.rpartition(':')[0]} does not compile"
    return told


def complaints(root: str, said: str, complaint: re.Pattern[str]) -> list[Failure]:
    found = dict.fromkeys((match["file"], match["line"], match["what"]) for match in complaint.finditer(said))
    return [failure(root, "", what, path, line) for path, line, what in list(found)[:MOST_BROKEN]]
