"""What is kept of a run in `.hookwright/runs/<id>/`: evidence for each test as it ends, the reports at the end.

Secrets are masked before anything is written, and the whole has a limit.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any

from hookwright.errors import Refusal
from hookwright.paths import replace_file
from hookwright.suite import evidence, places, plan, report_html, report_junit, report_markdown, run_folders, state
from hookwright.suite.evidence import Call, Evidence
from hookwright.suite.report import NOT_RUN, Report, Row
from hookwright.suite.reports import NAME, as_json
from hookwright.suite.suites import Suite
from hookwright.suite.unattended import repeats
from hookwright.suite.unattended.one_test import Outcome
from hookwright.suite.unattended.servers import masked_with

Json = dict[str, Any]
WORST_FIRST = ("fail", NOT_RUN, "skip", "pass")


class TriedRow(Row):
    """A test of an unattended run: how each round went, what it cost, what else was heard."""

    def __init__(self, case: Json, result: Json, kept: Json, rounds: Sequence[str]) -> None:
        super().__init__(case, result, kept)
        self.rounds = list(rounds)
        self.cost_usd = kept.get("cost_usd")
        self.noise = kept.get("noise")
        self.transcript = kept.get("transcript")
        self.repeats = repeats.figures(rounds) if len(rounds) > 1 else None


class Keeper:
    """Keeps one run."""

    def __init__(
        self, suite: Suite, cases: Sequence[Json], folder: str, secrets: Sequence[str], rounds: int, limit_mb: float
    ) -> None:
        self._suite = suite
        self._cases = list(cases)
        self._folder = folder
        self._secrets = secrets
        self._limit = int(limit_mb * 1_000_000)
        self._size = 0
        self._kept: dict[tuple[int, int], Json] = {}
        self._rounds = rounds
        self.note: str | None = None
        self.started_at, self.path = self._place()
        plan.store(self.path, suite, self._cases)

    def _place(self) -> tuple[str, str]:
        try:
            started_at, path = run_folders.new(self._folder)
            run_folders.forget_before(path, places.runs_folder(self._folder), self._conversation())
        except OSError as error:  # a read-only checkout must not keep anybody from testing
            started_at, path = state.now(), tempfile.mkdtemp(prefix="hookwright-run-")
            self.note = f"nothing can be kept in {places.runs_folder(self._folder)} ({error.strerror}); it is in {path}"
        return started_at, path

    def _conversation(self) -> str:
        """The folder of a conversation's run that is on: however many runs of ours go by, it is not forgotten."""
        try:
            kept = state.read(self._folder)
        except Refusal:  # not ours to mend
            kept = None
        if kept is None or kept["mode"] != state.RUNNING:
            return ""
        return places.run_folder(self._folder, str(kept["started_at"]))

    def keep(self, outcome: Outcome) -> None:
        """Write down what came of a test."""
        result = {
            "id": outcome.case["id"],
            "status": outcome.status,
            "failures": self.clean(outcome.failures),
            "timestamp": outcome.timestamp,
        }
        path = self._evidence_file(outcome.index, outcome.round)
        verdict = {
            **result,
            "attempts": outcome.attempts,
            "action": self.clean(str(outcome.case.get("action") or "")),
            "after": self.clean(outcome.after),
            "cost_usd": outcome.seen.cost_usd,
            "noise": self.clean(outcome.seen.noise) or None,
            "transcript": self._transcript(path, outcome.seen.transcript),
        }
        found = outcome.seen.evidence
        if self._size > self._limit:
            found = Evidence(took_ms=found.took_ms)
            verdict |= {"noise": f"not kept: the evidence of this run has reached {self._limit // 1_000_000} MB"}
        try:
            evidence.close(path, verdict, self._without_secrets(found))
            self._size += os.path.getsize(path)
            kept = evidence.judged(path, result["id"])
        except OSError as error:
            kept = verdict
            self.note = f"the evidence cannot be kept: {error.strerror}"
        self._kept[outcome.index, outcome.round] = {**kept, "result": result, "case": self.clean(outcome.case)}

    def report(self, mode: str) -> Report:
        """The report as it stands."""
        head = {"mode": mode, "started_at": self.started_at, "completed_at": state.now()}
        rows = [self._row(index, case) for index, case in enumerate(self._cases)]
        shown = self._suite.path.removeprefix(f"{self._folder}/")
        return Report(self._suite.description, shown, head, rows)

    def _row(self, index: int, case: Json) -> TriedRow:
        found = {number: self._kept.get((index, number), {}) for number in range(1, self._rounds + 1)}
        rounds = [str(one.get("status") or NOT_RUN) for one in found.values()]
        status = next(status for status in WORST_FIRST if status in rounds)
        kept = next(one for one in reversed(found.values()) if str(one.get("status") or NOT_RUN) == status)
        costs = [one["cost_usd"] for one in found.values() if one.get("cost_usd") is not None]
        kept = {**kept, "cost_usd": sum(costs) if costs else None}  # every round was paid for
        result = dict(kept.get("result") or {"id": case["id"]})
        if status == "fail" and self._rounds > 1:
            told = [f"Round {number}: {why}" for number, one in found.items() for why in one.get("failures") or ()]
            result["failures"] = [f"Passed {rounds.count('pass')} of {self._rounds} rounds", *told]
        return TriedRow(kept.get("case") or self.clean(case), result, kept, rounds)  # with the variables of that moment

    def _evidence_file(self, index: int, round: int) -> str:
        path = places.evidence_file(self.path, index)
        return path if round == 1 else f"{path.removesuffix('.jsonl')}-round-{round}.jsonl"

    def _transcript(self, path: str, lines: Sequence[bytes]) -> str | None:
        """Keep the agent's own stream beside the evidence; its path in the run's folder."""
        if not lines or self._size > self._limit:
            return None
        name = f"{path.removesuffix('.jsonl')}.transcript.jsonl"
        text = "".join(self._line(line) for line in lines).encode("utf-8", "replace")
        try:
            replace_file(name, text)
        except OSError:
            return None
        self._size += len(text)
        return os.path.basename(name)

    def _line(self, line: bytes) -> str:
        """A line of a transcript; what it holds is masked, it stays JSON."""
        try:
            return json.dumps(self.clean(json.loads(line)), ensure_ascii=False) + "\n"
        except ValueError:
            return str(self.clean(line.decode("utf-8", "replace")))

    def _without_secrets(self, found: Evidence) -> Evidence:
        calls = [
            Call(one.tool, self.clean(one.input), self.clean(one.result), self.clean(one.error), one.ms, one.id)
            for one in found.calls
        ]
        return Evidence(self.clean(found.answer), calls, found.took_ms, found.seen_tools)

    def clean(self, value: Any) -> Any:
        """Without secrets."""
        return masked_with(self._secrets, value)


def pages(report: Report, about: Json) -> dict[str, str]:
    """The report in each form; `about` is what the run was."""
    figures = {row.id: row.repeats for row in report.rows if isinstance(row, TriedRow) and row.repeats}
    again = f"\n## Repeats\n\n{repeats.table(figures)}\n" if figures else ""
    document = {**as_json(report), "run": about}
    return {
        "md": report_markdown.page(report) + again,
        "json": json.dumps(document, indent=2, ensure_ascii=False) + "\n",
        "xml": report_junit.page(report),
        "html": report_html.page(report),
    }


def write_pages(folder: str, made: dict[str, str]) -> None:
    """All forms into the run's folder. Raises Refusal."""
    for ending, text in made.items():
        try:
            replace_file(f"{folder}/{NAME}.{ending}", text.encode("utf-8", "replace"))
        except OSError as error:
            raise Refusal(f"the report cannot be kept in {folder}: {error.strerror}.") from error
