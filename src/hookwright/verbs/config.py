"""`hookwright config`: the effective config, and where each value comes from."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from hookwright import config
from hookwright.errors import DONE, NO
from hookwright.verbs.check import chosen, shown


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `config` takes."""
    parser.add_argument("path", nargs="?", metavar="PATH", help="a config, or a folder at or below one; default: here")
    parser.add_argument("--json", action="store_true", help="one JSON document, for programs")


def main(args: argparse.Namespace) -> int:
    """Print every value with its place, or what keeps the config from being read."""
    path = chosen(args.path)
    reading = config.Reading(path, shown(path))
    for problem in sorted(reading.report.problems):
        print(problem, file=sys.stderr)
    if reading.broken:
        return NO
    values = [
        {"key": key, "value": value, "from": _source(key, reading)}
        for key, value in leaves("", reading.values)
        if not any(key.startswith(f"{left_out}.") for left_out in reading.report.left_out)
    ]
    if args.json:
        print(json.dumps({"file": path, "values": values}, indent=2))
    else:
        print("\n".join([f"# {shown(path)}", *_aligned(values)]))
    return DONE


def leaves(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(key, value) of all that is not a mapping or a list with something in it."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(f"{key}.{name}" if key else name, inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(f"{key}[{index}]", inner)
    elif value is not None or "." in key:  # a section that is not there is not worth a line
        yield key, value


def _source(key: str, reading: config.Reading) -> str:
    marks = reading.report.marks
    mark = marks.get(key) or (marks.get(key.rpartition("[")[0]) if key.endswith("]") else None)  # `files: "*.py"`
    return f"{reading.report.file}:{mark[0]}" if mark else "default"


def _aligned(values: list[dict[str, Any]]) -> list[str]:
    lines = [(f"{row['key']}: {json.dumps(row['value'], ensure_ascii=False)}", row["from"]) for row in values]
    width = min(max((len(text) for text, _ in lines), default=0), 80)
    return [f"{text:<{width}}  # {source}" for text, source in lines]
