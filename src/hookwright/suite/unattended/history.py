"""Earlier runs of a project: listed, found by name, compared."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from hookwright.errors import Refusal
from hookwright.suite import places, run_folders
from hookwright.suite.reports import NAME

Json = dict[str, Any]
LAST = "last"
COMPARED = ("tool", "input", "error", "result")


def names(folder: str) -> list[str]:
    """The runs that are kept, oldest first."""
    return run_folders.all_of(places.runs_folder(folder))


def path_of(folder: str, name: str) -> str:
    """The report of a run: by its name, the unique beginning of it, `last`, or the path of a report. Raises Refusal."""
    if name.endswith(".json") or os.path.isdir(name):
        return _file(name)
    known = names(folder)
    if name == LAST and known:
        return f"{places.runs_folder(folder)}/{known[-1]}/{NAME}.json"
    found = [one for one in known if one == name] or [one for one in known if one.startswith(name)]
    if len(found) == 1:
        return f"{places.runs_folder(folder)}/{found[0]}/{NAME}.json"
    if found:
        raise Refusal(f"{name} can be any of {len(found)} runs: {', '.join(found)}.")
    raise Refusal(f"there is no run {name} here; `hookwright suite runs` lists them.")


def _file(path: str) -> str:
    return os.path.join(path, f"{NAME}.json") if os.path.isdir(path) else path


def load(path: str) -> Json:
    """A report in JSON; for a run's folder, the one in it. Raises Refusal for anything else."""
    path = _file(path)
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except FileNotFoundError:
        finished = (
            "; was its run ended before it was done?"
            if path.startswith("/") and places.is_run_name(os.path.basename(os.path.dirname(path)))
            else "."
        )
        raise Refusal(f"there is no {path}{finished}") from None
    except (OSError, ValueError) as error:
        raise Refusal(f"{path} cannot be read as a report: {error}.") from error
    rows = report.get("results") if isinstance(report, dict) else None
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and row.get("id") and row.get("status") for row in rows
    ):
        raise Refusal(f"{path} is not a report of a suite; `hookwright suite run --json FILE` writes one.")
    return dict(report)


def verdicts(report: Json) -> dict[str, str]:
    """What each test came to."""
    return {str(row["id"]): str(row["status"]) for row in report["results"]}


def reports(folder: str) -> Iterator[tuple[str, Json | None]]:
    """(name, report) of every run, newest first; None where a run has none."""
    for name in reversed(names(folder)):
        try:
            yield name, load(f"{places.runs_folder(folder)}/{name}/{NAME}.json")
        except Refusal:
            yield name, None


def last_failures(folder: str, suite: str) -> list[str] | None:
    """The tests of a suite whose latest verdict is "failed"; None where no earlier run of it is known."""
    latest: dict[str, str] = {}
    known = False
    for _, report in reports(folder):
        if report is not None and report.get("suite") == suite:
            known = True
            for name, status in verdicts(report).items():
                if status in ("pass", "fail"):
                    latest.setdefault(name, status)
    return [name for name, status in latest.items() if status == "fail"] if known else None


def regressions(report: Json, baseline: Json) -> list[str]:
    """The tests that fail now and did not fail in the baseline."""
    before = verdicts(baseline)
    return [name for name, status in verdicts(report).items() if status == "fail" and before.get(name) != "fail"]


class Change:
    """A test that came out differently in two runs."""

    def __init__(self, name: str, before: str, after: str, evidence: str) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.evidence = evidence  # the first that differs


def changes(first: Json, second: Json) -> list[Change]:
    """The tests that changed their verdict, one that is in one run only included."""
    left, right = ({str(row["id"]): row for row in report["results"]} for report in (first, second))
    found = []
    for name in dict.fromkeys([*left, *right]):
        one, other = left.get(name), right.get(name)
        before, after = (str(row["status"]) if row else "absent" for row in (one, other))
        if before != after:
            found.append(Change(name, before, after, first_difference(one or {}, other or {})))
    return found


def first_difference(one: Json, other: Json) -> str:
    """The first evidence that differs: the calls in order, then the answer, then the reasons."""
    calls = [row.get("calls") or [] for row in (one, other)]
    for number, (left, right) in enumerate(zip(*calls, strict=False), 1):
        for key in COMPARED:
            if left.get(key) != right.get(key):
                return _told(f"call {number} ({left.get('tool')}): {key}", left.get(key), right.get(key))
    if len(calls[0]) != len(calls[1]):
        return _told("tool calls", *([call.get("tool") for call in listed] for listed in calls))
    for key in ("answer", "failures", "noise"):
        if (one.get(key) or None) != (other.get(key) or None):
            return _told(key, one.get(key), other.get(key))
    return "the same evidence in both"


def _told(what: str, left: Any, right: Any) -> str:
    return f"{what}\n    - {_shown(left)}\n    + {_shown(right)}"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:299]}…"
