"""`hookwright suite run`, `runs`, `show` and `diff`: suites without a person, and what became of them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

from hookwright.errors import DONE, NO, Misuse
from hookwright.suite.unattended.options import FORMS
from hookwright.suite.unattended.ways import NOT_YET, WAYS


def arguments(verbs: Any) -> None:
    """What these verbs take."""
    run = verbs.add_parser("run", help="run a suite without a person: direct MCP calls, or a headless agent")
    run.add_argument("--via", choices=(*WAYS, *NOT_YET), default="direct", help="default: direct; codex: not yet")
    run.add_argument("--suite", metavar="FILE", help="default: tests/functional/tests.json or .yaml")
    run.add_argument("--mcp-config", metavar="FILE", help="MCP servers, in the form of .mcp.json")
    run.add_argument("--timeout", metavar="S", type=_positive, help="for a test without one; default 60, agents 300")
    _choosing(run.add_argument_group("which tests, how often"))
    _reporting(run.add_argument_group("reports"))
    agent = run.add_argument_group("with --via claude-code")
    agent.add_argument("--model", metavar="NAME", help="the model, as the client knows it")
    agent.add_argument("--budget", metavar="USD", type=_positive, help="what the whole run may cost")
    agent.add_argument("--claude", metavar="PATH", help="the client's program; default: claude")
    agent.add_argument("extra", nargs="*", metavar="-- ARGUMENT", help="further arguments for the client, after --")
    verbs.add_parser("runs", help="the runs that are kept")
    show = verbs.add_parser("show", help="the report of a run, or the evidence of one of its tests")
    show.add_argument("run", nargs="?", default="last", metavar="RUN", help="its name, or the beginning; default: last")
    show.add_argument("test", nargs="?", metavar="TEST", help="a test's id")
    diff = verbs.add_parser("diff", help="which tests changed their verdict between two runs, and why")
    diff.add_argument("first", metavar="A", help="a run, or a report that --json wrote")
    diff.add_argument("second", metavar="B")


def _choosing(group: Any) -> None:
    group.add_argument("--category", metavar="X", help="only tests of this category")
    group.add_argument("--tag", metavar="Y", help="only tests with this tag")
    group.add_argument("--id", metavar="ID", action="append", default=[], help="only this test; may be repeated")
    group.add_argument("--failed", action="store_true", help="only tests that failed last, and what they need")
    group.add_argument("--shard", metavar="K/N", help="the K-th of N parts; tests that need each other stay together")
    group.add_argument("--jobs", metavar="N", type=_count, default=1, help="so many at the same time; default 1")
    group.add_argument("--repeat", metavar="N", type=_count, default=1, help="so many rounds, with pass@k and pass^k")
    group.add_argument("--seed", metavar="N", type=int, help="mix the order, always alike for the same N")
    group.add_argument("--fail-fast", action="store_true", help="begin no further test after a failure")
    group.add_argument(
        "--isolate",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="new servers or a new conversation for each test; default: one for all (of a job)",
    )


def _reporting(group: Any) -> None:
    for name in FORMS:
        beside = "; default: report.md beside the suite" if name == "markdown" else ""
        group.add_argument(f"--{name}", metavar="FILE", help=f"write the report there{beside}")
    group.add_argument(
        "--baseline", metavar="FILE", help="an earlier --json report: fail only on what did not fail then"
    )
    group.add_argument(
        "--evidence-mb", metavar="N", type=_positive, default=50, help="limit of what is kept; default 50"
    )
    group.add_argument("--quiet", action="store_true", help="no line for a test that passed")


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 1000")
    return int(text)


def run(args: argparse.Namespace, folder: str) -> int:
    """Run a suite to its end and say what came of it."""
    from hookwright.suite.unattended.display import tell
    from hookwright.suite.unattended.options import Options
    from hookwright.suite.unattended.request import Request

    if args.via == "direct":
        given = [name for name in ("model", "budget", "claude", "extra") if getattr(args, name)]
        if given:
            raise Misuse(f"--{given[0]} is for --via claude-code.".replace("--extra is", "arguments after -- are"))
    request = Request(Options(**{name: getattr(args, name) for name in vars(Options())}), folder)
    for note in request.notes:
        tell(sys.stdout, f"{note}\n")
    ending = request.run(sys.stdout)
    for line in ending.told:
        tell(sys.stdout, f"{line}\n")
    return ending.exit_code


def runs(_args: argparse.Namespace, folder: str) -> int:
    """List the runs that are kept, newest first."""
    from hookwright.suite.unattended import history

    for name, report in history.reports(folder):
        if report is None:
            print(f"{name}  (not finished)")
            continue
        summary, about = report.get("summary") or {}, report.get("run") or {}
        counted = ", ".join(f"{summary.get(key, 0)} {key}" for key in ("passed", "failed", "skipped"))
        print(f"{name}  {about.get('via') or 'conversation':12}  {counted:36}  {report.get('suite')}")
    return DONE


def show(args: argparse.Namespace, folder: str) -> int:
    """Print the report of a run, or all that is kept of one of its tests."""
    from hookwright.suite.unattended import history, showing

    path = history.path_of(folder, args.run)
    report = history.load(path)
    if args.test is not None:
        print(showing.test(report, args.test, os.path.dirname(path)))
        return DONE
    print(showing.whole(report, os.path.dirname(path)))
    return DONE


def diff(args: argparse.Namespace, folder: str) -> int:
    """Compare two runs; the answer is "no" where a verdict changed."""
    from hookwright.suite.unattended import history

    first, second = (history.load(history.path_of(folder, name)) for name in (args.first, args.second))
    found = history.changes(first, second)
    for change in found:
        print(f"{change.name}: {change.before} -> {change.after}\n  {change.evidence}")
    if not found:
        print(f"no test changed its verdict ({len(first['results'])} tests)")
    return NO if found else DONE


VERBS: dict[str, Callable[[argparse.Namespace, str], int]] = {"run": run, "runs": runs, "show": show, "diff": diff}
