"""One run: project and edited files -> selected tests -> a process with a deadline -> verdict."""

from __future__ import annotations

import time
from collections.abc import Callable

from hookwright.affected.changes import remember
from hookwright.affected.contract import Language, Project, Runner, Selection
from hookwright.affected.languages.table import language
from hookwright.affected.verdict import Verdict, before_the_end, judged
from hookwright.process import GRACE_S, Outcome, run

LEAST_S = 1.0  # a run is given at least this, however long the selection took
REPORT_BYTES = 64 << 20  # some runners report on stdout
USAGE_ERROR = 4  # pytest's: an argument names no test


def affected(project: Project, edited: list[str]) -> Verdict | None:
    """Run what an edit can break; None where there is no framework."""
    return _checked(project, lambda spoken, runner: spoken.select(project, runner, edited), edited)


def everything(project: Project) -> Verdict | None:
    """Run all tests, and record them."""
    return _checked(project, lambda spoken, runner: spoken.select_all(project, runner), [])


def selected(project: Project, edited: list[str]) -> Verdict | None:
    """Only choose; the verdict is "nothing"."""
    spoken = language(project.language)
    runner = spoken.runner(project)
    if runner is None:
        return None
    return Verdict("nothing", project.language, runner.name, spoken.select(project, runner, edited), root=project.root)


def _checked(project: Project, choose: Callable[[Language, Runner], Selection], edited: list[str]) -> Verdict | None:
    began = time.monotonic()
    spoken = language(project.language)
    runner = spoken.runner(project)
    if runner is None:
        return None
    selection = choose(spoken, runner)
    verdict = Verdict("nothing", project.language, runner.name, selection, budget_s=project.budget_s)
    verdict.edited, verdict.root = edited, project.root
    if selection.reasons:
        _run(project, spoken, runner, verdict, began)
        remember(project.state, project.root, edited, verdict.word in ("passed", "nothing"))
    verdict.took_ms = (time.monotonic() - began) * 1000
    return verdict


def _run(project: Project, spoken: Language, runner: Runner, verdict: Verdict, began: float) -> None:
    selection = verdict.selection
    try:
        outcome = _started(project, spoken, runner, verdict, began)
    except OSError as error:
        verdict.word, verdict.problem = "error", f"{runner.argv[0]} cannot be started: {error.strerror}"
        return
    told = spoken.report(project, runner, selection, outcome)
    verdict.report = before_the_end(told) if outcome.timed_out else told
    if outcome.exit_code == USAGE_ERROR and not verdict.report.ran and len(selection.files) < len(selection.reasons):
        _run_whole_files(project, spoken, runner, verdict, began)
        return
    verdict.word, verdict.problem = judged(verdict.report, outcome, runner.name)
    verdict.failures = verdict.report.failures
    verdict.cut_off = outcome.timed_out
    failed = [failure.test for failure in (*verdict.failures, *verdict.report.broken) if failure.test]
    verdict.hint = spoken.hint(project, runner, failed or selection.tests)


def _started(project: Project, spoken: Language, runner: Runner, verdict: Verdict, began: float) -> Outcome:
    verdict.command = spoken.argv(project, runner, verdict.selection)
    left_s = _left_s(project, began)
    if runner.ahead:
        outcome: Outcome | None = runner.ahead(verdict.command, left_s)
        if outcome is not None:
            return outcome
        verdict.command = spoken.argv(project, runner, verdict.selection)  # what a dead one told does not count
        left_s = _left_s(project, began)
    return run(verdict.command, cwd=project.root, env=project.environment, timeout_s=left_s, keep_bytes=REPORT_BYTES)


def _left_s(project: Project, began: float) -> float:
    return max(project.budget_s - (time.monotonic() - began) - GRACE_S, LEAST_S)


def _run_whole_files(project: Project, spoken: Language, runner: Runner, verdict: Verdict, began: float) -> None:
    """The runner refused them all for one that is no more, or for a new file: let it look into the known files."""
    reasons: dict[str, str] = {}
    for test, why in verdict.selection.reasons.items():
        if "::" in test:
            reasons.setdefault(test.split("::")[0], why)
    verdict.selection = Selection(verdict.selection.kind, reasons, tuple(reasons))
    _run(project, spoken, runner, verdict, began)
