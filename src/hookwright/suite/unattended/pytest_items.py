"""Suites under pytest: each test an item with its id, its category and tags as markers.

An item that needs others runs them first, once, in its own process: so `-k`, `-n` and a random order are all the same
to a suite.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookwright import paths
from hookwright.errors import Refusal
from hookwright.suite import suites
from hookwright.suite.unattended import one_test, selection
from hookwright.suite.unattended.children import Children
from hookwright.suite.unattended.one_test import Bench, Outcome, Round
from hookwright.suite.unattended.options import Options
from hookwright.suite.unattended.servers import Servers, masked_with
from hookwright.suite.unattended.ways import WAYS, begun, check

Json = dict[str, Any]
# Names that mean something to pytest itself: as tags they can be chosen with -k, but are no markers.
TAKEN = ("skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings", "tryfirst", "trylast")


class Collecting:
    """Finds the suites that were named, and ends their servers when pytest ends."""

    def __init__(self, config: pytest.Config) -> None:
        given = [_absolute(config.invocation_params.dir / name) for name in config.getoption("--hookwright-suite")]
        self._files = [*given, *map(_absolute, config.getini("hookwright_suite"))]
        only_named = config.args_source is pytest.Config.ArgsSource.ARGS  # somebody wants these files, or this test
        self._opened: list[SuiteFile] = []
        try:
            check(via := config.getoption("--hookwright-via"))
        except Refusal as refusal:
            raise pytest.UsageError(str(refusal)) from refusal
        if via not in WAYS:
            raise pytest.UsageError(f"--hookwright-via takes one of: {', '.join(WAYS)}")
        for file in self._files:
            if not file.is_file():
                raise pytest.UsageError(f"there is no suite {file}")
            is_asked = any(file.is_relative_to(_absolute(arg.partition("::")[0])) for arg in config.args)
            if not is_asked and (file in given or not only_named):
                config.args.append(str(file))

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
        if file_path not in self._files:
            return None
        file: SuiteFile = SuiteFile.from_parent(parent, path=file_path)
        self._opened.append(file)
        return file

    def pytest_unconfigure(self) -> None:
        for file in self._opened:
            file.end()


class SuiteFile(pytest.File):
    """One suite; its servers are started when its first test runs."""

    def collect(self) -> Iterator[SuiteItem]:
        try:
            self._suite = suites.load(str(self.path), os.path.relpath(self.path))
            config = paths.find_config(str(self.path.parent))
            self._folder = paths.folder_of(config) if config else str(self.config.rootpath)
            self._servers = Servers(self._suite, self._folder, self.config.getoption("--hookwright-mcp-config"))
            self._servers.check(self._suite.cases, self.config.getoption("--hookwright-via") == "direct")
        except Refusal as refusal:
            raise self.CollectError(str(refusal)) from refusal
        self._secrets = self._servers.secrets()
        self._round = Round(1)
        self._outcomes: dict[str, Outcome] = {}
        self._bench: Bench | None = None
        families = selection.families(self._suite.cases)
        number_of = {case["id"]: number for number, family in enumerate(families) for case in family}
        for case in self._suite.cases:
            yield SuiteItem.from_parent(self, name=case["id"], case=case, family=number_of[case["id"]])

    def outcome(self, name: str) -> Outcome:
        """What a test comes to, after all that it needs; each is run once."""
        for case in selection.with_needed(self._suite.cases, [name]):
            if case["id"] not in self._outcomes:
                index = len(self._outcomes)
                outcome = one_test.run(self._bench or self._begin(), 0, self._round, index, case)
                self._round.statuses[case["id"]] = outcome.status
                self._outcomes[case["id"]] = outcome
        return self._outcomes[name]

    def shown(self, value: Any) -> Any:
        """Without the servers' secrets."""
        return masked_with(self._secrets, value)

    def line_of(self, case: Json) -> int:
        """Where a test stands in the file, counted from 0."""
        return (self._suite.report.marks.get(self._suite.keys[id(case)]) or (1, 1))[0] - 1

    def end(self) -> None:
        """End the servers."""
        if getattr(self, "_bench", None) is not None:
            self._bench.way.close()  # type: ignore[union-attr]
            self._children.__exit__()

    def _begin(self) -> Bench:
        via = self.config.getoption("--hookwright-via")
        self._children = Children().__enter__()
        way = begun(Options(via=via), self._servers, self._folder, self._children)
        self._bench = Bench(way, self._children, self._folder, WAYS[via].timeout_s, one_test.judged)
        return self._bench


class SuiteFailed(Exception):
    """A test of a suite failed; the text says why."""


class SuiteItem(pytest.Item):
    """One test of a suite."""

    parent: SuiteFile

    def __init__(self, *, case: Json, family: int, **options: Any) -> None:
        super().__init__(**options)
        self.case = case
        names = [str(name) for name in (case.get("category"), *case.get("tags", ())) if name]
        self.extra_keyword_matches.update(names)
        for name in names:
            if name not in TAKEN and not name.startswith("_"):
                self.config.addinivalue_line("markers", f"{name}: of a suite (hookwright)")
                self.add_marker(getattr(pytest.mark, name))
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(f"{self.path.name}-{family}"))

    def runtest(self) -> None:
        try:
            outcome = self.parent.outcome(self.name)
        except Refusal as refusal:
            raise SuiteFailed(str(refusal)) from refusal
        self.add_report_section("call", "evidence", self.parent.shown(_evidence(outcome)))
        if outcome.status == "skip":
            pytest.skip(self.parent.shown("; ".join(outcome.failures)))
        if outcome.status == "fail":
            raise SuiteFailed(self.parent.shown("\n".join(outcome.failures)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        if isinstance(excinfo.value, SuiteFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.parent.line_of(self.case), self.name


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))


def _evidence(outcome: Outcome) -> str:
    lines = []
    for call in outcome.seen.evidence.calls:
        lines.append(f"{call.tool} {json.dumps(call.input, ensure_ascii=False)}")
        lines.append(f"{'error' if call.error is not None else 'result'}: {call.text[:4000]}")
    lines += [f"answer: {outcome.seen.evidence.answer}"] if outcome.seen.evidence.answer else []
    lines += [f"after the test: {outcome.after}"] if outcome.after else []
    return "\n".join([*lines, *([outcome.seen.noise] if outcome.seen.noise else [])])
