"""Affected tests after an edit, measured on real projects against plain pytest and pytest-testmon.

python bench/affected.py                       # everything, about half an hour
python bench/affected.py --projects itsdangerous --mutations 3    # a minute
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from affected_mutations import Mutation, cosmetic, mutations
from affected_projects import SUBJECTS, Subject, prepared
from affected_synthetic import selection_ms

HOOKWRIGHT = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())", "test"]
READY_S = 60  # how long a pytest that is started ahead may take to be ready: nobody waits for it
PLAIN = ("-q", "--tb=line", "-p", "no:pytest-testmon", "-p", "failed_ids", "--continue-on-collection-errors")
TESTMON = ("-q", "--tb=line", "--testmon", "-p", "failed_ids")
PLUGIN = """
import os
failed = set()
def pytest_runtest_logreport(report):
    if report.failed:
        failed.add(report.nodeid)
def pytest_collectreport(report):
    if report.failed:
        failed.add(report.nodeid)
def pytest_sessionfinish(session):
    with open(os.environ["FAILED_IDS"], "w") as file:
        file.write("\\n".join(sorted(failed)))
"""
LIMIT_S = 240


@dataclass
class Tally:
    """What was seen of one project."""

    name: str
    tests: int = 0
    full_s: list[float] = field(default_factory=list)
    ours_s: list[float] = field(default_factory=list)
    warm_s: list[float] = field(default_factory=list)
    selected: list[float] = field(default_factory=list)  # share of the suite
    testmon_s: list[float] = field(default_factory=list)
    plain_s: list[float] = field(default_factory=list)
    recording_s: list[float] = field(default_factory=list)
    true: int = 0
    ours: int = 0
    testmon: int = 0
    detected: int = 0
    testmon_detected: int = 0
    breaking: int = 0
    missed: list[str] = field(default_factory=list)
    cosmetic: int = 0
    cosmetic_silent: int = 0


class Bed:
    """One project with its map and testmon's data recorded, put back after each mutation."""

    def __init__(self, subject: Subject, cache: Path, python: str) -> None:
        self.tree, self.python = prepared(subject, cache, python)
        self.code = self.tree / subject.code
        self.saved = self.tree.parent / "saved"
        self.ids = self.tree.parent / "failed-ids"
        plugins = self.tree.parent / "plugins"
        plugins.mkdir(exist_ok=True)
        (plugins / "failed_ids.py").write_text(PLUGIN)
        self.environment = {**os.environ, "PYTHONPATH": str(plugins), "FAILED_IDS": str(self.ids)}
        self.environment["COVERAGE_CORE"] = "ctrace"  # the other core loses which test ran what: unfair to testmon
        self.environment.pop("VIRTUAL_ENV", None)
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)  # containers set it; then every start compiles everything
        self.clock = int(time.time()) - 1_000_000
        self.configure(warm=False)

    def configure(self, warm: bool) -> None:
        (self.tree / ".hookwright.yaml").write_text(f"autoTest: {{enabled: true, warm: {str(warm).lower()}}}\n")

    def pytest(self, *words: str) -> tuple[float, set[str]]:
        """(seconds, failed tests) of one run."""
        self.ids.write_text("")
        began = time.perf_counter()
        command = [str(self.python), "-m", "pytest", *words]
        try:
            subprocess.run(command, cwd=self.tree, env=self.environment, capture_output=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return LIMIT_S, {"timeout"}
        return time.perf_counter() - began, set(self.ids.read_text().split("\n")) - {""}

    def ours(self, *words: str) -> tuple[float, dict[str, object]]:
        began = time.perf_counter()
        environment = {name: value for name, value in self.environment.items() if name != "PYTHONPATH"}
        done = subprocess.run([*HOOKWRIGHT, "--json", *words], cwd=self.tree, env=environment, capture_output=True)
        took = time.perf_counter() - began
        if not done.stdout:
            raise SystemExit(f"hookwright failed: {done.stderr.decode()}")
        return took, json.loads(done.stdout)

    def warmed(self, *words: str) -> tuple[float, dict[str, object]] | None:
        """The same by a pytest that was started ahead; None where the project is not fit for it."""
        self.configure(warm=True)
        try:
            self.ours(*words)  # starts the one for the next run
            until = time.monotonic() + READY_S
            while not list(self.tree.glob(".hookwright/state/*/warm-*")) and time.monotonic() < until:
                time.sleep(0.05)
            if not list(self.tree.glob(".hookwright/state/*/warm-*-*")):
                return None
            self.restore()
            return self.ours(*words)
        finally:
            self.configure(warm=False)
            for pipe in self.tree.glob(".hookwright/state/*/warm-*-*"):
                pipe.unlink()  # whoever waits there goes

    def write(self, file: Path, content: bytes) -> None:
        """With a date of its own: Python compares whole seconds, and a restored file must not look like its mutant."""
        file.write_bytes(content)
        self.clock += 2
        os.utime(file, (self.clock, self.clock))

    def save(self) -> None:
        shutil.rmtree(self.saved, ignore_errors=True)
        self.saved.mkdir()
        shutil.copytree(self.tree / ".hookwright", self.saved / ".hookwright")
        shutil.copy2(self.tree / ".testmondata", self.saved / ".testmondata")

    def restore(self) -> None:
        """What both tools knew before; a pytest that waits goes on waiting."""
        for file in (self.tree / ".hookwright").rglob("*"):
            if file.is_file() and not file.name.startswith("warm"):
                file.unlink()
        shutil.copytree(self.saved / ".hookwright", self.tree / ".hookwright", dirs_exist_ok=True)
        for file in self.tree.glob(".testmondata*"):
            file.unlink()
        shutil.copy2(self.saved / ".testmondata", self.tree / ".testmondata")


def measure(subject: Subject, wanted: int, seed: int, cache: Path, python: str) -> Tally:
    bed = Bed(subject, cache, python)
    tally = Tally(subject.name)
    for leftover in (".hookwright", ".testmondata", ".testmondata-shm", ".testmondata-wal"):
        path = bed.tree / leftover
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    known = baseline(bed, tally)
    for mutation in mutations(bed.code, seed):
        if tally.breaking >= wanted:
            break
        one_mutation(bed, mutation, known, tally)
        print(f"  {tally.breaking}/{wanted} {mutation.what}", file=sys.stderr, flush=True)
    for file in sorted(bed.code.rglob("*.py"))[:5]:
        one_cosmetic(bed, file, tally)
    return tally


def baseline(bed: Bed, tally: Tally) -> set[str]:
    """Record with both tools, in turns with the plain suite; what fails or flickers already does not count."""
    known: set[str] = set()
    bed.pytest(*PLAIN)
    bed.ours("--all")  # the first one also reads every file
    for _ in range(2):
        took, failed = bed.pytest(*PLAIN)
        tally.plain_s.append(took)
        known |= failed
        took, document = bed.ours("--all")
        tally.recording_s.append(took)
        tally.tests = len(document["selected"])  # type: ignore[arg-type]
        known |= set(document["failed"])  # type: ignore[call-overload]
    known |= bed.pytest(*TESTMON)[1]
    bed.save()
    return known


def one_mutation(bed: Bed, mutation: Mutation, known: set[str], tally: Tally) -> None:
    source, dates = mutation.file.read_bytes(), mutation.file.stat()
    mutant = mutation.applied(source)
    try:
        compile(mutant, str(mutation.file), "exec", dont_inherit=True)
    except SyntaxError:
        return
    try:
        bed.write(mutation.file, mutant)
        full_s, failed = bed.pytest(*PLAIN)
        true = failed - known
        if not true or "timeout" in true:
            return
        compared(bed, mutation, true, full_s, known, tally)
    finally:
        mutation.file.write_bytes(source)
        os.utime(mutation.file, ns=(dates.st_atime_ns, dates.st_mtime_ns))
        bed.restore()


def compared(bed: Bed, mutation: Mutation, true: set[str], full_s: float, known: set[str], tally: Tally) -> None:
    ours_s, document = bed.ours(str(mutation.file.relative_to(bed.tree)))
    testmon_s, by_testmon = bed.pytest(*TESTMON)
    failures = {entry["test"] for entry in document["failures"]} - known  # type: ignore[attr-defined]
    tally.breaking += 1
    tally.selected.append(len(document["selected"]) / max(tally.tests, 1))  # type: ignore[arg-type]
    bed.restore()
    if (warmed := bed.warmed(str(mutation.file.relative_to(bed.tree)))) is not None:
        tally.warm_s.append(warmed[0] / full_s)
    tally.full_s.append(full_s)
    tally.ours_s.append(ours_s)
    tally.testmon_s.append(testmon_s)
    tally.detected += document["verdict"] in ("failed", "error") and bool(failures)
    tally.testmon_detected += bool(by_testmon - known)
    tally.true += len(true)
    tally.ours += len(true & failures)
    tally.testmon += len(true & by_testmon)
    if missed := sorted(true - failures):
        passing = len(missed) - len(bed.pytest(*PLAIN, *missed)[1] & true)
        share = f"{len(true & failures)} of {len(true)}, e.g. not {missed[0]}"
        tally.missed.append(f"{mutation.what}: {share}; {passing} of the {len(missed)} missed pass when run alone")


def one_cosmetic(bed: Bed, file: Path, tally: Tally) -> None:
    source, dates = file.read_bytes(), file.stat()
    try:
        bed.write(file, cosmetic(source))
        document = bed.ours(str(file.relative_to(bed.tree)))[1]
        tally.cosmetic += 1
        tally.cosmetic_silent += document["verdict"] == "nothing" and not document["selected"]
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(dates.st_atime_ns, dates.st_mtime_ns))
        bed.restore()


