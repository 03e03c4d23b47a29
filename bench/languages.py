"""From an edit to the verdict, against all tests by the tool itself: one table for all languages but Python.

python bench/languages.py                     # everything
python bench/languages.py --write             # and put the table into docs/languages.md
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
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from languages_projects import MIDDLE, SUBJECTS, Subject, middle_file

HOOKWRIGHT = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())", "test", "--json"]
LIMIT_S = 600
HEAD = ("| project | runner | edited | tests run | edit to verdict, s | all tests, s | ratio |", "|---" * 7 + "|")
DOCUMENT = Path(__file__).resolve().parent.parent / "docs/languages.md"
MARKS = ("<!-- bench/languages.py -->", "<!-- end -->")


@dataclass
class Measured:
    """What was seen of one project."""

    subject: Subject
    edited: str
    ours_s: list[float] = field(default_factory=list)
    full_s: list[float] = field(default_factory=list)
    ran: int = 0
    all: int = 0
    word: str = ""

    def row(self) -> str:
        ours, full = statistics.median(self.ours_s), statistics.median(self.full_s)
        subject = self.subject
        counts = f"{self.ran} of {self.all}"
        project = f"{subject.name} | {subject.runner} | {Path(self.edited).name}"
        return f"| {project} | {counts} | {ours:.2f} | {full:.2f} | {ours / full:.2f} |"


class Bed:
    """One project in a folder of the cache, edited again and again."""

    def __init__(self, subject: Subject, cache: Path) -> None:
        self.subject = subject
        self.folder = cache / f"{subject.name}-{subject.runner}".replace(" ", "-").replace("/", "-")
        self.count = int(time.time())
        self.environment = {**os.environ, **dict(subject.variables)}
        if not (self.folder / ".git").exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            print(f"preparing {subject.name}", file=sys.stderr)
            subject.prepare(self.folder)
            (self.folder / ".git").mkdir()  # the mark of a project's top
        self.edited = middle_file(self.folder) if subject.edited == MIDDLE else subject.edited
        self.file = self.folder / self.edited
        self.original = self.file.read_text()

    def edit(self) -> None:
        self.count += 1
        self.file.write_text(f"{self.original}\n{self.subject.line.format(self.count % 1_000_000)}\n")

    def ours(self, *words: str) -> tuple[float, dict[str, object]]:
        began = time.perf_counter()
        done = self._run([*HOOKWRIGHT, *words])
        took = time.perf_counter() - began
        if not done.stdout:
            raise SystemExit(f"hookwright failed: {done.stderr.decode()}")
        return took, json.loads(done.stdout)

    def full(self) -> float:
        began = time.perf_counter()
        self._run(self.subject.full)
        return time.perf_counter() - began

    def _run(self, words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, timeout=LIMIT_S)


def measure(subject: Subject, cache: Path, rounds: int) -> Measured:
    """Both ways in turn, in a new order each round; the first round warms the caches and is dropped."""
    bed = Bed(subject, cache)
    seen = Measured(subject, bed.edited)
    try:
        seen.all = _ran(bed.ours("--all")[1])
        for number in range(rounds + 1):
            for way in random.sample(["ours", "full"], 2):
                bed.edit()
                if way == "full":
                    took, times = bed.full(), seen.full_s
                else:
                    took, told = bed.ours(bed.edited)
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
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/hookwright-bench/languages")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{DOCUMENT.name}")
    args = parser.parse_args()
    chosen = [each for each in SUBJECTS if each.runner.startswith(args.only) or each.name.startswith(args.only)]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start"
    lines = [f"{date.today()}, {machine}, the median of {args.rounds} rounds:", "", *HEAD]
    print("\n".join(lines), flush=True)
    began = time.monotonic()
    for subject in chosen:
        lines.append(_row(subject, args.cache, args.rounds))
        print(lines[-1], flush=True)
    print(f"{time.monotonic() - began:.0f} s in all", file=sys.stderr)
    if args.write:
        before, _, rest = DOCUMENT.read_text().partition(MARKS[0])
        DOCUMENT.write_text("\n".join([before + MARKS[0], *lines, MARKS[1] + rest.partition(MARKS[1])[2]]))


def _row(subject: Subject, cache: Path, rounds: int) -> str:
    if not shutil.which(subject.tool):
        return f"| {subject.name} | {subject.runner} | {subject.tool} is not on this machine | | | | |"
    return measure(subject, cache, rounds).row()


if __name__ == "__main__":
    main()
