"""Many events at once: lost ones, torn lines, latency, memory.

python -m stress.load [--processes 64] [--seconds 120]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from stress.scenarios import HOOK

Figures = dict[str, float]
CONFIG = "postToolUse:\n  commands:\n    - run: 'true'\n"


def fire_for(given: tuple[str, str, float]) -> tuple[list[str], list[tuple[float, float]]]:
    """One process: fire events one after the other until the time is over. (ids, [(when, ms)])"""
    project, who, until = given
    ids, took = [], []
    while time.time() < until:
        name = f"{who}-{len(ids)}"
        event = {"hook_event_name": "Notification", "cwd": project, "session_id": "load", "message": name}
        started = time.perf_counter()
        done = subprocess.run(HOOK, input=json.dumps(event).encode(), capture_output=True, check=False)
        took.append((time.time(), (time.perf_counter() - started) * 1000))
        if done.returncode or done.stdout or done.stderr:
            raise RuntimeError(f"{done.returncode} {done.stdout!r} {done.stderr!r}")
        ids.append(name)
    return ids, took


def journal_lines(project: Path, but: Collection[str] = ()) -> list[bytes]:
    """Every line of a project's journals, less those of files that were read before."""
    files = sorted((project / ".hookwright").glob("journal*.jsonl"))
    return [line for file in files if file.name not in but for line in file.read_bytes().splitlines()]


def of_the_journal(lines: list[bytes], name_of: Callable[[Any], str]) -> tuple[list[str], int]:
    """(the names in the journal, torn lines)."""
    names, torn = [], 0
    for line in lines:
        try:
            names.append(name_of(json.loads(line)))
        except (ValueError, KeyError):
            torn += 1
    return names, torn


def growth(took: list[tuple[float, float]]) -> float:
    """The median of the last quarter over that of the first."""
    ordered = [ms for _, ms in sorted(took)]
    quarter = max(1, len(ordered) // 4)
    return statistics.median(ordered[-quarter:]) / statistics.median(ordered[:quarter])


def told(sent: list[str], found: list[str], torn: int, took: list[tuple[float, float]]) -> Figures:
    """What came of the events that were sent."""
    milliseconds = sorted(ms for _, ms in took)
    return {
        "events": len(sent),
        "lost": len(set(sent) - set(found)),
        "doubled": len(found) - len(set(found)),
        "torn": torn,
        "p50_ms": statistics.median(milliseconds),
        "p99_ms": milliseconds[len(milliseconds) * 99 // 100],
        "growth": growth(took),
    }


def many_processes(processes: int, seconds: float) -> Figures:
    """Fire from many processes at one project; figures of what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / ".hookwright.yaml").write_text(CONFIG)
        until = time.time() + seconds
        with Pool(processes) as pool:
            fired = pool.map(fire_for, [(folder, str(number), until) for number in range(processes)], chunksize=1)
        sent = [name for ids, _ in fired for name in ids]
        took = [pair for _, pairs in fired for pair in pairs]
        found, torn = of_the_journal(journal_lines(project), lambda entry: entry["about"]["message"])
    return told(sent, found, torn, took)


def broken(figures: Figures) -> int:
    """How much of it must not be."""
    return int(sum(figures.get(name, 0) for name in ("lost", "doubled", "torn", "wrong")))


def printed(figures: Figures) -> int:
    """A line for each figure; 1 where something is broken."""
    for name, value in figures.items():
        print(f"{name:<10} {value:,.2f}".removesuffix(".00"))
    return 1 if broken(figures) else 0


def main(argv: list[str] | None = None) -> int:
    """Print the figures; 1 where an event was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120)
    args = parser.parse_args(argv)
    return printed(many_processes(args.processes, args.seconds))


if __name__ == "__main__":
    sys.exit(main())
