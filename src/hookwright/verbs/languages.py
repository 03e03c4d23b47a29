"""`hookwright languages`: whose tests can be run after an edit, and with what."""

from __future__ import annotations

import argparse
import json
import os

from hookwright.affected.languages.table import LANGUAGES, language
from hookwright.affected.projects import project, real, root_of, top_folder
from hookwright.affected.settings import Settings
from hookwright.errors import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `languages` takes."""
    parser.add_argument("--json", action="store_true", help="the table as one JSON document")


def main(args: argparse.Namespace) -> int:
    """Print the table."""
    rows = [_row(row.name, row.extensions) for row in LANGUAGES]
    print(json.dumps(rows, indent=2) if args.json else "\n".join(map(_line, rows)))
    return DONE


def _row(name: str, extensions: tuple[str, ...]) -> dict[str, object]:
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


def _line(row: dict[str, object]) -> str:
    files = " ".join(map(str, row["files"])) if isinstance(row["files"], list) else ""
    here = row["here"] or "no framework here"
    return f"{row['language']:<12} {files:<14} {row['runners']:<20} {row['budget_s']:>4g} s  {here}"
