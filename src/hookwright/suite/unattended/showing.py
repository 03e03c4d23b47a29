"""What is kept of a run, for reading in a terminal."""

from __future__ import annotations

import json
import os
from typing import Any

from hookwright.errors import Refusal, did_you_mean
from hookwright.suite.reports import NAME

Json = dict[str, Any]


def whole(report: Json, folder: str) -> str:
    """The report in markdown, as it was written; where it is gone, its verdicts."""
    try:
        with open(f"{folder}/{NAME}.md", encoding="utf-8") as file:
            return file.read().rstrip()
    except OSError:
        return "\n".join(f"{row['status']:8} {row['id']}" for row in report["results"])


def test(report: Json, name: str, folder: str) -> str:
    """All that is kept of one test. Raises Refusal where the run has none of this name."""
    rows = {str(row["id"]): row for row in report["results"]}
    if name not in rows:
        raise Refusal(f'this run has no test "{name}"{did_you_mean(name, rows)}')
    row = rows[name]
    lines = [f"# {name}: {row['status']}"]
    lines += [f"- {failure}" for failure in row.get("failures") or ()]
    lines += _facts(row)
    for number, call in enumerate(row.get("calls") or (), 1):
        took = f" ({call['ms']:.0f} ms)" if isinstance(call.get("ms"), int | float) else ""
        lines += ["", f"## Call {number}: {call.get('tool')}{took}"]
        lines.append(f"input: {json.dumps(call.get('input'), ensure_ascii=False)}")
        kind = "result" if call.get("error") is None else "error"
        lines.append(f"{kind}: {call.get(kind) or ''}")
    for key in ("answer", "noise"):
        lines += ["", f"## {key.capitalize()}", str(row[key])] if row.get(key) else []
    if row.get("transcript"):
        lines += ["", f"Transcript: {os.path.relpath(folder)}/{row['transcript']}"]
    return "\n".join(lines)


def _facts(row: Json) -> list[str]:
    rounds = row.get("rounds") or ()
    facts = {
        "action": row.get("action"),
        "took": f"{row['took_ms']} ms" if row.get("took_ms") is not None else None,
        "cost": f"${row['cost_usd']:.4f}" if row.get("cost_usd") else None,
        "attempts": row.get("attempts"),
        "rounds": ", ".join(rounds) if len(rounds) > 1 else None,
        "after": row.get("after"),
    }
    return ["", *(f"{name}: {value}" for name, value in facts.items() if value)]