def report(tallies: list[Tally]) -> str:
    lines = [
        "| project | tests | breaking | detected (testmon) | true failures reported (testmon) "
        "| of the suite selected | edit to verdict: ours, testmon, full suite | started ahead / full "
        "| recording run / plain | cosmetic silent |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for tally in [*tallies, _together(tallies)]:
        lines.append(_row(tally))
    lines += [f"- missed in {tally.name}: {missed}" for tally in tallies for missed in tally.missed]
    return "\n".join(lines)


def _row(tally: Tally) -> str:
    median = {name: _median(getattr(tally, f"{name}_s")) for name in ("ours", "testmon", "full")}
    times = f"{median['ours']:.2f} s, {median['testmon']:.2f} s, {median['full']:.2f} s"
    ratio = _median([ours / full for ours, full in zip(tally.ours_s, tally.full_s, strict=True)])
    recording = _median([ours / plain for ours, plain in zip(tally.recording_s, tally.plain_s, strict=True)])
    return (
        f"| {tally.name} | {tally.tests} | {tally.breaking} | {tally.detected} ({tally.testmon_detected}) "
        f"| {_percent(tally.ours, tally.true)} ({_percent(tally.testmon, tally.true)}) "
        f"| {_median(tally.selected):.0%} | {times} ({ratio:.0%} of full) | {_median(tally.warm_s):.0%} "
        f"| {recording:.2f} | {tally.cosmetic_silent}/{tally.cosmetic} |"
    )


def _together(tallies: list[Tally]) -> Tally:
    whole = Tally("together")
    for tally in tallies:
        for name, value in vars(tally).items():
            if name not in ("name", "missed"):
                setattr(whole, name, getattr(whole, name) + value)
    return whole


def _median(values: list[float]) -> float:
    return statistics.median(values) if values else float("nan")


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--projects", nargs="*", default=[subject.name for subject in SUBJECTS])
    parser.add_argument("--mutations", type=int, default=10, help="breaking ones per project")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the projects")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/hookwright-bench")
    args = parser.parse_args()
    cache = args.cache / Path(args.python).resolve().parent.parent.name
    tallies = []
    for subject in (subject for subject in SUBJECTS if subject.name in args.projects):
        print(subject.name, file=sys.stderr)
        tallies.append(measure(subject, args.mutations, args.seed, cache, args.python))
        print("\n".join([_row(tallies[-1]), *tallies[-1].missed]), file=sys.stderr, flush=True)
    print(report(tallies))
    print(f"\nselection on 1,000 modules: {selection_ms(args.cache / 'synthetic', args.python):.0f} ms")


if __name__ == "__main__":
    main()
