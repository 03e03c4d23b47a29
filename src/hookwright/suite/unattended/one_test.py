"""One test from its readiness to its verdict: skipped with a reason, or tried, judged and tried again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from hookwright.suite import state, verdicts
from hookwright.suite.readiness import why_not
from hookwright.suite.scripts import environment
from hookwright.suite.unattended.children import Children, Ended
from hookwright.suite.unattended.seen import Seen
from hookwright.suite.variables import filled

Json = dict[str, Any]
SCRIPTS_S = 60.0  # for a `before` or `after` command
# Kinds that say what an error must be. Without one, a call that failed would pass unseen: its tool may not have run.
ABOUT_ERRORS = ("tool_error", "contains", "icontains", "regex", "equals", "starts_with")


class Judged(NamedTuple):
    """What speaks against a test, what it saves for others, and what it should have saved."""

    failures: list[str]
    saved: dict[str, str]
    unsaved: list[str]


class Way(Protocol):
    """How tests are tried: by direct calls, or by a headless agent."""

    name: str

    def why_not(self, case: Json) -> str | None:
        """The reason for which a test cannot be tried this way."""

    def attempt(self, lane: int, case: Json, timeout_s: float) -> Seen:
        """Try a test once."""

    def may_go_on(self) -> bool:
        """Whether another test may be tried at all."""

    def fresh(self, lane: int) -> None:
        """The next test of this lane begins with nothing that an earlier one left."""

    def close(self) -> None:
        """End whatever is open."""


@dataclass
class Round:
    """One pass through the suite: what its tests saved and came to."""

    number: int
    saved: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)


@dataclass
class Outcome:
    """What came of one test in one round."""

    index: int
    round: int
    case: Json
    status: str
    failures: list[str]
    attempts: int = 0
    seen: Seen = field(default_factory=Seen)
    after: str | None = None
    unsaved: list[str] = field(default_factory=list)
    timestamp: str = field(default_factory=state.now)


@dataclass
class Bench:
    """What a test is tried with."""

    way: Way
    children: Children
    folder: str
    timeout_s: float
    judge: Callable[[Json, Seen], Judged]  # handed to the main thread: only there can a regex be ended


def run(bench: Bench, lane: int, place: Round, index: int, case: Json) -> Outcome:
    """Bring a test to its verdict. Raises Ended when the run is ended under it."""
    reason = why_not(case, place.statuses.get, place.saved) or bench.way.why_not(case)
    if reason is not None:
        return Outcome(index, place.number, filled(case, place.saved), "skip", [reason])
    fault = _first_fault(bench, case.get("before", ()), case["id"], place)
    ready: Json = filled(case, place.saved)
    if fault is not None:
        return Outcome(index, place.number, ready, "fail", [f"Before the test: {fault}"])
    outcome = _tried(bench, lane, place, index, ready)
    outcome.after = _first_fault(bench, case.get("after", ()), case["id"], place)
    return outcome


def _tried(bench: Bench, lane: int, place: Round, index: int, case: Json) -> Outcome:
    limit_s = float(case.get("timeout") or bench.timeout_s)
    cost_usd: float | None = None
    attempts, failures = 0, ["not tried"]
    while failures and attempts <= case.get("retries", 0):
        attempts += 1
        seen = bench.way.attempt(lane, case, limit_s)
        if bench.children.ended:  # what was cut off says nothing about the test
            raise Ended
        if seen.cost_usd is not None:
            cost_usd = (cost_usd or 0) + seen.cost_usd
        failures, saved, unsaved = bench.judge(case, seen)
    seen.cost_usd = cost_usd
    place.saved.update(saved)
    status = "fail" if failures else "pass"
    return Outcome(index, place.number, case, status, failures, attempts, seen, unsaved=unsaved)


def judged(case: Json, seen: Seen) -> Judged:
    """The verdict on one attempt."""
    if seen.fault is not None:
        return Judged([seen.fault], {}, [])
    first = [seen.call_failed] if seen.call_failed is not None and not _is_about_errors(case.get("expect")) else []
    return Judged([*first, *verdicts.failures(case, seen.evidence)], *verdicts.saved(case, seen.evidence))


def _is_about_errors(expect: Any) -> bool:
    if isinstance(expect, list):
        return any(map(_is_about_errors, expect))
    if not isinstance(expect, dict):
        return False
    return any(key in expect for key in ABOUT_ERRORS) or any(
        _is_about_errors(expect.get(key)) for key in ("any_of", "all_of")
    )


def _first_fault(bench: Bench, scripts: Sequence[str], test_id: str, place: Round) -> str | None:
    """Run the commands around a test in order until one fails; what it said, or None."""
    until = time.monotonic() + SCRIPTS_S
    for script in scripts:
        left_s = max(until - time.monotonic(), 0.1)
        try:
            done = bench.children.run(
                ["/bin/sh", "-c", script], bench.folder, environment(test_id, place.saved), left_s
            )
        except OSError as error:
            return f"cannot be started: {error.strerror}"
        if bench.children.ended:
            raise Ended
        if (fault := done.fault(left_s)) is not None:
            return fault
    return None
