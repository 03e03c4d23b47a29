"""What languages with a tool of their own share: where the tool is, asking it, the user's own command in its place."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

from hookwright.affected.contract import Project, Report, Runner, Selection
from hookwright.output import plain
from hookwright.process import Outcome, run

ANSWER_BYTES = 64 << 20  # what a tool says about a large project
LAST_LINES = 8


def found(project: Project, *names: str) -> str:
    """The first of these programs that is installed, as a path; "" when none is."""
    path = os.fsdecode(project.environment.get(b"PATH", b""))
    return next((where for name in names if (where := shutil.which(name, path=path))), "")


def asked(project: Project, *argv: str) -> str:
    """What a tool answers on stdout; "" when it fails or takes longer than a whole run may."""
    try:
        outcome = run(
            list(argv),
            cwd=project.root,
            env=project.environment,
            timeout_s=project.budget_s,
            keep_bytes=ANSWER_BYTES,
        )
    except OSError:
        return ""
    return outcome.stdout.text() if outcome.exit_code == 0 else ""


def documents(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of a text, one after another or one per line; what is none of them is left out."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("\n", at)
            if at < 0:
                return
        else:
            if isinstance(value, dict):
                yield value
        at = text.find("{", at)


def own_runner(project: Project) -> Runner:
    """The user's command; its exit code is all that is known of it."""
    return Runner(os.path.basename(project.command[0]), project.command)


def own_argv(project: Project, tests: list[str]) -> list[str]:
    """The user's command with the tests in their place."""
    return [part for word in project.command for part in (tests if word == "{tests}" else [word])]


def whole(kind: str, reasons: dict[str, str], note: str = "") -> Selection:
    """A selection of files, packages or crates: each is run whole."""
    return Selection(kind, reasons, tuple(reasons), "" if reasons else note)


def excluded(project: Project, path: str) -> bool:
    """Whether the user leaves this file of tests out; the last pattern that fits decides."""
    fitting = [includes for includes, text in project.exclude if re.match(text, path)]
    return bool(fitting and fitting[-1])


def unreported(runner: str, outcome: Outcome) -> Report:
    """A tool that always reports did not: nothing was there to run, or it could not do its work."""
    if outcome.exit_code == 0:
        return Report(found=True, whole=True)
    if outcome.timed_out:
        return Report()
    lines = [f"{runner} ended with exit code {outcome.exit_code}, and no report", *last_words(outcome)]
    return Report(problem="\n".join(lines))


def last_words(outcome: Outcome, most: int = LAST_LINES) -> list[str]:
    """The end of what it said, on stderr before stdout."""
    for stream in (outcome.stderr, outcome.stdout):
        lines = [line.rstrip() for line in plain(stream.text()).splitlines() if line.strip()]
        if lines:
            return lines[-most:]
    return []


def read(path: str) -> str:
    """A text, with marks for bytes that are none; "" when it is not there."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def line_of(root: str, where: str) -> str:
    """The source line that a `file:line` of a project names."""
    path, _, number = where.rpartition(":")
    lines = read(os.path.join(root, path)).splitlines() if number.isdecimal() else []
    at = int(number) if lines else 0
    return lines[at - 1].strip() if 0 < at <= len(lines) else ""
