"""`hookwright doctor`: one screen that tells whether hooks fire here, and what to do where they do not."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from hookwright.errors import DONE, NO
from hookwright.setup.checks import BAD, OK, WARN, Finding
from hookwright.setup.diagnosis import Check, examined
from hookwright.setup.facts import Facts

COLOURS = {OK: "\033[32m", WARN: "\033[33m", BAD: "\033[31m"}
PLAIN = "\033[0m"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `doctor` takes."""
    parser.add_argument("--json", action="store_true", help="one JSON document, for CI")


def main(args: argparse.Namespace) -> int:
    """Look at everything, tell."""
    facts = Facts(Path.cwd())
    found = examined(facts)
    levels = [finding.level for _, findings in found for finding in findings]
    if args.json:
        print(json.dumps(as_data(facts, found), indent=2))
    else:
        coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        for check, findings in found:
            for finding in findings:
                print(as_text(check, finding, coloured))
        print(_summary(levels))
    return NO if BAD in levels else DONE


def as_data(facts: Facts, found: list[tuple[Check, list[Finding]]]) -> dict[str, object]:
    """The findings for programs."""
    rows = [
        {"check": check.name, "level": finding.level, "text": finding.text, "do": finding.do}
        for check, findings in found
        for finding in findings
    ]
    return {"project": str(facts.project), "ok": all(row["level"] != BAD for row in rows), "findings": rows}


def as_text(check: Check, finding: Finding, coloured: bool) -> str:
    """One finding on a line, what to do on the next."""
    mark = f"{COLOURS[finding.level]}{finding.level:<4}{PLAIN}" if coloured else f"{finding.level:<4}"
    do = f"\n{'':18}-> {finding.do}" if finding.do else ""
    return f"{mark} {check.name:<12} {finding.text}{do}"


def _summary(levels: list[str]) -> str:
    if BAD in levels:
        return f"{levels.count(BAD)} to mend, {levels.count(WARN)} to look at"
    return f"hooks work here; {levels.count(WARN)} to look at" if WARN in levels else "hooks work here"
