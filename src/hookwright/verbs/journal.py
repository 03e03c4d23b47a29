"""`hookwright journal tail|show|stats`: what ran, why, and how long it took."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice

from hookwright import journal_view, paths
from hookwright.errors import Refusal
from hookwright.events import canonical
from hookwright.journal_view import Entry


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `journal` takes."""
    views = parser.add_subparsers(dest="view", metavar="VIEW", required=True)
    tail = views.add_parser("tail", help="the last entries, a line each")
    tail.add_argument("-n", type=int, default=20, metavar="N", help="how many; default: %(default)s")
    tail.add_argument("-f", "--follow", action="store_true", help="go on as new ones come")
    show = views.add_parser("show", help="whole entries")
    show.add_argument("-n", type=int, default=1, metavar="N", help="how many of the last; default: %(default)s")
    stats = views.add_parser("stats", help="counts, failures and percentiles")
    for view in (tail, show, stats):
        view.add_argument("--event", help="only this event")
        view.add_argument("--tool", help="only this tool")
        view.add_argument("--session", help="only this session")
        view.add_argument("--failed", action="store_true", help="only where something went wrong")
        view.add_argument("--json", action="store_true", help="for programs")
        view.add_argument("--project", default=".", metavar="DIR", help="default: here")


def main(args: argparse.Namespace) -> int:
    """Print the view."""
    config = paths.find_config(os.path.abspath(args.project))
    if not config:
        raise Refusal("there is no .hookwright.yaml here or above, so there is no journal.")
    folder = paths.our_folder(config)
    if args.view == "stats":
        print(_stats(_chosen(journal_view.entries(folder), args), args.json))
        return 0
    show = _whole if args.view == "show" else _line
    chosen = islice(_chosen(journal_view.newest_first(folder), args), max(args.n, 0))
    for entry in reversed(list(chosen)):
        print(json.dumps(entry) if args.json else show(entry))
    if args.view == "tail" and args.follow:
        for entry in _chosen(journal_view.follow(folder), args):
            print(json.dumps(entry) if args.json else show(entry), flush=True)
    return 0


def _chosen(entries: Iterable[Entry], args: argparse.Namespace) -> Iterator[Entry]:
    wanted = {"event": args.event and canonical(args.event), "tool": args.tool, "session": args.session}
    for entry in entries:
        if all(not value or entry.get(key) == value for key, value in wanted.items()) and (
            not args.failed or journal_view.failed(entry)
        ):
            yield entry


def _line(entry: Entry) -> str:
    """One entry on one line: when, what, what came of it."""
    ran = ", ".join(f"{row.get('binding')} {row.get('outcome')}" for row in journal_view.ran_in(entry))
    if "background" in entry:
        ran = f"in the background: {entry['background']}"
    notes = "".join(f"  ! {note}" for note in journal_view.notes_in(entry))
    tool = f"({entry['tool']})" if entry.get("tool") else ""
    what = f"{entry.get('event')}{tool}"
    took = f"{entry.get('ms', '-')!s:>7} ms"
    return _plain(f"{entry.get('time')}  {what:<32} {took}  {ran or 'nothing bound'}{notes}")


def _whole(entry: Entry) -> str:
    return json.dumps(entry, indent=2, ensure_ascii=True)


def _plain(text: str) -> str:
    """On one line, whatever a name or a note contains."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _stats(chosen: Iterator[Entry], as_json: bool) -> str:
    figures = journal_view.stats(chosen)
    if as_json:
        return json.dumps(figures, indent=2)
    lines = []
    for kind, measured in (("EVENT (our own ms)", figures["events"]), ("HANDLER (its ms)", figures["handlers"])):
        lines.append(f"{kind:<44} {'COUNT':>7} {'FAILED':>7} {'P50':>9} {'P95':>9} {'P99':>9}")
        for name, row in measured.items():
            times = " ".join(f"{row[p]:>9.1f}" for p in ("p50", "p95", "p99"))
            lines.append(f"{_plain(name):<44} {row['count']:>7} {row['failed']:>7} {times}")
        lines.append("" if measured else "  (none yet)\n")
    return "\n".join(lines).rstrip()
