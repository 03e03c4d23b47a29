"""Exit code and report -> verdict. Words in a runner's output decide nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from hookwright.affected.contract import Failure, Report, Selection
from hookwright.process import Outcome

WORDS = ("passed", "failed", "nothing", "timeout", "error")
LAST_LINES = 3


@dataclass
class Verdict:
    """What a run came to."""

    word: str
    language: str
    runner: str
    selection: Selection
    command: list[str] = field(default_factory=list)
    report: Report = field(default_factory=Report)
    failures: list[Failure] = field(default_factory=list)
    problem: str = ""  # why it could not be run
    hint: str = ""
    budget_s: float = 0
    took_ms: float = 0
    cut_off: bool = False
    edited: list[str] = field(default_factory=list)
    root: str = ""

    @property
    def affected(self) -> int | None:
        """How many tests were to run; None where only their files are known."""
        if self.report.collected is None and self.selection.files:
            return None
        return self.report.collected if self.report.collected is not None else len(self.selection.reasons)


def before_the_end(report: Report) -> Report:
    """What a run that we stopped told of tests that had ended. Whatever fails without one (a package, a worker, a
    compiler that names no place) may have failed because we stopped it."""
    ran = set(report.ran)
    report.failures = [each for each in report.failures if each.test in ran]
    report.broken = [each for each in report.broken if each.where]
    return report


def judged(report: Report, outcome: Outcome, runner: str) -> tuple[str, str]:
    """(verdict, what the problem is)."""
    if report.failures:
        return "failed", ""
    if outcome.timed_out:
        return "timeout", ""
    if outcome.exit_code is not None and outcome.exit_code < 0:
        return "error", f"{runner} was killed by signal {-outcome.exit_code}"
    if report.problem:
        return "error", report.problem
    if report.broken:
        return "error", f"{report.broken[0].test or runner} could not be collected"
    if not report.found:
        return _by_exit_code(outcome, runner)
    if not report.whole and outcome.exit_code == 0:
        return "error", f"{runner} ended in the middle of the run, after {len(report.ran)} tests"
    if outcome.exit_code == 0 or outcome.exit_code == NOTHING_COLLECTED.get(runner):
        return ("passed" if report.passed else "nothing"), ""
    return "error", _said(outcome, f"{runner} ended with exit code {outcome.exit_code}, and no test failed")


NOT_STARTED = (125, 126, 127)  # by a container's tool, and by a shell
NOTHING_COLLECTED = {"pytest": 5, "dart test": 79, "flutter test": 79}


def _by_exit_code(outcome: Outcome, runner: str) -> tuple[str, str]:
    """A command of the user's, a package's script: what its codes mean is its own (make has 2, jasmine 3, cargo 101
    for failing tests), but for those of a shell that cannot start it. Only pytest's are known."""
    if outcome.exit_code == 0:
        return "passed", ""
    if outcome.exit_code == NOTHING_COLLECTED.get(runner):
        return "nothing", ""
    if outcome.exit_code == 1 or (runner != "pytest" and outcome.exit_code not in NOT_STARTED):
        return "failed", _said(outcome, "")
    return "error", _said(outcome, f"{runner} ended with exit code {outcome.exit_code}")


def _said(outcome: Outcome, what: str) -> str:
    for stream in (outcome.stderr, outcome.stdout):
        lines = [line.strip() for line in stream.first_lines().splitlines() if line.strip()]
        if lines:
            return "\n".join(filter(None, [what, *lines[-LAST_LINES:]]))
    return what
