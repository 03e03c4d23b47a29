"""A verdict as a message: what the model needs to mend it, and no more."""

from __future__ import annotations

import re

from hookwright.affected.contract import Failure
from hookwright.affected.verdict import Verdict
from hookwright.masks import cut
from hookwright.output import plain

MOST_CHARACTERS = 1000
MOST_FAILURES = 5
MOST_LEFT_OUT = 3
INDENT = "   "
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")  # of `<function f at 0x7f...>`: another one in each run


def message(verdict: Verdict, limit: int = MOST_CHARACTERS) -> str:
    """At most `limit` characters, without secrets; "" when there is nothing to say."""
    if verdict.word not in LINES:
        return ""
    lines = LINES[verdict.word](verdict)
    tail = [f"{INDENT}Hint: Run '{verdict.hint}' for details"] if verdict.hint and verdict.word != "passed" else []
    room = limit - sum(len(line) + 1 for line in tail)
    if room < limit // 2:  # a hint that long helps nobody
        tail, room = [], limit
    return cut("\n".join([cut(plain("\n".join(lines)), room), *tail]), limit)


def _passed(verdict: Verdict) -> list[str]:
    return [f"✅ Tests passed ({verdict.runner})", *_counts(verdict), *_left_out(verdict)]


def _failed(verdict: Verdict) -> list[str]:
    lines = [f"❌ Tests failed ({verdict.runner})", *_counts(verdict)]
    for failure in verdict.failures[:MOST_FAILURES]:
        lines += _told(failure)
    more = len(verdict.failures) - MOST_FAILURES
    lines += [f"{INDENT}... and {more} more"] if more > 0 else []
    lines += [INDENT + line for line in verdict.problem.splitlines()]
    return lines + _left_out(verdict)


def _timeout(verdict: Verdict) -> list[str]:
    return [f"⏱️ Test execution timeout ({verdict.budget_s:g}s exceeded)", *_counts(verdict)]


def _error(verdict: Verdict) -> list[str]:
    first, *others = verdict.problem.splitlines() or ["the tests could not be run"]
    lines = [f"⚠️ Test execution error: {first}", *(INDENT + line for line in others)]
    for failure in verdict.report.broken[:MOST_FAILURES]:
        lines += _told(failure)
    return lines


LINES = {"passed": _passed, "failed": _failed, "timeout": _timeout, "error": _error}


def _counts(verdict: Verdict) -> list[str]:
    """`1 failed, 0 passed`, other words only where there is something to count; how far a cut-off run came."""
    report = verdict.report
    if not report.found:
        return []
    numbers = [(len(verdict.failures), "failed"), (report.passed, "passed"), (report.skipped, "skipped")]
    numbers.append((len(report.broken), "could not be collected"))
    always = ("failed", "passed") if verdict.word == "failed" else ()
    told = ", ".join(f"{number} {word}" for number, word in numbers if number or word in always)
    if verdict.cut_off:
        over = "" if verdict.word == "timeout" else f" within {verdict.budget_s:g}s"
        ran = f"{_some(len(report.ran), verdict.affected)} ran{over}"
        told = f"{ran}: {told}" if told else ran
    return [f"{INDENT}{told}"] if told else []


def _some(ran: int, affected: int | None) -> str:
    """`1 of 3 affected tests`, or how many, where it is not known of how many."""
    return f"{ran} test{'' if ran == 1 else 's'}" if affected is None else f"{ran} of {affected} affected tests"


def _told(failure: Failure) -> list[str]:
    """The test, its assertion, and where that stands."""
    lines = [f"{INDENT}{failure.test}"] if failure.test else []
    lines += [f"{INDENT}  {_ADDRESS.sub('', line)}" for line in failure.text]
    if failure.where:
        lines.append(f"{INDENT}  at {failure.where}{': ' if failure.line else ''}{failure.line}")
    return lines


def _left_out(verdict: Verdict) -> list[str]:
    left_out = verdict.report.left_out
    if not left_out:
        return []
    shown = ", ".join(f"{test} ({mark})" for test, mark in left_out[:MOST_LEFT_OUT])
    more = len(left_out) - MOST_LEFT_OUT
    return [f"{INDENT}left out: {shown}{f' and {more} more' if more > 0 else ''}"]
