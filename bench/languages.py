"""From an edit to the verdict, against all tests by the tool itself: one table for all languages but Python.

python bench/languages.py                     # everything
python bench/languages.py --only go --rounds 1
Python is measured by bench/affected.py. Both ways begin with an edit of the same file that was not seen before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from languages_projects import SUBJECTS, Subject

HOOKWRIGHT = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())", "test", "--json"]
LIMIT_S = 600


@dataclass
class Measured:
    """What was seen of one project."""

    subject: Subject
    ours_s: list[float] = field(default_factory=list)
    full_s: list[float] = field(default_factory=list)
    ran: int = 0
    all: int = 0
    word: str = ""

    def row(self) -> str:
        ours, full = statistics.median(self.ours_s), statistics.median(self.full_s)
        subject = self.subject
        counts = f"{self.ran} of {self.all}"
        return f"| {subject.name} | {subject.runner} | {counts} | {ours:.2f} | {full:.2f} | {ours / full:.2f} |"


class Bed:
    """One project in a folder of the cache, edited again and again."""

    def __init__(self, subject: Subject, cache: Path) -> None:
        self.subject = subject
        self.folder = cache / f"{subject.name}-{subject.runner}".replace(" ", "-").replace("/", "-")
        self.count = int(time.time())
        if not (self.folder / ".git").exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            print(f"preparing {subject.name}", file=sys.stderr)
            subject.prepare(self.folder)
            (self.folder / ".git").mkdir()  # the mark of a project's top
        self.file = self.folder / subject.edited
        self.original = self.file.read_text()

    def edit(self) -> None:
        self.count += 1
        self.file.write_text(f"{self.original}\n{self.subject.line.format(self.count % 1_000_000)}\n")

    def ours(self, *words: str) -> tuple[float, dict[str, object]]:
        began = time.perf_counter()
        done = subprocess.run([*HOOKWRIGHT, *words], cwd=self.folder, capture_output=True, timeout=LIMIT_S)
        took = time.perf_counter() - began
        if not done.stdout:
            raise SystemExit(f"hookwright failed: {done.stderr.decode()}")
        return took, json.loads(done.stdout)

    def full(self) -> float:
        began = time.perf_counter()
        subprocess.run(self.subject.full, cwd=self.folder, capture_output=True, timeout=LIMIT_S)
        return time.perf_counter() - began


def measure(subject: Subject, cache: Path, rounds: int) -> Measured:
    """Both ways in turn, in a new order each round; the first round warms the caches and is dropped."""
    bed, seen = Bed(subject, cache), Measured(subject)
    try:
        seen.all = _ran(bed.ours("--all")[1])
        for number in range(rounds + 1):
            for way in random.sample(["ours", "full"], 2):
                bed.edit()
                if way == "full":
                    took, times = bed.full(), seen.full_s
                else:
                    took, told = bed.ours(subject.edited)
                    seen.ran, seen.word, times = _ran(told), str(told["verdict"]), seen.ours_s
                times += [took] if number else []
    finally:
        bed.file.write_text(bed.original)
    if seen.word not in ("passed", "failed"):
        print(f"{subject.name}, {subject.runner}: {seen.word}", file=sys.stderr)
    return seen


def _ran(told: dict[str, object]) -> int:
    failed = told["failed"]
    return int(str(told["passed"])) + (len(failed) if isinstance(failed, list) else 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="subjects whose runner or name begins so")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/hookwright-bench/languages")
    args = parser.parse_args()
    chosen = [each for each in SUBJECTS if each.runner.startswith(args.only) or each.name.startswith(args.only)]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{date.today()}, {machine}, {args.rounds} rounds")
    print("| project | runner | tests run | edit to verdict, s | all tests, s | ratio |\n|---|---|---|---|---|---|")
    for subject in chosen:
        if not shutil.which(subject.runner.split()[0]) and not shutil.which("npm"):
            print(f"| {subject.name} | {subject.runner} | not on this machine | | | |")
            continue
        print(measure(subject, args.cache, args.rounds).row(), flush=True)


if __name__ == "__main__":
    main()
