"""`hookwright test`: run the tests that an edit of these files can break, by hand."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import replace
from typing import Any

from hookwright import config, paths
from hookwright.affected import run
from hookwright.affected.changes import changed_files, changed_since, dates_of_code, was_there
from hookwright.affected.languages.table import LANGUAGES, MODULES
from hookwright.affected.message import message
from hookwright.affected.missing import without_runner
from hookwright.affected.progress import progress
from hookwright.affected.projects import (
    Edit,
    is_marked,
    project,
    real,
    recorded_by,
    root_of,
    sorted_by_project,
    top_folder,
)
from hookwright.affected.settings import Settings, from_options, options_of
from hookwright.affected.turns import turn
from hookwright.affected.verdict import Verdict
from hookwright.errors import COULD_NOT, DONE, NO, Refusal
from hookwright.screen import bare

EXIT_CODES = {"passed": DONE, "nothing": DONE, "failed": NO, "timeout": COULD_NOT, "error": COULD_NOT}
UNLIMITED_S = 24 * 3600.0
LOOK_EVERY_S = 0.3
NO_EDIT = "Nothing to run: no edited file has tests here."
NO_TESTS = "Nothing to run: there are no tests in {} here. `hookwright languages` lists the runners that are known."


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `test` takes."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="edited files; default: what git says changed")
    parser.add_argument("--all", action="store_true", help="run and record every test")
    parser.add_argument("--json", action="store_true", help="the outcome as one JSON document")
    parser.add_argument("--explain", action="store_true", help="say why each test was chosen")
    parser.add_argument("--budget", type=_seconds, metavar="S", help="stop after so many seconds; default: no limit")
    parser.add_argument("--since", metavar="REV", help="the files changed since a git revision")
    parser.add_argument("--watch", action="store_true", help="go on: run again whenever a file is saved")


def main(args: argparse.Namespace) -> int:
    """Run, and tell."""
    settings = _settings()
    try:
        return _watch(args, settings) if args.watch else _once(args, settings, _edits(args, settings))
    except PermissionError as error:
        raise Refusal(f"nothing can be kept in {settings.folder}: {error.strerror}.") from error


def _once(args: argparse.Namespace, settings: Settings, edits: list[Edit]) -> int:
    verdicts = [verdict for edit in edits if (verdict := _verdict(args, edit)) is not None]
    if args.json:
        print(json.dumps(_document(verdicts), indent=2))
    else:
        print("\n".join(_text(verdict, settings, args.explain) for verdict in verdicts) or _no_verdict(edits))
    return max((EXIT_CODES[verdict.word] for verdict in verdicts), default=DONE)


def _no_verdict(edits: list[Edit]) -> str:
    """Why nothing was even chosen: no file is of a known kind, or its project has no tests."""
    names = ", ".join(dict.fromkeys(edit.project.language for edit in edits))
    return NO_TESTS.format(names) if names else NO_EDIT


def _verdict(args: argparse.Namespace, edit: Edit) -> Verdict | None:
    """None where there is nothing to run."""
    return _run(args, edit) or without_runner(edit.project, edit.files)


def _run(args: argparse.Namespace, edit: Edit) -> Verdict | None:
    budget_s = args.budget or UNLIMITED_S
    leave_out = () if args.all else edit.project.leave_out
    found = replace(edit.project, budget_s=budget_s, leave_out=leave_out)
    with turn(found.state, edit.files, budget_s) as files:
        if files is None:
            raise Refusal("another run took the place of this one; its outcome covers these files.")
        if not args.all:
            return run.affected(found, files)
        with progress(found, bare(sys.stderr)):
            return run.everything(found)


def _edits(args: argparse.Namespace, settings: Settings) -> list[Edit]:
    here = os.getcwd()
    if args.all:
        return _all_projects(settings)
    for file in args.files:
        _refuse_what_is_no_file(file, settings)
    listed = [os.path.join(here, file) for file in args.files]
    by_hand = bool(listed)
    if args.since:
        listed += changed_since(settings.folder, args.since)
    elif not listed:
        listed = changed_files(settings.folder)
    found = sorted_by_project(listed, settings, by_hand)
    if by_hand and not args.json:
        for path, why in found.passed_over.items():
            print(f"{os.path.relpath(path)}: {why}", file=sys.stderr)
    return found.edits


def _refuse_what_is_no_file(file: str, settings: Settings) -> None:
    """A deleted file is an edit like any other; a name that never was one is a slip."""
    if os.path.isdir(file):
        raise Refusal(f"{file} is a folder: name the edited files, or run every test with --all.")
    path = real(file)
    if not os.path.lexists(file) and not recorded_by(path, settings) and not was_there(settings.folder, path):
        raise Refusal(f"there is no {file}, and neither git nor a recorded run knows of one.")


def _all_projects(settings: Settings) -> list[Edit]:
    """The project of each language that is at work here."""
    here = f"{real(os.getcwd())}/x"
    found: dict[tuple[str, str], Edit] = {}
    for row in LANGUAGES:
        root = root_of(here, row.name, settings.folder)
        if is_marked(root, row.name) or _has_files(root, row.extensions) or _has_files(f"{root}/tests", row.extensions):
            found.setdefault((root, MODULES[row.name]), Edit(project(root, row.name, settings)))
    return list(found.values())


def _has_files(folder: str, endings: tuple[str, ...]) -> bool:
    return os.path.isdir(folder) and any(name.endswith(endings) for name in os.listdir(folder))


def _settings() -> Settings:
    found = paths.find_config(os.getcwd())
    if not found:
        return Settings(top_folder(os.getcwd()))
    config.refuse_unapproved(found)  # its `commands` would run
    values = config.Reading(found, found).values.get("autoTest") or {}
    return from_options(options_of(values), real(paths.folder_of(found)))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return min(seconds, UNLIMITED_S)


def _document(verdicts: list[Verdict]) -> dict[str, Any]:
    """One document; several projects are joined, the worst verdict counts, and each is listed."""
    if not verdicts:
        return {**_NOTHING}
    documents = [_data(verdict) for verdict in verdicts]
    worst = max(verdicts, key=lambda verdict: ("nothing", "passed", "timeout", "error", "failed").index(verdict.word))
    document = dict(documents[verdicts.index(worst)])
    return document if len(documents) == 1 else {**document, "projects": documents}


_NOTHING: dict[str, Any] = {
    "verdict": "nothing",
    "language": None,
    "runner": None,
    "command": [],
    "selected": [],
    "failed": [],
    "passed": 0,
    "skipped": 0,
    "selection": None,
    "reasons": {},
    "took_ms": 0,
}


def _data(verdict: Verdict) -> dict[str, Any]:
    report = verdict.report
    return {
        "verdict": verdict.word,
        "language": verdict.language,
        "runner": verdict.runner,
        "command": verdict.command,
        "selected": _selected(verdict),
        "failed": [failure.test for failure in verdict.failures],
        "passed": report.passed,
        "skipped": report.skipped,
        "selection": verdict.selection.kind,
        "reasons": {test: why for test, why in verdict.selection.reasons.items() if test},
        "took_ms": round(verdict.took_ms, 1),
        "failures": [failure.__dict__ for failure in (*verdict.failures, *report.broken)],
        "left_out": [list(pair) for pair in report.left_out],
        "cut_off": verdict.cut_off,
        "note": verdict.selection.note,
        "problem": verdict.problem,
        "project": verdict.root,
    }


def _selected(verdict: Verdict) -> list[str]:
    """The tests; of a file that was run whole, those that ran."""
    whole = set(verdict.selection.files)
    tests = [test for test in verdict.selection.tests if test not in whole]
    return list(dict.fromkeys([*tests, *verdict.report.ran])) if whole else tests


def _text(verdict: Verdict, settings: Settings, explain: bool) -> str:
    told = message(verdict, 10 * settings.most_characters) or _nothing(verdict)
    if not explain:
        return told
    reasons = verdict.selection.reasons.items()
    width = max((len(test) for test, _ in reasons), default=0)
    lines = [f"   {test or 'all tests':<{min(width, 70)}}  {why}" for test, why in reasons]
    return "\n".join([told, f"   chosen by: {verdict.selection.kind}", *lines])


def _nothing(verdict: Verdict) -> str:
    left_out = ", ".join(f"{test} ({mark})" for test, mark in verdict.report.left_out)
    why = verdict.selection.note or (f"left out: {left_out}" if left_out else "no test ran")
    return f"Nothing to run: {why}"


def _watch(args: argparse.Namespace, settings: Settings) -> int:
    """Until ^C: whatever is saved is one edit."""
    seen = dates_of_code(settings.folder)
    print("Watching; ^C ends it.", file=sys.stderr, flush=True)
    while True:
        time.sleep(LOOK_EVERY_S)
        now = dates_of_code(settings.folder)
        saved = [path for path in now.keys() | seen.keys() if now.get(path) != seen.get(path)]
        seen = now
        edits = sorted_by_project(saved, settings, by_hand=True).edits
        if edits:
            _once(args, settings, edits)
            sys.stdout.flush()
