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
from multiprocessing import Pool
from pathlib import Path

from stress.scenarios import HOOK

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


def journal_of(project: Path) -> tuple[list[str], int]:
    """(the ids in the journal, torn lines)."""
    ids, torn = [], 0
    for file in sorted((project / ".hookwright").glob("journal*.jsonl")):
        for line in file.read_bytes().splitlines():
            try:
                ids.append(json.loads(line)["about"]["message"])
            except (ValueError, KeyError):
                torn += 1
    return ids, torn


def growth(took: list[tuple[float, float]]) -> float:
    """The median of the last quarter over that of the first."""
    ordered = [ms for _, ms in sorted(took)]
    quarter = max(1, len(ordered) // 4)
    return statistics.median(ordered[-quarter:]) / statistics.median(ordered[:quarter])


def many_processes(processes: int, seconds: float) -> dict[str, float]:
    """Fire from many processes at one project; figures of what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / ".hookwright.yaml").write_text(CONFIG)
        until = time.time() + seconds
        with Pool(processes) as pool:
            fired = pool.map(fire_for, [(folder, str(number), until) for number in range(processes)], chunksize=1)
        sent = [name for ids, _ in fired for name in ids]
        took = [pair for _, pairs in fired for pair in pairs]
        found, torn = journal_of(project)
    return {
        "events": len(sent),
        "lost": len(set(sent) - set(found)),
        "doubled": len(found) - len(set(found)),
        "torn": torn,
        "p50_ms": statistics.median(ms for _, ms in took),
        "growth": growth(took),
    }


def main(argv: list[str] | None = None) -> int:
    """Print the figures; 1 where an event was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120)
    args = parser.parse_args(argv)
    figures = many_processes(args.processes, args.seconds)
    for name, value in figures.items():
        print(f"{name:<10} {value:,.2f}".removesuffix(".00"))
    return 1 if figures["lost"] or figures["doubled"] or figures["torn"] else 0


if __name__ == "__main__":
    sys.exit(main())
