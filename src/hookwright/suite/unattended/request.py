"""A run as it was asked for: everything that can be wrong is found before the first test begins."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Any, TextIO

from hookwright.errors import COULD_NOT, DONE, NO, Refusal
from hookwright.suite import packages, reports, suites
from hookwright.suite.messages import totals_line
from hookwright.suite.order import Filters
from hookwright.suite.plan import selected
from hookwright.suite.report import Report
from hookwright.suite.unattended import history, keeping, selection
from hookwright.suite.unattended.children import Children
from hookwright.suite.unattended.display import Display
from hookwright.suite.unattended.one_test import Outcome, Way
from hookwright.suite.unattended.options import FORMS, Options
from hookwright.suite.unattended.running import Running, Watcher
from hookwright.suite.unattended.servers import Servers
from hookwright.suite.unattended.ways import WAYS, begun, check

Json = dict[str, Any]


@dataclass
class Ending:
    """What a run came to, for people and for the shell."""

    exit_code: int
    told: list[str] = field(default_factory=list)


class Request:
    """A run that can begin. Raises Refusal where it cannot."""

    def __init__(self, options: Options, folder: str) -> None:
        check(options.via)
        packages.reachable()
        self._options = options
        self._folder = folder
        self.notes: list[str] = []
        named = os.path.abspath(options.suite) if options.suite else None
        path = suites.find(folder, named)
        self._suite = suites.load(path, os.path.relpath(path))
        self._servers = Servers(self._suite, folder, options.mcp_config)
        self._in_other_shards: list[Json] = []
        self._cases = self._chosen()
        self._servers.check(self._cases, directly=options.via == "direct")
        self._baseline = history.load(options.baseline) if options.baseline else None
        self._check_outputs()

    @property
    def timeout_s(self) -> float:
        return self._options.timeout or WAYS[self._options.via].timeout_s

    def _chosen(self) -> list[Json]:
        options = self._options
        cases = selected(self._suite, Filters(options.category, options.tag, options.id))
        if options.failed:
            cases = self._failed_last(cases)
        if options.shard:
            chosen = selection.in_shard(cases, selection.shard_of(options.shard))
            self._in_other_shards = [case for case in cases if case not in chosen]
            return chosen
        return cases

    def _failed_last(self, cases: list[Json]) -> list[Json]:
        failed = history.last_failures(self._folder, self._suite.path.removeprefix(f"{self._folder}/"))
        failed = failed and [case["id"] for case in self._suite.cases if case["id"] in failed]  # others are gone since
        if not failed:
            why = "no earlier run of this suite is kept" if failed is None else "nothing failed last"
            self.notes.append(f"--failed: {why}, so all tests run")
            return cases
        chosen = selection.with_needed(cases, failed)
        if not chosen:
            raise Refusal(f"no test that failed last ({', '.join(failed)}) is among those chosen.")
        return chosen

    def _check_outputs(self) -> None:
        for name in FORMS:
            path = getattr(self._options, name)
            if path is None:
                continue
            above = os.path.dirname(os.path.abspath(path))
            if not os.path.isdir(above):
                raise Refusal(f"--{name} {path}: there is no folder {above}.")
            writable = path if os.path.exists(path) and not os.path.isfile(path) else above
            if os.path.isdir(path) or not os.access(writable, os.W_OK):
                raise Refusal(f"--{name} {path} cannot be written.")

    def run(self, stream: TextIO) -> Ending:
        """Run it, and write every report."""
        options, began = self._options, time.monotonic()
        units = selection.units(self._cases, options.jobs, options.seed)
        jobs = max(1, min(options.jobs, len(units) * options.repeat))
        secrets = self._servers.secrets()
        with Children() as children:
            way = begun(options, self._servers, self._folder, children)
            running = Running(
                way,
                children,
                self._folder,
                timeout_s=self.timeout_s,
                jobs=jobs,
                ends_run=self._ends_run,
                isolate=options.isolate,
            )
            with running:
                try:
                    keeper = keeping.Keeper(
                        self._suite, self._cases, self._folder, secrets, options.repeat, options.evidence_mb
                    )
                    display = Display(stream, len(self._cases), options.repeat, options.quiet, keeper.clean)
                    index_of = {case["id"]: index for index, case in enumerate(self._cases)}
                    running.run(units, index_of, options.repeat, _Both(keeper, display))
                    display.close()
                finally:
                    way.close()
                report = keeper.report("aborted" if running.signal else "completed")
                return self._ended(keeper, report, running.signal, began, self._may_be_silent(way))

    def _may_be_silent(self, way: Way) -> bool:
        """Whether it is no fault when nothing ran here: other shards have tests that can."""
        return any(not case.get("skip") and way.why_not(case) is None for case in self._in_other_shards)

    def _ends_run(self, outcome: Outcome) -> bool:
        """Whether no further test begins after this one."""
        known = history.verdicts(self._baseline) if self._baseline else {}
        return self._options.fail_fast and outcome.status == "fail" and known.get(outcome.case["id"]) != "fail"

    def _ended(self, keeper: keeping.Keeper, report: Report, signal: int, began: float, may_be_silent: bool) -> Ending:
        costs = [cost for row in report.rows if (cost := getattr(row, "cost_usd", None)) is not None]
        about = {
            "via": self._options.via,
            "jobs": self._options.jobs,
            "repeat": self._options.repeat,
            "seed": self._options.seed,
            "shard": self._options.shard,
            "took_s": round(time.monotonic() - began, 3),
            "cost_usd": round(sum(costs), 6) if costs else None,
        }
        made = keeping.pages(report, about)
        keeping.write_pages(keeper.path, made)
        told = self._written(made, keeper.path)
        counted = report.summary
        told.append(totals_line(*(counted[key] for key in ("total", "passed", "failed", "skipped"))).replace("**", ""))
        told += [f"Cost: ${about['cost_usd']:.4f}"] if about["cost_usd"] else []
        told += [f"Note: {keeper.note}"] if keeper.note else []
        told.append(f"Evidence: {os.path.relpath(keeper.path)} (in {about['took_s']:.1f} s)")
        return self._verdict(report, signal, told, may_be_silent)

    def _written(self, made: dict[str, str], run_folder: str) -> list[str]:
        """Write the pages that were asked for, and the markdown beside the suite; what speaks against the latter."""
        for name, ending in FORMS.items():
            path = getattr(self._options, name)
            if path is not None:
                reports.write(os.path.abspath(path), made[ending])
        if self._options.markdown is not None:
            return []
        beside = reports.beside(self._suite.path)
        if note := reports.not_replaced(beside, run_folder):
            return [f"Note: {note}"]
        try:
            reports.write(beside, made["md"])
        except Refusal as refusal:  # nobody asked for it by name
            return [f"Note: {refusal}"]
        return []

    def _verdict(self, report: Report, signal: int, told: list[str], may_be_silent: bool) -> Ending:
        counted = report.summary
        failed = [row.id for row in report.named("fail")]
        if self._baseline is not None:
            now = {"results": [{"id": row.id, "status": row.status} for row in report.rows]}
            worse = history.regressions(now, self._baseline)
            told.append(f"Against the baseline: {len(worse)} regressions, {len(failed) - len(worse)} known failures")
            told += [f"  regression: {name}" for name in worse]
            failed = worse
        if signal:
            return Ending(128 + signal, [*told, "The run was ended before it was done."])
        if failed:
            return Ending(NO, told)
        if counted["not_run"]:
            return Ending(COULD_NOT, [*told, f"{counted['not_run']} tests did not run: the budget is spent."])
        if not counted["passed"] and not counted["failed"]:
            why = "all of them were skipped" if self._cases else f"shard {self._options.shard} has none"
            return Ending(DONE if may_be_silent else COULD_NOT, [*told, f"No test ran: {why}."])
        return Ending(DONE, told)


class _Both(Watcher):
    """Keeps each outcome, then shows it."""

    def __init__(self, keeper: keeping.Keeper, display: Display) -> None:
        self._keeper = keeper
        self._display = display
        self.live = display.live
        self.began = display.began  # type: ignore[method-assign]
        self.tick = display.tick  # type: ignore[method-assign]

    def ended(self, lane: int, outcome: Outcome) -> None:
        self._keeper.keep(outcome)
        self._display.ended(lane, outcome)
