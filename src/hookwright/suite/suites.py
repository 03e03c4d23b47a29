"""A suite file, found, read and checked: what the rows cannot see by themselves is seen here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from hookwright import paths
from hookwright.errors import Refusal, did_you_mean
from hookwright.shapes import Problem, Report
from hookwright.suite.cases import SUITE
from hookwright.suite.order import circle, in_order
from hookwright.suite.places import SUITE_NAMES
from hookwright.suite.source import nodes_of
from hookwright.suite.variables import is_name, names_in, saved_by
from hookwright.yaml_nodes import NotYaml

Json = dict[str, Any]
Fault = tuple[str, Json, str]
USES_VARIABLES = ("action", "expect", "save", "save_as", "call")


class Suite:
    """A suite as it was read; what is wrong with it is in the report."""

    def __init__(self, path: str, shown_as: str = "") -> None:
        self.path = path
        self.report = Report(shown_as or path)
        values = self._values()
        self.description = str(values.get("description") or "Test Suite")
        self.servers: Json = values.get("servers") or {}
        self.keys = {id(case): f"tests[{index}]" for index, case in enumerate(values.get("tests") or [])}
        whole = [case for case in values.get("tests") or [] if case and case.get("id")]
        self.cases = in_order(whole)
        self._cross_check(whole)

    def _values(self) -> Json:
        try:
            root = nodes_of(paths.read_file(self.path), self.path)
            if root is None:
                raise NotYaml("the file is empty; a suite is a mapping with tests")
            return self.report.read(SUITE, root, "") or {}
        except NotYaml as error:
            self.report.problems.append(Problem(self.report.file, error.line, error.column, "", str(error)))
        except OSError as error:
            raise Refusal(f"{self.report.file} cannot be read: {error.strerror}.") from error
        return {}

    @property
    def problems(self) -> list[Problem]:
        return sorted(self.report.problems)

    def _cross_check(self, cases: Sequence[Json]) -> None:
        found = (self._twice(cases), _dependencies(cases), _circles(self.cases), _variables(self.cases), _undone(cases))
        for problem, case, key in (fault for faults in found for fault in faults):
            self._add(self.report.problems, problem, case, key)
        for case in cases:
            if not case.get("expect"):
                self._add(self.report.warnings, "expects nothing, so it passes whatever happens", case, "")

    def _twice(self, cases: Sequence[Json]) -> Iterator[Fault]:
        first: dict[str, Json] = {}
        for case in cases:
            if first.setdefault(case["id"], case) is not case:
                yield f'"{case["id"]}" is also the id of {self.keys[id(first[case["id"]])]}', case, "id"

    def _add(self, where: list[Problem], text: str, case: Json, key: str) -> None:
        at = self.keys[id(case)]
        inside = f"{at}.{key}" if key else at
        mark = self.report.marks.get(inside) or self.report.marks.get(at) or (1, 1)
        where.append(Problem(self.report.file, *mark, inside, text))


def _dependencies(cases: Sequence[Json]) -> Iterator[Fault]:
    ids = [case["id"] for case in cases]
    for case in cases:
        for name in case.get("depends_on", ()):
            if name not in ids:
                yield f'there is no test "{name}"{did_you_mean(str(name), ids)}'.rstrip("."), case, "depends_on"


def _circles(ordered: Sequence[Json]) -> Iterator[Fault]:
    """A test that stands before one it depends on closes a circle; each is told once."""
    later = {case["id"] for case in ordered}
    for case in ordered:
        if not later.isdisjoint(case.get("depends_on", ())) and (way := circle(ordered, case["id"])):
            yield f"goes in a circle: {' -> '.join(way)}", case, "depends_on"
        later.discard(case["id"])


def _undone(cases: Sequence[Json]) -> Iterator[Fault]:
    for case in cases:
        if not case.get("action") and not case.get("call"):
            yield 'has neither "action" nor "call"', case, ""
        if isinstance(case.get("save_as"), str) and not is_name(case["save_as"]):
            yield "cannot be a variable's name; use letters, digits, _ . -", case, "save_as"


def _variables(cases: Sequence[Json]) -> Iterator[Fault]:
    """Every variable has a source that runs earlier."""
    everywhere = {name: case["id"] for case in cases for name in saved_by(case)}
    known: set[str] = set()
    for case in cases:
        for key in USES_VARIABLES:
            for name in dict.fromkeys(names_in(case.get(key))):
                if name not in known:
                    yield _sourceless(name, everywhere), case, key
        known.update(saved_by(case))


def _sourceless(name: str, everywhere: dict[str, str]) -> str:
    if name in everywhere:
        return f'${{{name}}} is saved by "{everywhere[name]}", which does not run earlier'
    return f"${{{name}}} is saved by no test{did_you_mean(name, everywhere)}".rstrip(".")


def find(folder: str, named: str | None = None) -> str:
    """The suite file that is meant in a folder: the one that is named, else the nearest at or above it."""
    if named:
        path = os.path.join(folder, named)
        if not os.path.isfile(path):
            raise Refusal(f"there is no suite {named}.")
        return path
    here, below = os.path.abspath(folder), ""
    while here != below:
        for name in SUITE_NAMES:
            if os.path.isfile(os.path.join(here, name)):
                return os.path.join(here, name)
        here, below = os.path.dirname(here), here
    raise Refusal(f"there is no {SUITE_NAMES[0]} (or .yaml) here; name one with --suite, or make one: `suite new`.")


def load(path: str, shown_as: str = "") -> Suite:
    """A suite without fault. Raises Refusal with everything that is wrong."""
    suite = Suite(path, shown_as)
    if suite.problems:
        listed = "\n".join(str(problem) for problem in suite.problems[:20])
        raise Refusal(f"the suite has problems; no run was begun:\n{listed}")
    return suite
