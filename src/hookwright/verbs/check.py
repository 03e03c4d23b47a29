"""`hookwright check`: everything that is wrong with the config, or one line that nothing is."""

from __future__ import annotations

import argparse
import os

from hookwright import config, keys, paths
from hookwright.errors import DONE, NO, Refusal


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `check` takes."""
    parser.add_argument("path", nargs="?", metavar="PATH", help="a config, or a folder at or below one; default: here")


def main(args: argparse.Namespace) -> int:
    """Check, and tell."""
    path = chosen(args.path)
    reading, files = config.examine(path, shown(path))
    problems, warnings = sorted(reading.report.problems), sorted(reading.report.warnings)
    for warning in warnings:
        print(f"warning: {warning}")
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{shown(path)}: {_summary(reading, files)}: no problems")
    return NO if problems else DONE


def chosen(path: str | None) -> str:
    """The config that a user means: a file as it is, else the nearest one. Raises Refusal where there is none."""
    start = os.path.abspath(path or os.getcwd())
    if path and not os.path.exists(start):
        raise Refusal(f"there is no {path}")
    found = start if os.path.isfile(start) else paths.find_config(start)
    if not found:
        raise Refusal(f"there is no {paths.CONFIG_NAMES[0]} in {start} or above it")
    return found


def shown(path: str) -> str:
    """A path as a user would type it here."""
    near = os.path.relpath(path)
    return path if near.startswith("../..") else near


def _summary(reading: config.Reading, files: list[config.HandlerFile]) -> str:
    commands = [command for section in keys.SECTIONS for command in reading.commands(section)]
    events = len({command.event_name for command in commands})
    handlers = sum(len(file.found) for file in files)
    said = [section for section in config.FEATURES if config.of_a_feature(section, reading)[0]]
    if handlers:
        said.insert(0, _count(handlers, "handler"))
    if commands or not said:
        said.insert(0, f"{_count(len(commands), 'command')} on {_count(events, 'event')}")
    return ", ".join(said)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
