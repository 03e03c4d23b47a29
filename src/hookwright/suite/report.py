"""What a run came to, gathered once from its state, plan and evidence; the forms of it are made from this alone."""

from hookwright.suite import evidence, places
from hookwright.suite.messages import to_do
from hookwright.suite.variables import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookwright.suite.progress import Run

NOT_RUN = "not run"


class Row:
    """One test in a report."""

    def __init__(self, case: "dict[str, Any]", result: "dict[str, Any]", kept: "dict[str, Any]") -> None:
        self.id = str(case.get("id") or result.get("id") or "")
        self.description = str(case.get("description") or "")
        self.category = str(case.get("category") or "")
        self.tags = [str(tag) for tag in case.get("tags") or ()]
        self.action = str(kept.get("action") or to_do(case))
        self.status = str(result.get("status") or NOT_RUN)
        self.failures = [str(failure) for failure in result.get("failures") or ()]
        self.timestamp = result.get("timestamp")
        self.attempts = kept.get("attempts") or 0
        self.took_ms = kept.get("took_ms")
        self.calls: list[dict[str, Any]] = kept.get("calls") or []
        self.answer = str(kept.get("answer") or "")
        self.after = kept.get("after")
        self.expect = kept.get("expect") or case.get("expect") or []


class Report:
    """A whole run."""

    def __init__(self, title: str, suite: str, state: "dict[str, Any]", rows: "Sequence[Row]") -> None:
        self.title = title
        self.suite = suite
        self.mode = str(state["mode"])
        self.started_at = state["started_at"]
        self.completed_at = state["completed_at"]
        self.rows = rows

    def count(self, status: str) -> int:
        return sum(row.status == status for row in self.rows)

    @property
    def summary(self) -> dict[str, int]:
        counted = {"total": len(self.rows), "passed": self.count("pass"), "failed": self.count("fail")}
        return {**counted, "skipped": self.count("skip"), "not_run": self.count(NOT_RUN)}

    def named(self, status: str) -> list[Row]:
        return [row for row in self.rows if row.status == status]


def gathered(run: "Run") -> Report:
    """The report of a run as it stands; tests that have no result yet are in it as not run."""
    rows, known = [], run.state["saved_vars"]
    by_id = {str(result.get("id")): result for result in run.results}
    for index in range(run.total):
        result = by_id.get(run.plan[index]["id"], {})
        case = filled(run.plan[index], known)
        kept = evidence.judged(places.evidence_file(run.path, index), str(result.get("id"))) if result else {}
        asked = {} if kept.get("action") else evidence.shown(to_do(case), case.get("expect") or [], known)
        rows.append(Row(case, result, asked | {name: value for name, value in kept.items() if value}))
    return Report(run.plan.description, run.plan.suite.removeprefix(f"{run.folder}/"), run.state, rows)
