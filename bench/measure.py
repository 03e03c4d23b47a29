"""How we measure: commands interleaved in one shuffled run, so that a noisy machine is noisy for all of them alike."""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field


@dataclass
class Variant:
    """One command, and what was measured of it."""

    name: str
    argv: list[str]
    stdin: str = os.devnull
    cpu_ms: list[float] = field(default_factory=list)
    wall_ms: list[float] = field(default_factory=list)
    peak_mb: float = 0.0
    instructions: int = 0

    @property
    def cpu(self) -> float:
        return statistics.median(self.cpu_ms)

    @property
    def wall(self) -> float:
        return statistics.median(self.wall_ms)


def run_interleaved(variants: list[Variant], rounds: int) -> None:
    """Each round runs every variant once, in a new order; the first round warms the caches and is dropped."""
    for number in range(rounds + 1):
        for variant in random.sample(variants, len(variants)):
            cpu_ms, wall_ms = _once(variant)
            if number:
                variant.cpu_ms.append(cpu_ms)
                variant.wall_ms.append(wall_ms)
    for variant in variants:
        variant.peak_mb = _peak_mb(variant)


# A started process begins with its parent's peak. A small parent in between keeps ours out of the figure.
_MIDDLEMAN = """
import posix, sys
pid = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ)
print(posix.wait4(pid, 0)[2].ru_maxrss, file=sys.stderr)
"""


def _peak_mb(variant: Variant) -> float:
    command = [sys.executable, "-I", "-S", "-c", _MIDDLEMAN, *variant.argv]
    with open(variant.stdin, "rb") as stdin:
        done = subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return int(done.stderr.split()[-1]) / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _once(variant: Variant) -> tuple[float, float]:
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, variant.stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(variant.argv[0], variant.argv, os.environ, file_actions=actions)
    _, _, usage = os.wait4(pid, 0)
    return (usage.ru_utime + usage.ru_stime) * 1000, (time.perf_counter() - started) * 1000


def count_instructions(variant: Variant) -> None:
    """The same number whatever else the machine does; 0 where there is no valgrind."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        return
    command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={os.devnull}", *variant.argv]
    with open(variant.stdin, "rb") as stdin:
        done = subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    found = re.search(rb"Collected : (\d+)", done.stderr)
    variant.instructions = int(found[1]) if found else 0


def table(variants: list[Variant], base: Variant) -> str:
    """Medians, and ratios to the first variant; the ratios are what can be compared between machines."""
    lines = [f"{'':<44} {'CPU ms':>8} {'x':>6} {'wall ms':>8} {'x':>6} {'M instr':>8} {'x':>6} {'MB':>6}"]
    for variant in variants:
        instructions = ratio = "-"
        if variant.instructions and base.instructions:
            instructions = f"{variant.instructions / 1e6:.1f}"
            ratio = f"{variant.instructions / base.instructions:.2f}"
        lines.append(
            f"{variant.name:<44} {variant.cpu:>8.2f} {variant.cpu / base.cpu:>6.2f} {variant.wall:>8.2f}"
            f" {variant.wall / base.wall:>6.2f} {instructions:>8} {ratio:>6} {variant.peak_mb:>6.1f}"
        )
    return "\n".join(lines)
