"""One run and how it goes on: begun, a test taken, judged, skipped, taken back, ended.

All of it happens under the lock, on the state in memory; `save` then replaces the file once.
"""

import time

from hookwright.errors import Refusal
from hookwright.suite import damage, places, plan, run_folders, state, verdicts
from hookwright.suite import evidence as seen
from hookwright.suite.order import Filters
from hookwright.suite.patterns import Budget
from hookwright.suite.readiness import why_not
from hookwright.suite.results import Results
from hookwright.suite.scripts import first_fault
from hookwright.suite.secrets import hidden
from hookwright.suite.variables import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Run:
    """A run as it stands."""

    def __init__(self, folder: str, kept: "dict[str, Any]") -> None:
        self.folder = folder
        self.state = kept
        self.notes: list[str] = []  # what a person should know beside the answer
        self.plan = plan.of_run(folder, kept)
        planned = self.plan[self.index]["id"] if self.index < self.total else ""
        if wrong := damage.fault_of_plan(kept, self.total, planned):
            raise state.Damaged(wrong)
        self.path = places.run_folder(folder, kept["started_at"])

    @property
    def running(self) -> bool:
        return bool(self.state["mode"] == state.RUNNING)

    @property
    def index(self) -> int:
        return int(self.state["current_index"])

    @property
    def total(self) -> int:
        return len(self.plan)

    @property
    def current(self) -> "dict[str, Any] | None":
        test: dict[str, Any] | None = self.state["current_test"]
        return test

    def in_hand(self) -> "dict[str, Any] | None":
        """The current test as it is judged. From the plan: the state's JSON cannot tell a saved 3 from "3"."""
        if self.current is None:
            return None
        test: dict[str, Any] = filled(self.plan[self.index], self.state["saved_vars"])
        return test

    @property
    def results(self) -> Results:
        results: Results = self.state["results"]
        return results

    @property
    def evidence_path(self) -> str:
        return places.evidence_file(self.path, self.index)

    def save(self) -> None:
        state.replace(self.folder, self.state)

    def tally(self) -> "dict[str, int]":
        """How many tests of the plan came out how: as the report counts them."""
        statuses = self.results.statuses()
        found = [statuses.get(self.plan[index]["id"]) for index in range(self.total)]
        return {status: found.count(status) for status in damage.STATUSES}

    def now(self) -> str:
        """This moment; never before the run's start, which may be dated a second later than it was."""
        return max(state.now(), str(self.state["started_at"])) if _is_ours(self.state["started_at"]) else state.now()


def _is_ours(moment: str) -> bool:
    return len(moment) == len(state.now()) and moment.endswith("Z")


class Verdict:
    """What came of a test: its status and why; `again` when it is to be tried once more."""

    __slots__ = ("again", "attempt", "case", "failures", "status", "unsaved")

    def __init__(
        self,
        case: "dict[str, Any]",
        status: str,
        failures: list[str],
        unsaved: "list[str] | None" = None,
        again: bool = False,
        attempt: int = 1,
    ) -> None:
        self.case = case
        self.status = status
        self.failures = failures
        self.unsaved = unsaved or []
        self.again = again
        self.attempt = attempt


def opened(folder: str) -> Run:
    """The project's run, whatever its mode. Raises Refusal where there is none."""
    kept = state.read(folder)
    if kept is None:
        raise NoRun
    return Run(folder, kept)


class NoRun(Refusal):
    """Nobody has begun one."""

    def __init__(self) -> None:
        super().__init__("no test run here; begin one with /run-tests or `hookwright suite init`.")


def begin(folder: str, named: str | None, filters: Filters, reset: bool, start: str = "") -> tuple[Run, bool]:
    """(the run, whether it is a new one): one that is on is resumed unless `reset`. Called under the lock."""
    kept = None if reset else state.read(folder)
    if kept and kept["mode"] == state.RUNNING:
        run = Run(folder, kept)
        if named or str(filters):
            asked_for = ", ".join(filter(None, (named and f"suite {named!r}", str(filters))))
            run.notes.append(f"Not applied: {asked_for}. A run goes on with the tests it began with.")
        return run, False
    suite = plan.suite_of(folder, named, start)
    cases = plan.selected(suite, filters)
    started_at, path = run_folders.new(folder)
    plan.store(path, suite, cases)
    run = Run(folder, state.fresh(len(cases), started_at, filters.category, filters.tag))
    if reset and (aside := _kept_aside(folder)):
        run.notes.append(f"The state of before could not be gone on with; it is kept as {aside}.")
    run.save()
    state.sweep(folder)
    run_folders.forget_before(path, places.runs_folder(folder))
    return run, True


