"""The injected plugin's report, read back: outcomes for the verdict, and what each test ran through for the map."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from hookwright.affected.contract import Failure, Report
from hookwright.affected.python.record import Place


class Reading:
    """All report files of one run (under xdist each worker writes its own)."""

    def __init__(self, prefix: str, root: str) -> None:
        self.root = root
        self.report = Report()
        self.outcomes: dict[str, tuple[str, float]] = {}
        self.failures: dict[str, Failure] = {}
        self.ran: dict[str, Place] = {}
        self.modules: dict[str, Place] = {}
        for path in _files(prefix):
            self._read(path)
        self._count()

    def _read(self, path: str) -> None:
        units: dict[int, tuple[str, str]] = {}
        for line in _lines(path):
            self.report.found = True
            kind = line.get("kind")
            if kind == "unit":
                units[line["n"]] = (line["path"], line["name"])
            elif kind in ("ran", "module"):
                place = Place([units[n] for n in line["units"]], line.get("files", []), line.get("spawns", False))
                into = self.ran if kind == "ran" else self.modules
                into[line["id"]] = _joined(into.get(line["id"]), place)
            elif kind in _TOLD:
                _TOLD[kind](self, line)

    def _test(self, line: dict[str, Any]) -> None:
        before = self.outcomes.get(line["id"], ("passed", 0.0))[0]
        outcome = before if line["outcome"] == "passed" else line["outcome"]
        self.outcomes[line["id"]] = (outcome, line["seconds"])
        if line["outcome"] == "failed":
            self.failures.setdefault(line["id"], self._failure(line))

    def _broken(self, line: dict[str, Any]) -> None:
        self.report.broken.append(self._failure(line))

    def _collected(self, line: dict[str, Any]) -> None:
        self.report.collected = line["tests"]
        self.report.left_out = sorted((test, mark) for test, mark in line["left_out"])

    def _problem(self, line: dict[str, Any]) -> None:
        self.report.problem = line["text"].strip().splitlines()[-1] if line["text"].strip() else line["kind"]

    def _end(self, line: dict[str, Any]) -> None:
        self.report.whole = True

    def _failure(self, line: dict[str, Any]) -> Failure:
        where = line.get("where", "").removeprefix(f"{self.root}/")
        return Failure(line["id"], tuple(line.get("text", ())), where, line.get("line", ""))

    def _count(self) -> None:
        words = [outcome for outcome, _ in self.outcomes.values()]
        self.report.passed, self.report.skipped = words.count("passed"), words.count("skipped")
        self.report.failures = list(self.failures.values())
        self.report.ran = list(self.outcomes)


_TOLD = {
    "test": Reading._test,
    "broken": Reading._broken,
    "collected": Reading._collected,
    "internal": Reading._problem,
    "interrupted": Reading._problem,
    "end": Reading._end,
}


def _joined(known: Place | None, place: Place) -> Place:
    """Two workers may have imported the same module, each running through more or less."""
    if known is None:
        return place
    return Place([*known.units, *place.units], [*known.files, *place.files], known.spawns or place.spawns)


def _files(prefix: str) -> list[str]:
    folder, _, name = prefix.rpartition("/")
    with suppress(OSError):
        return sorted(f"{folder}/{entry}" for entry in os.listdir(folder) if entry.startswith(f"{name}."))
    return []


def _lines(path: str) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf-8", errors="replace") as file:
        for text in file:
            try:
                line = json.loads(text)
            except ValueError:  # the last one of a killed run
                continue
            if isinstance(line, dict):
                yield line
