"""`hookwright languages`: whose tests can be run after an edit, and with what."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from hookwright.affected.languages.table import LANGUAGES, language
from hookwright.affected.projects import project, real, root_of, top_folder
from hookwright.affected.settings import Settings
from hookwright.errors import DONE

NOT_HERE = "no framework here"


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
        "runners": spoken.RUNNERS,
        "budget_s": spoken.BUDGET_S,
        "here": f"{found.name} ({found.argv[0]})" if found else None,
    }


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    """In columns as wide as their longest words."""
    table = [
        (row["language"], " ".join(row["files"]), row["runners"], f"{row['budget_s']:g} s", row["here"] or NOT_HERE)
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(f"{word:<{width}}" for word, width in zip(line, widths, strict=True)).rstrip() for line in table]
