"""The report as JUnit XML, as CI servers read it."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from hookwright.suite.report import NOT_RUN, Report, Row


def page(report: Report) -> str:
    """One test suite; what did not run is skipped with that reason, never passed."""
    counted = report.summary
    took = sum(row.took_ms or 0 for row in report.rows) / 1000
    numbers = {
        "tests": counted["total"],
        "failures": counted["failed"],
        "errors": 0,
        "skipped": counted["skipped"] + counted["not_run"],
        "time": f"{took:.3f}",
    }
    outside = {name: number for name, number in numbers.items() if name != "skipped"}  # Jenkins' schema has none there
    inside = _attributes({"name": report.title, **numbers, "timestamp": str(report.started_at).rstrip("Z")})
    cases = "".join(_case(row, report) for row in report.rows)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites{_attributes(outside)}>\n  <testsuite{inside}>\n{cases}  </testsuite>\n</testsuites>\n"
    )


def _case(row: Row, report: Report) -> str:
    took = f"{(row.took_ms or 0) / 1000:.3f}"
    head = _attributes({"name": row.id, "classname": row.category or report.title, "time": took})
    return f"    <testcase{head}>\n{_outcome(row, report)}{_seen(row)}    </testcase>\n"


def _outcome(row: Row, report: Report) -> str:
    if row.status == "fail":
        message = quoteattr(_clean(row.failures[0] if row.failures else "failed"))
        return f"      <failure message={message}>{escape(_clean(chr(10).join(row.failures)))}</failure>\n"
    if row.status in ("skip", NOT_RUN):
        reason = "; ".join(row.failures) or ("skipped" if row.status == "skip" else f"not run: {report.mode}")
        return f"      <skipped message={quoteattr(_clean(reason))}/>\n"
    return ""


def _seen(row: Row) -> str:
    texts = [f"{call.get('tool')}: {call.get('error') or call.get('result') or ''}" for call in row.calls]
    if row.answer:
        texts.append(f"answer: {row.answer}")
    return f"      <system-out>{escape(_clean(chr(10).join(texts)))}</system-out>\n" if texts else ""


def _attributes(values: dict[str, object]) -> str:
    return "".join(f" {name}={quoteattr(_clean(str(value)))}" for name, value in values.items())


def _clean(text: str) -> str:
    """Without the characters that XML has no way to write."""
    return "".join(char if char in "\t\n\r" or (ord(char) >= 32 and not _is_outside(char)) else "�" for char in text)


def _is_outside(char: str) -> bool:
    return "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"
