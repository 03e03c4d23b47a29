"""How we measure: everything interleaved in one shuffled run, so that a noisy machine is noisy for all rows alike.

    rows = [process("python -I -S -c pass", [python, "-I", "-S", "-c", "pass"]), Row("http", one_request)]
    interleave(rows, rounds=60)
    print(table(rows, rows[0]))

A figure is a median with the 95% interval of a bootstrap over rounds; a ratio is of medians within the same rounds.
Trust the ratios; milliseconds move with the machine.
"""

from __future__ import annotations

import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

CPU, WALL, INSTRUCTIONS, PEAK = "CPU ms", "wall ms", "M instr", "MB"
RESAMPLES = 500


@dataclass
class Row:
    """One thing to measure: a name, and a function that does it once and returns its figures."""

    name: str
    once: Callable[[], dict[str, float]]
    argv: Sequence[str] = ()  # of a process: what its memory and its instructions are counted with
    stdin: str = os.devnull
    seen: dict[str, list[float]] = field(default_factory=dict)  # figure -> one value per round
    facts: dict[str, float] = field(default_factory=dict)  # figure -> what is measured once

    def median(self, figure: str) -> float:
        return statistics.median(self.seen[figure]) if figure in self.seen else self.facts.get(figure, float("nan"))


class Interval(NamedTuple):
    """A value, and where 95% of the resampled ones lie."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def process(name: str, argv: Sequence[str], stdin: str = os.devnull) -> Row:
    """A command that is started with a file as its stdin: its CPU time, and how long it took."""
    return Row(name, lambda: _run(argv, stdin), argv, stdin)


def timed(name: str, call: Callable[[], object]) -> Row:
    """A function of ours: how long it takes."""

    def once() -> dict[str, float]:
        started = time.perf_counter()
        call()
        return {WALL: (time.perf_counter() - started) * 1000}

    return Row(name, once)


def interleave(rows: Sequence[Row], rounds: int) -> None:
    """Each round does every row once, in a new order; the first round warms the caches and is dropped."""
    for number in range(rounds + 1):
        for row in random.sample(rows, len(rows)):
            for figure, value in row.once().items():
                if number:
                    row.seen.setdefault(figure, []).append(value)


def weigh(rows: Sequence[Row]) -> None:
    """Peak memory and, where there is valgrind, instructions: the same number whatever else the machine does."""
    for row in rows:
        if row.argv:
            row.facts[PEAK] = _peak_mb(row)
            row.facts[INSTRUCTIONS] = _millions_of_instructions(row)


def interval(values: Sequence[float]) -> Interval:
    """The median, and how far chance may have moved it."""
    draws = sorted(statistics.median(random.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return Interval(statistics.median(values), *_middle(draws))


def ratio(row: Row, base: Row, figure: str) -> Interval:
    """One median over another. The same rounds are drawn for both, since they met the same machine."""
    ours, theirs = row.seen[figure], base.seen[figure]
    draws = []
    for _ in range(RESAMPLES):
        rounds = random.choices(range(len(ours)), k=len(ours))
        draws.append(statistics.median(ours[n] for n in rounds) / statistics.median(theirs[n] for n in rounds))
    return Interval(row.median(figure) / base.median(figure), *_middle(sorted(draws)))


def _middle(draws: list[float]) -> tuple[float, float]:
    return draws[round(0.025 * (len(draws) - 1))], draws[round(0.975 * (len(draws) - 1))]


def table(rows: Sequence[Row], base: Row) -> str:
    """Every figure of every row, each measured one with its interval and its ratio to the base row."""
    figures = [name for name in (CPU, WALL) if any(name in row.seen for row in rows)]
    facts = [name for name in (INSTRUCTIONS, PEAK) if any(row.facts.get(name) for row in rows)]
    width = max(len(row.name) for row in rows)
    heads = "".join(f" {name + ' [95%]':>22} {'x [95%]':>18}" for name in figures)
    heads += "".join(f" {name:>8} {'x':>6}" if name == INSTRUCTIONS else f" {name:>6}" for name in facts)
    lines = [" " * width + heads]
    for row in rows:
        cells = "".join(_measured(row, base, figure) for figure in figures)
        lines.append((f"{row.name:<{width}}" + cells + "".join(_weighed(row, base, fact) for fact in facts)).rstrip())
    return "\n".join(lines)


def _measured(row: Row, base: Row, figure: str) -> str:
    if figure not in row.seen:
        return " " * 42
    shown = str(ratio(row, base, figure)) if figure in base.seen else ""
    return f" {interval(row.seen[figure])!s:>22} {shown:>18}"


def _weighed(row: Row, base: Row, fact: str) -> str:
    value = row.facts.get(fact)
    if fact == PEAK:
        return f" {value:>6.1f}" if value else " " * 7
    compared = f"{value / base.facts[fact]:.2f}" if value and base.facts.get(fact) else ""
    return f" {value:>8.1f} {compared:>6}" if value else " " * 16


def machine() -> str:
    """Where and when, as one line."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), model)
    except OSError:
        pass
    today = datetime.now(UTC).date()
    system = f"{platform.system()} {platform.release().partition('-')[0]}"
    return f"{today}, {os.cpu_count()} x {model}, {system}, Python {platform.python_version()}"


def _run(argv: Sequence[str], stdin: str) -> dict[str, float]:
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
    _, _, usage = os.wait4(pid, 0)
    wall = (time.perf_counter() - started) * 1000
    return {CPU: (usage.ru_utime + usage.ru_stime) * 1000, WALL: wall}


# A started process begins with its parent's peak. A small parent in between keeps ours out of the figure.
_MIDDLEMAN = """
import posix, sys
pid = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ)
print(posix.wait4(pid, 0)[2].ru_maxrss, file=sys.stderr)
"""


def _peak_mb(row: Row) -> float:
    command = [sys.executable, "-I", "-S", "-c", _MIDDLEMAN, *row.argv]
    with open(row.stdin, "rb") as stdin:
        done = subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return int(done.stderr.split()[-1]) / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _millions_of_instructions(row: Row) -> float:
    valgrind = shutil.which("valgrind")
    if not valgrind:
        return 0.0
    command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={os.devnull}", *row.argv]
    with open(row.stdin, "rb") as stdin:
        done = subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    found = re.search(rb"Collected : (\d+)", done.stderr)
    return int(found[1]) / 1e6 if found else 0.0