def _kept_aside(folder: str) -> str:
    """Where a state went that nobody can go on with; "" where there was none."""
    try:
        kept = state.read(folder)
        if kept and kept["mode"] == state.RUNNING:
            Run(folder, kept)
        return ""
    except Refusal:
        return state.set_aside(folder)


def take(run: Run) -> "dict[str, Any] | None":
    """The current test, or the next that can run; None at the end. What cannot run is skipped with its reason."""
    while run.running and run.current is None:
        if run.index >= run.total:
            end(run, state.COMPLETED)
            break
        case = run.plan[run.index]
        reason = why_not(case, run.results.status_of, run.state["saved_vars"])
        if reason is not None:
            _record(run, case, "skip", [reason])
        elif (
            fault := first_fault(case.get("before", ()), run.folder, case["id"], run.state["saved_vars"])
        ) is not None:
            _record(run, case, "fail", [f"Before the test: {fault}"])
        else:
            run.state["current_test"] = filled(case, run.state["saved_vars"])
            seen.given(run.evidence_path, time.time())
    return run.current


def judge(run: Run, answer: str, seen_tools: bool, may_retry: bool = False) -> Verdict:
    """Judge the current test on what was seen of it and on the answer, record it, go one further."""
    case = run.in_hand()
    if case is None:
        raise Refusal("no test is current; type `next` for one.")
    run.plan.make_patterns_known(run.index)
    found = seen.since_given(run.evidence_path, answer, time.time(), seen_tools)
    with Budget():  # one for judging and saving
        reasons = verdicts.failures(case, found)
        kept, unsaved = verdicts.saved(case, found)
    failures: list[str] = hidden(reasons, {**run.state["saved_vars"], **kept}) if reasons else []
    attempt = seen.attempts(run.evidence_path) + 1
    if failures and may_retry and attempt <= case.get("retries", 0):
        seen.add_attempt(run.evidence_path, failures)
        seen.given(run.evidence_path, time.time())
        return Verdict(case, "fail", failures, again=True, attempt=attempt)
    earlier = {name: run.state["saved_vars"].get(name) for name in kept}
    run.state["saved_vars"].update(kept)
    status = "fail" if failures else "pass"
    _record(run, case, status, failures, found, attempt, earlier)
    return Verdict(case, status, failures, unsaved, attempt=attempt)


def skip(run: Run) -> "dict[str, Any]":
    """Skip the current test, or the next one where none is current."""
    if run.current is None and run.index >= run.total:
        raise Refusal("no test is left to skip.")
    case = run.current or run.plan[run.index]
    _record(run, case, "skip", [])
    return case


def end(run: Run, mode: str) -> None:
    """The run is over."""
    run.state |= {"mode": mode, "current_test": None, "completed_at": run.now()}


def _record(
    run: Run,
    case: "dict[str, Any]",
    status: str,
    failures: list[str],
    found: seen.Evidence | None = None,
    attempts: int = 0,
    earlier: "dict[str, str | None] | None" = None,
) -> None:
    """Write down the result. The evidence goes first: a state that names a result has its evidence on disk."""
    known = run.state["saved_vars"]
    result = {"id": case["id"], "status": status, "failures": hidden(failures, known), "timestamp": run.now()}
    was_given = found is not None or run.current is not None
    after = case.get("after", ()) if was_given else ()
    fault = first_fault(after, run.folder, case["id"], known)
    told = {"action": case.get("action", ""), "expect": case.get("expect") or []}  # with the variables of this moment
    verdict = {**result, **told, "attempts": attempts, "after": hidden(fault, known), "earlier": earlier}
    seen.close(run.evidence_path, verdict, found or seen.Evidence(), known)
    run.results.append(result)
    run.state |= {"current_index": run.index + 1, "current_test": None}
    if run.index >= run.total:
        end(run, state.COMPLETED)


def is_on(folder: str) -> bool:
    """Whether a run is under way."""
    kept = state.read(folder)
    return kept is not None and kept["mode"] == state.RUNNING
