"""The report as one page that needs nothing but itself: the verdict first, failed tests open, the rest folded."""

from __future__ import annotations

import json
from html import escape

from hookwright.suite.messages import tests
from hookwright.suite.report import NOT_RUN, Report, Row

STYLE = """
:root{--bg:#fff;--fg:#1c2128;--soft:#5b6470;--line:#d9dee4;--panel:#f5f7f9;--pass:#1a7f37;--fail:#c9252d;--skip:#8a6100}
@media(prefers-color-scheme:dark){:root{--bg:#15191e;--fg:#e4e8ec;--soft:#9aa4af;--line:#313841;--panel:#1d2329;
--pass:#4ac26b;--fail:#ff6b6b;--skip:#d9a520}}
*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:2rem 1.2rem;background:var(--bg);color:var(--fg);
font:16px/1.5 system-ui,sans-serif}h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;margin:2rem 0 .6rem}
.verdict{font-size:1.9rem;font-weight:700;margin:.6rem 0 .2rem}.pass{color:var(--pass)}.fail{color:var(--fail)}
.skip,.not-run{color:var(--skip)}.soft{color:var(--soft);font-size:.88rem}
.bar{display:flex;height:.6rem;border-radius:.3rem;overflow:hidden;background:var(--line);margin:.8rem 0}
.bar i{display:block}.bar .pass{background:var(--pass)}.bar .fail{background:var(--fail)}
.bar .skip{background:var(--skip)}details{border:1px solid var(--line);border-radius:.4rem;margin:.45rem 0}
details.is-fail{border-left:4px solid var(--fail)}
summary{cursor:pointer;padding:.5rem .8rem;display:flex;gap:.7rem;align-items:baseline}summary::marker{content:""}
summary b{min-width:4.4rem;font-size:.82rem;text-transform:uppercase}summary .id{font-weight:600}
summary .soft{margin-left:auto;white-space:nowrap}.in{padding:0 .8rem .8rem}
.why{margin:.2rem 0 .6rem;padding-left:1.2rem}
.why li{color:var(--fail)}.is-skip .why li{color:var(--skip)}dt{color:var(--soft);font-size:.82rem;margin-top:.6rem}
dd{margin:0}pre{margin:.2rem 0;padding:.6rem;background:var(--panel);border-radius:.3rem;white-space:pre-wrap;
overflow-wrap:anywhere;font:13px/1.45 ui-monospace,monospace;max-height:22rem;overflow:auto}
"""
WORDS = {"pass": "passed", "fail": "failed", "skip": "skipped", NOT_RUN: "not run"}


def page(report: Report) -> str:
    """The whole page."""
    title = escape(report.title)
    failed, others = report.named("fail"), [row for row in report.rows if row.status != "fail"]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}: test report</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n{_head(report)}"
        f"{_section('Failed', failed, opened=True)}{_section('Other tests', others)}</body></html>\n"
    )


def _head(report: Report) -> str:
    counted = report.summary
    said = [f"{counted[key]} {word}" for key, word in _NUMBERS if counted[key] or key == "passed"]
    kind = "fail" if counted["failed"] else "pass" if counted["passed"] == counted["total"] else "skip"
    widths = [(name, counted[key] * 100 / max(counted["total"], 1)) for key, name in _BARS]
    bar = "".join(f'<i class="{name}" style="width:{width:.2f}%"></i>' for name, width in widths)
    when = " – ".join(str(at) for at in (report.started_at, report.completed_at) if at)
    return (
        f'<p class="verdict {kind}">{_verdict(report)}</p><div class="bar">{bar}</div>\n'
        f"<p>{tests(counted['total'])}: {', '.join(said)}</p>\n"
        f'<p class="soft">run {escape(report.mode)} · {escape(when)} · {escape(report.suite.rpartition("/")[2])}</p>\n'
    )


_NUMBERS = (("passed", "passed"), ("failed", "failed"), ("skipped", "skipped"), ("not_run", "not run"))
_BARS = (("passed", "pass"), ("failed", "fail"), ("skipped", "skip"))


def _verdict(report: Report) -> str:
    counted = report.summary
    if counted["failed"]:
        return f"✗ {counted['failed']} of {counted['total']} failed"
    if counted["passed"] == counted["total"]:
        return f"✓ All {counted['total']} passed"
    return f"○ {counted['passed']} of {counted['total']} passed, none failed"


def _section(title: str, rows: list[Row], opened: bool = False) -> str:
    return f"<h2>{title}</h2>\n{''.join(_test(row, opened) for row in rows)}" if rows else ""


def _test(row: Row, opened: bool) -> str:
    status, word = escape(row.status.replace(" ", "-")), WORDS.get(row.status, escape(row.status))
    aside = [row.category, f"{row.took_ms / 1000:.1f} s" if row.took_ms is not None else ""]
    head = (
        f'<b class="{status}">{word}</b><span><span class="id">{escape(row.id)}</span>'
        f' {escape(_about(row))}</span><span class="soft">{escape(" · ".join(filter(None, aside)))}</span>'
    )
    inside = f'<div class="in">{_why(row)}<dl>{_evidence(row)}</dl></div>'
    return f'<details class="is-{status}"{" open" if opened else ""}><summary>{head}</summary>{inside}</details>\n'


def _about(row: Row) -> str:
    """Beside the name: what is tested or, for a test that was skipped, why."""
    return "; ".join(row.failures) if row.status == "skip" and row.failures else row.description


def _why(row: Row) -> str:
    reasons = [*row.failures, *([f"After the test: {row.after}"] if row.after else [])]
    return f'<ul class="why">{"".join(f"<li>{escape(reason)}</li>" for reason in reasons)}</ul>' if reasons else ""


def _evidence(row: Row) -> str:
    parts = [("Action", row.action)]
    for call in row.calls:
        took = f", {call['ms']:.0f} ms" if isinstance(call.get("ms"), int | float) else ""
        took += f", {call['whole']:,} characters, cut" if call.get("whole") else ""
        given = json.dumps(call.get("input"), ensure_ascii=False)
        outcome = f"error: {call['error']}" if call.get("error") is not None else str(call.get("result") or "")
        parts.append((f"Tool call: {call.get('tool')}{took}", f"{given}\n→ {outcome}"))
    parts.append(("Answer", row.answer))
    if row.attempts > 1:
        parts.append(("Attempts", str(row.attempts)))
    if row.status == "fail" and row.expect:
        parts.append(("Expected", "\n".join(json.dumps(entry, ensure_ascii=False) for entry in row.expect)))
    return "".join(f"<dt>{escape(name)}</dt><dd><pre>{escape(text)}</pre></dd>" for name, text in parts if text)
