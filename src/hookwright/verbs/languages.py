"""`hookwright languages`: whose tests can be run after an edit, and with what."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from typing import Any

from hookwright.affected.languages.table import LANGUAGES, language
from hookwright.affected.projects import project, real, root_of, top_folder
from hookwright.affected.settings import Settings
from hookwright.errors import DONE

# The program of a runner that is not its first word; "" for one that comes with the project.
PROGRAMS = {"minitest": "ruby", "cargo nextest": "cargo-nextest", "vitest": "", "jest": "", "mocha": ""}
PROGRAMS |= {"pytest": "", "unittest": ""}
HEAD = ("language", "files", "live", "format-tested", "budget", "here")
LEGEND = "live: our tests run the tool itself. format-tested: they read reports as the tool writes them, without it."


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `languages` takes."""
    parser.add_argument("--json", action="store_true", help="the table as one JSON document")


def main(args: argparse.Namespace) -> int:
    """Print the table."""
    rows = [_row(row.name, row.extensions) for row in LANGUAGES]
    print(json.dumps(rows, indent=2) if args.json else "\n".join(_lines(rows)))
    return DONE


def _row(name: str, extensions: tuple[str, ...]) -> dict[str, Any]:
    spoken = language(name)
    settings = Settings(top_folder(os.getcwd()))
    found = None
    try:
        root = root_of(f"{real(os.getcwd())}/x", name, settings.folder)
        found = spoken.runner(project(root, name, settings))
    except OSError:  # a folder in which nothing can be written
        pass
    return {
        "language": name,
        "files": list(extensions),
        "live": list(spoken.LIVE),
        "format_tested": list(spoken.FORMAT_TESTED),
        "budget_s": spoken.BUDGET_S,
        "here": f"{found.name} ({found.argv[0]})" if found else None,
        "installed": [name for name in (*spoken.LIVE, *spoken.FORMAT_TESTED) if _is_installed(name)],
    }


def _is_installed(runner: str) -> bool:
    return bool(shutil.which(PROGRAMS.get(runner, runner.split()[0])))


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    """In columns as wide as their longest words."""
    table = [HEAD, *(_words(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(f"{word:<{width}}" for word, width in zip(line, widths, strict=True)).rstrip() for line in table]
    return [*lines, "", LEGEND]


def _words(row: dict[str, Any]) -> tuple[str, ...]:
    live, tested = (", ".join(row[key]) or "-" for key in ("live", "format_tested"))
    return (
        row["language"],
        " ".join(row["files"]),
        live,
        tested,
        f"{row['budget_s']:g} s",
        row["here"] or _absent(row),
    )


def _absent(row: dict[str, Any]) -> str:
    """Not at work in this folder: is there anything that could be?"""
    return f"not used here; installed: {', '.join(row['installed'])}" if row["installed"] else "not installed"
