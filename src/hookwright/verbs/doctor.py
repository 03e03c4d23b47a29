"""`hookwright doctor`: one screen that tells whether hooks fire here, and what to do where they do not."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import textwrap
from pathlib import Path

from hookwright.errors import DONE, NO
from hookwright.output import plain
from hookwright.screen import bare
from hookwright.setup.checks import BAD, OK, WARN, Finding
from hookwright.setup.diagnosis import Check, examined
from hookwright.setup.facts import Facts

COLOURS = {OK: "\033[32m", WARN: "\033[33m", BAD: "\033[31m"}
PLAIN = "\033[0m"
MARGIN = " " * 18
LEAST = 40  # columns beside the margin; on a narrower screen the terminal may fold as it likes


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
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        coloured = bool(width) and "NO_COLOR" not in os.environ
        for check, findings in found:
            for finding in findings:
                print(as_text(check, finding, coloured, width), file=bare(sys.stdout))
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


def as_text(check: Check, finding: Finding, coloured: bool, width: int) -> str:
    """One finding, and what to do on a line of its own; files of this folder by their short names."""
    mark = f"{COLOURS[finding.level]}{finding.level:<4}{PLAIN}" if coloured else f"{finding.level:<4}"
    text, do = (_fitting(_short(plain(words)), width) for words in (finding.text, f"-> {finding.do}"))
    return f"{mark} {check.name:<12} {text}" + (f"\n{MARGIN}{do}" if finding.do else "")


def _short(text: str) -> str:
    here = os.getcwd()
    return re.sub(rf"(?<![^\s'\"(]){re.escape(here)}/", "", text) if here != "/" else text


def _fitting(text: str, width: int) -> str:
    """A text folded to what is left of the screen beside the margin; as it is where there is no screen."""
    room = width - len(MARGIN)
    lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) if room >= LEAST else [text]
    return f"\n{MARGIN}".join(lines)


def _summary(levels: list[str]) -> str:
    if BAD in levels:
        return f"{levels.count(BAD)} to mend, {levels.count(WARN)} to look at"
    return f"hooks work here; {levels.count(WARN)} to look at" if WARN in levels else "hooks work here"
