"""The report in the documents' form: totals, the failed tests, a table."""

from hookwright.suite.messages import one_line, totals_line
from hookwright.suite.report import NOT_RUN, Report, Row

TITLE = ": Test Report"
MARKS = {"pass": "✅ pass", "fail": "❌ fail", "skip": "⏭️ skip", NOT_RUN: "not run"}


def page(report: Report) -> str:
    """The whole report."""
    counted = report.summary
    lines = [f"# {one_line(report.title)}{TITLE}", ""]
    lines.append(totals_line(*(counted[key] for key in ("total", "passed", "failed", "skipped"))))
    lines += ["", _when(report), *_failed(report.named("fail"))]
    lines += ["", "## Results", "", "| # | Test | Category | Status | Notes |", "|---|---|---|---|---|"]
    lines += [_table_row(number, row) for number, row in enumerate(report.rows, 1)]
    return "\n".join(lines) + "\n"


def _when(report: Report) -> str:
    ended = f" | **Ended:** {report.completed_at}" if report.completed_at else ""
    return f"**Mode:** {report.mode} | **Started:** {report.started_at}{ended}"


def _failed(rows: list[Row]) -> list[str]:
    lines = ["", "## Failed"] if rows else []
    for row in rows:
        lines += ["", f"### ❌ {one_line(row.id)}"]
        lines += [one_line(row.description)] if row.description else []
        lines += [f"- {one_line(failure)}" for failure in row.failures]
    return lines


def _table_row(number: int, row: Row) -> str:
    notes = "; ".join(row.failures)
    if row.after:
        notes = "; ".join([*row.failures, f"after the test: {row.after}"])
    cells = (str(number), row.id, row.category, MARKS.get(row.status, row.status), notes)
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def is_one(text: str) -> bool:
    """Whether a text is a report of ours."""
    title, _, rest = text.partition("\n")
    return title.startswith("# ") and title.endswith(TITLE) and rest.startswith("\n**Total:** ")
