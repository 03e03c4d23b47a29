"""Everything under fire, and the table of docs/reliability.md: `python -m stress`, which is `make stress`.

The table goes to stdout, what is going on to stderr. Briefly: --sample 1 --seconds 5 --resident-seconds 5.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from stress import big_journal, load, resident_load, two_versions
from stress.faults import Bed
from stress.load import Figures, broken
from stress.scenarios import SCENARIOS
from stress.shim import NoCompiler


class Row(NamedTuple):
    """One thing that was tried."""

    what: str
    often: str
    lost: int
    figures: str = ""

    def __str__(self) -> str:
        return f"| {self.what} | {self.often} | {self.lost} | {self.figures} |"


def of_the_faults(args: argparse.Namespace) -> Iterator[Row]:
    """A row for each fault, over all scenarios."""
    tries, lost, notes = Counter[str](), Counter[str](), dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        try:
            bed = Bed(Path(folder))
        except NoCompiler as error:
            yield Row("faults", "0 tries", 0, str(error))
            return
        for scenario in SCENARIOS:
            _say(scenario.name)
            for tried in bed.tries(scenario, args.sample):
                tries[tried.fault] += tried.tries
                lost[tried.fault] += len(tried.broken)
                notes[tried.fault] = tried.note
                for text in tried.broken:
                    _say(f"{scenario.name}, {tried.fault}: {text}")
    for fault, count in tries.items():
        yield Row(fault, f"{count:,} tries, {len(SCENARIOS)} verbs and events", lost[fault], notes[fault])


def of_the_load(what: str, figures: Figures) -> Row:
    """A row of events: how many, and how long each took."""
    said = [f"p50 {figures['p50_ms']:.1f} ms", f"p99 {figures['p99_ms']:.1f} ms"] if "p50_ms" in figures else []
    said += [f"last quarter over first {figures['growth']:.2f}"] if "growth" in figures else []
    said += [f"{figures['per_second']:,.0f} events/s"] if "per_second" in figures else []
    said += [f"memory {figures['mb_first']:.0f} MB, then {figures['mb_last']:.0f} MB"] if "mb_first" in figures else []
    return Row(what, f"{figures['events']:,} events", broken(figures), ", ".join(said))


def of_the_journal(args: argparse.Namespace) -> Iterator[Row]:
    """A row for each look at a long journal."""
    for step, (small, large) in big_journal.compared(args.megabytes).items():
        figures = f"{large[0]:.2f} s, {large[1]:.0f} MB; beside 1 MB of journal: {small[0]:.2f} s, {small[1]:.0f} MB"
        yield Row(f"journal of {args.megabytes:,} MB: {step}", "once", 0, figures)


def of_two_versions(args: argparse.Namespace) -> Iterator[Row]:
    """One row: the events of two installations by turns."""
    yield of_the_load("two versions at once", two_versions.alternating(args.rounds))


def of_many_processes(args: argparse.Namespace) -> Iterator[Row]:
    """One row: events at one project from all sides."""
    figures = load.many_processes(args.processes, args.seconds)
    yield of_the_load(f"{args.processes} processes, {args.seconds:g} s, one project", figures)


def of_the_resident(args: argparse.Namespace) -> Iterator[Row]:
    """One row: events at the resident server, steadily."""
    figures = resident_load.steadily(args.rate, args.resident_seconds, 8)
    yield of_the_load(f"resident server, {args.rate:g} events/s for {args.resident_seconds:g} s", figures)


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "faults": of_the_faults,
    "versions": of_two_versions,
    "processes": of_many_processes,
    "resident": of_the_resident,
    "journal": of_the_journal,
}


def main(argv: list[str] | None = None) -> int:
    """Print the table; 1 where something was lost or broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS), help="default: all")
    parser.add_argument("--sample", type=int, default=0, help="points of each fault and verb; default: every change")
    parser.add_argument("--rounds", type=int, default=500, help="events of each of two versions")
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=1000, help="events a second to the resident server")
    parser.add_argument("--resident-seconds", type=float, default=600)
    parser.add_argument("--megabytes", type=int, default=1024, help="of journal")
    args = parser.parse_args(argv)
    print("| tried | how often | lost, doubled, torn or broken | figures |\n|---|---|---|---|")
    lost = 0
    for part in args.parts:
        _say(part)
        for row in PARTS[part](args):
            print(row, flush=True)
            lost += row.lost
    return 1 if lost else 0


def _say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
