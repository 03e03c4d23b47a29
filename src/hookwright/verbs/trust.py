"""`hookwright trust`: approve what a project's config runs, and say whether approval is needed at all."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator

from hookwright import config, paths, trust
from hookwright.bindings import Binding
from hookwright.errors import DONE, NO, Refusal
from hookwright.screen import on_one_line
from hookwright.verbs import check


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `trust` takes."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--require", action="store_true", help="from now on, run only what you have approved, in every project"
    )
    how.add_argument("--no-require", action="store_true", help="run every project's config again without asking")
    how.add_argument("--revoke", action="store_true", help="take the approval of this project back")
    how.add_argument("--status", action="store_true", help="say how things stand; exit 1 when something would not run")
    how.add_argument("--yes", action="store_true", help="approve without a question, for scripts and CI")
    parser.add_argument("--project", default=".", metavar="DIR", help="default: here")


def main(args: argparse.Namespace) -> int:
    """Do the one thing that was asked."""
    if args.require or args.no_require:
        trust.require(args.require)
        now = "is required now" if args.require else "is no longer required"
        print(f"approval {now}, in every project of yours ({trust.file()})")
        return DONE
    place = paths.find_config(os.path.abspath(args.project))
    if not place:
        raise Refusal("there is no .hookwright.yaml here or above, so there is nothing to approve.")
    if args.revoke:
        print("approval taken back" if trust.revoke(place) else "it was not approved")
        return DONE
    return _status(place) if args.status else _approve(place, args.yes)


def _status(place: str) -> int:
    reading = config.Reading(place, check.shown(place))
    approved = trust.approves(place, trust.digest(place, reading.handler_names()))
    print(f"{check.shown(place)}: {'approved as it is' if approved else 'not approved as it is'}")
    print("approval is required" if trust.required() else "approval is not required: `hookwright trust --require`")
    return DONE if approved or not trust.required() else NO


def _approve(place: str, without_asking: bool) -> int:
    reading = config.Reading(place, check.shown(place))
    if reading.broken:
        raise Refusal(f"{check.shown(place)} has mistakes; see `hookwright check`. Nothing was approved.")
    digest = trust.digest(place, reading.handler_names())
    _show(place, reading)
    if not without_asking and not _asked(place):
        print("not approved")
        return NO
    trust.approve(place, digest)
    print(f"approved    {check.shown(place)} and {_others(place, reading)}")
    if not trust.required():
        print("note        approval is not required yet: `hookwright trust --require`")
    return DONE


def _show(place: str, reading: config.Reading) -> None:
    """What would run, without running any of it: the handler files are named, not loaded."""
    table = config.rows_without_handlers(reading)
    for event, rows in table.rows.items():
        for binding in (Binding(*row) for row in rows):
            print(f"{event:<22} {binding.name}")
            for line in _lines(binding):
                print(f"{'':<22}   $ {line}")
    for path in trust.files(place, reading.handler_names()):
        if path != place and os.path.isfile(path):
            print(f"{'file':<22} {on_one_line(check.shown(path))} ({os.path.getsize(path):,} bytes)")


def _lines(binding: Binding) -> Iterator[str]:
    """Every line that a binding gives to a shell or starts itself: one that was left out would be approved unseen."""
    yield from str(binding.options.get("run") or "").splitlines()
    projects = binding.options.get("projects") or {}
    for commands in (options.get("commands") or {} for options in (binding.options, *projects.values())):
        yield from (shlex.join(words) for words in commands.values())


def _others(place: str, reading: config.Reading) -> str:
    count = sum(os.path.isfile(path) for path in trust.files(place, reading.handler_names())) - 1
    return f"{count} file{'' if count == 1 else 's'} with it"


def _asked(place: str) -> bool:
    """The person's answer. Raises Refusal where nobody can be asked."""
    if not sys.stdin.isatty():
        raise Refusal(
            "nobody can be asked here, so nothing was approved. Look at the above, then say `hookwright trust --yes`."
        )
    return input(f"Let {check.shown(place)} run this? [y/N] ").strip().lower() in ("y", "yes")
