"""What repetitions say of a test: pass@k, at least one of k runs passes; pass^k, all of k runs do."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

SHOWN = (1, 2, 3, 5, 8, 10, 20, 50, 100)


def pass_at(k: int, runs: int, passed: int) -> float:
    """The chance that at least one of k runs passes, estimated without bias from so many that did."""
    return 1 - comb(runs - passed, k) / comb(runs, k)


def pass_all(k: int, runs: int, passed: int) -> float:
    """The chance that all of k runs pass."""
    return comb(passed, k) / comb(runs, k)


def figures(statuses: Sequence[str]) -> dict[str, Any]:
    """Of one test, from what it came to in each round; rounds in which it did not run say nothing."""
    runs = sum(status in ("pass", "fail") for status in statuses)
    passed = sum(status == "pass" for status in statuses)
    ks = [k for k in SHOWN if k < runs] + ([runs] if runs else [])
    return {
        "runs": runs,
        "passed": passed,
        "pass_at": {str(k): round(pass_at(k, runs, passed), 4) for k in ks},
        "pass_all": {str(k): round(pass_all(k, runs, passed), 4) for k in ks},
    }


def table(named: dict[str, dict[str, Any]]) -> str:
    """The figures of every test, in markdown."""
    ks = list(dict.fromkeys(k for one in named.values() for k in one["pass_at"]))
    head = ["Test", "Passed", *(f"pass@{k}" for k in ks), *(f"pass^{k}" for k in ks)]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, one in named.items():
        cells = [name.replace("|", "\\|"), f"{one['passed']}/{one['runs']}"]
        cells += [_percent(one[kind].get(k)) for kind in ("pass_at", "pass_all") for k in ks]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _percent(chance: float | None) -> str:
    return "" if chance is None else f"{chance:.0%}"
