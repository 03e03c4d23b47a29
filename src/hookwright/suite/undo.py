"""Taking a test again, and the last result back: the run stands as it did before."""

import time

from hookwright.errors import Refusal
from hookwright.suite import evidence as seen
from hookwright.suite import state
from hookwright.suite.progress import Run
from hookwright.suite.variables import saved_by


def retry(run: Run) -> None:
    """Take the current test again or, without one, the last result back (and what was skipped because of it)."""
    if run.current is not None:
        seen.given(run.evidence_path, time.time())
        return
    while run.results:
        result = run.results.pop()
        run.state["current_index"] = _position(run, str(result.get("id")))
        _forget_saved(run)
        if result.get("status") != "skip" or not result.get("failures"):
            run.state |= {"mode": state.RUNNING, "completed_at": None}
            return
    raise Refusal("there is no result to take back.")


def _position(run: Run, test_id: str) -> int:
    """Where the plan has a test; it is looked for from the end."""
    for index in range(min(run.index, run.total) - 1, -1, -1):
        if run.plan[index]["id"] == test_id:
            return index
    raise state.Damaged(f"it has a result of {test_id!r}, which is not among the tests of the run before this one")


def _forget_saved(run: Run) -> None:
    """The variables are what they were before the test that the run stands at was judged."""
    case = run.plan[run.index]
    kept = seen.judged(run.evidence_path, case["id"])
    earlier = kept["earlier"] if "earlier" in kept else dict.fromkeys(saved_by(case))  # somebody else judged it
    for name, value in (earlier or {}).items():
        run.state["saved_vars"].pop(name, None)
        if value is not None:
            run.state["saved_vars"][name] = value
