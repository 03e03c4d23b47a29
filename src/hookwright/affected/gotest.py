"""The stream of `go test -json`: tests, packages, and what could not be built."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

from hookwright.affected.contract import Failure, Project, Report, Runner
from hookwright.affected.toolchain import documents, last_words, line_of, unreported
from hookwright.process import Outcome

MOST_LINES = 6
PLACE = re.compile(r"^\s*([^\s:]+\.go):(\d+)(?::\d+)?: ?(.*)")
FRAME = ("=== ", "--- ", "PASS", "FAIL\t", "ok  \t", "exit status ", "# ")


class Stream:
    """What the events said, by package and test."""

    def __init__(self, text: str) -> None:
        self.ended: dict[tuple[str, str], str] = {}  # (package, test) -> pass | fail | skip
        self.said: dict[tuple[str, str], list[str]] = {}
        self.started: list[tuple[str, str]] = []
        self.builds: dict[str, str] = {}  # package -> the build that it failed for
        self.events = 0
        for event in documents(text):
            self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        action = event.get("Action")
        place = (str(event.get("Package") or event.get("ImportPath") or ""), str(event.get("Test") or ""))
        self.events += isinstance(action, str)
        if action in ("output", "build-output"):
            self.said.setdefault(place, []).extend(str(event.get("Output") or "").splitlines())
        elif action == "run":
            self.started.append(place)
        elif action in ("pass", "fail", "skip"):
            self.ended[place] = action
            if event.get("FailedBuild"):
                self.builds[place[0]] = str(event["FailedBuild"])

    def tests(self, action: str) -> list[tuple[str, str]]:
        """The tests that ended so. One with parts is told by its parts."""
        ended = [place for place, how in self.ended.items() if how == action and place[1]]
        parents = {(package, test.rpartition("/")[0]) for package, test in ended}
        return [place for place in ended if place not in parents]


def read_report(project: Project, runner: Runner, outcome: Outcome) -> Report:
    stream = Stream(outcome.stdout.text())
    if not stream.events:
        return unreported(runner.name, outcome)
    failed = stream.tests("fail")
    failures = [_failure(project, runner, stream, place) for place in failed]
    broken: list[Failure] = []
    for package in [package for (package, test), how in stream.ended.items() if how == "fail" and not test]:
        if package not in {name for name, _ in failed}:
            (broken if _never_ran(stream, package) else failures).append(_package(project, runner, stream, package))
    # Before Go 1.24 the compiler's words are not in the stream.
    broken = [each if each.text else replace(each, text=tuple(last_words(outcome, MOST_LINES))) for each in broken]
    ran = [place for place in stream.ended if place[1]]
    return Report(
        failures=failures,
        broken=broken,
        passed=len(stream.tests("pass")),
        skipped=len(stream.tests("skip")),
        ran=[f"{package}.{test}" for package, test in ran],
        collected=len(stream.started),
        problem=f"{broken[0].test} does not build" if broken else "",
        found=True,
        whole=not outcome.timed_out,
    )


def _never_ran(stream: Stream, package: str) -> bool:
    return package in stream.builds or package not in {name for name, _ in stream.started}


def _failure(project: Project, runner: Runner, stream: Stream, place: tuple[str, str]) -> Failure:
    package, test = place
    return _told(project, runner, package, f"{package}.{test}", stream.said.get(place, []))


def _package(project: Project, runner: Runner, stream: Stream, package: str) -> Failure:
    lines = stream.said.get((stream.builds.get(package, package), ""), [])
    return _told(project, runner, package, package, lines)


def _told(project: Project, runner: Runner, package: str, name: str, lines: list[str]) -> Failure:
    """The first place that is named, and the words there."""
    text = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith(FRAME)]
    where = ""
    for at, line in enumerate(text):
        named = PLACE.match(line)
        if named and not where:
            where, text[at] = _where(project, runner, package, named), named[3]
    text = [line for line in text if line][:MOST_LINES]
    return Failure(name, tuple(text), where, line_of(project.root, where) if where else "")


def _where(project: Project, runner: Runner, package: str, named: re.Match[str]) -> str:
    """A test names its file alone, the compiler the path from the folder it was started in."""
    folder = runner.facts.get("folders", {}).get(package, ".")
    inside = os.path.normpath(f"{folder}/{named[1]}")
    path = inside if os.path.exists(f"{project.root}/{inside}") else os.path.normpath(named[1])
    return f"{path}:{named[2]}"
