"""Each verb under each fault, at every change of a file that it makes; afterwards everything must be whole.

python -m stress.faults [--sample N] [--only TEXT]
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hookwright import journal_view
from stress.scenarios import SCENARIOS, SUITE, Scenario
from stress.shim import Shim, built

MARK = "HOOKWRIGHT_STRESS"  # in the environment of whatever a try started
DEADLINE_S = 60

# fault -> its words for the shim at the n-th change
AT_EVERY_CHANGE: dict[str, Callable[[int], str]] = {
    "killed before": lambda n: f"kill@{n}",
    "killed in the middle": lambda n: f"torn@{n}",
    "disk full from there": lambda n: f"errno={errno.ENOSPC}@{n}",
    "read-only from there": lambda n: f"errno={errno.EROFS}@{n}",
    "interrupted once": lambda n: f"once={errno.EINTR}@{n}",
}
AS_A_WHOLE = {"slow disk": "slow", "clock jumps": "clock"}
FEW_DESCRIPTORS = (5, 6, 8)  # with four, Python itself cannot start where a .pth file is read


@dataclass
class Tried:
    """What came of one fault in one scenario."""

    scenario: str
    fault: str
    tries: int = 0
    broken: list[str] = field(default_factory=list)


class Bed:
    """Where a scenario's project is made once and copied for each try."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shim = Shim(built(folder), folder / "page")
        self.home = folder / "home"
        self.home.mkdir()

    def tries(self, scenario: Scenario, sample: int = 0) -> Iterator[Tried]:
        """Every fault at every change, or at `sample` of them."""
        template = self.folder / f"template-{uuid.uuid4().hex}"
        scenario.made(template)
        project = self._copied(template)
        clean = self._run(scenario, project, "count")
        changes, after = self.shim.changes(), whole(project)
        shutil.rmtree(project)
        before = whole(template)
        for fault, words in AT_EVERY_CHANGE.items():
            tried = Tried(scenario.name, fault)
            for at in _spread(changes, sample if fault.startswith("killed") else (sample + 1) // 2):
                self._try(tried, scenario, template, words(at), (before, after, clean))
            yield tried
        for fault, word in AS_A_WHOLE.items():
            tried = Tried(scenario.name, fault)
            self._try(tried, scenario, template, word, (before, after, clean))
            yield tried
        tried = Tried(scenario.name, "few descriptors")
        for limit in FEW_DESCRIPTORS[: sample or None]:
            self._try(tried, scenario, template, f"{limit} descriptors", (before, after, clean))
        yield tried
        shutil.rmtree(template)

    def _try(
        self, tried: Tried, scenario: Scenario, template: Path, fault: str, expected: tuple[Whole, Whole, Ended]
    ) -> None:
        before, after, clean = expected
        project = self._copied(template)
        tried.tries += 1
        ended = self._run(scenario, project, fault)
        found = [*_of_the_answer(scenario, ended, clean), *_of_the_files(project, before, after)]
        again = self._run(scenario, project, "count")
        if again.exit_code not in (clean.exit_code, 0) and not _already_done(again):
            found.append(f"the next try ended with {again.exit_code}: {again.stderr[-200:]!r}")
        found += _of_the_files(project, before, after)
        tried.broken += [f"{fault}: {text}" for text in found]
        shutil.rmtree(project)

    def _copied(self, template: Path) -> Path:
        project = self.folder / "project"
        shutil.copytree(template, project, symlinks=True)
        return project

    def _run(self, scenario: Scenario, project: Path, fault: str) -> Ended:
        mark = uuid.uuid4().hex
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.home), "PYTHONDONTWRITEBYTECODE": "1", MARK: mark}
        process = subprocess.Popen(
            scenario.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=project,
            env=kept | self.shim.environment(fault),
            start_new_session=True,
            preexec_fn=_limit(fault),
        )
        try:
            out, err = process.communicate(scenario.stdin(project), DEADLINE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Ended(-1, out.decode(), "it hung", left_over(mark))
        return Ended(
            process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), left_over(mark)
        )


def _limit(fault: str) -> Callable[[], None] | None:
    """What a process of "4 descriptors" does to itself before it begins."""
    number, _, what = fault.partition(" ")
    if what != "descriptors":
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (int(number), int(number)))


@dataclass
class Ended:
    """How a process ended, and who of its children is still there."""

    exit_code: int
    stdout: str
    stderr: str
    left: list[int]


@dataclass
class Whole:
    """What must never be half: their settings, the suite's results, the journal's entries."""

    settings: dict[str, Any]
    results: int
    journal: int


def whole(project: Path) -> Whole:
    """What there is; raises where something cannot be read."""
    settings = {
        name: json.loads((project / ".claude" / name).read_text())
        for name in ("settings.json", "settings.local.json")
        if (project / ".claude" / name).exists()
    }
    state = project / ".claude/test-state.json"
    results = len(json.loads(state.read_text())["results"]) if state.exists() else 0
    return Whole(settings, results, _entries(project))


def _entries(project: Path) -> int:
    """How many entries the journal's reader finds; a torn line costs only itself."""
    return sum(1 for _ in journal_view.entries(str(project / ".hookwright")))


def _of_the_files(project: Path, before: Whole, after: Whole) -> Iterator[str]:
    try:
        now = whole(project)
    except (ValueError, KeyError) as error:
        yield f"a file cannot be read: {error}"
        return
    for name in before.settings.keys() | after.settings.keys():
        known = (before.settings.get(name), after.settings.get(name))
        if now.settings.get(name) not in known:
            yield f"{name} is neither what it was nor what it should be"
    if not before.results <= now.results <= before.results + 2:  # the step in flight, and the one tried again
        yield f"{now.results} results of {before.results}"
    if now.journal < before.journal:
        yield f"{before.journal - now.journal} journal entries lost"
    if (project / "tests/functional/tests.json").read_text() != json.dumps(SUITE):
        yield "the suite file has changed"


def _of_the_answer(scenario: Scenario, ended: Ended, clean: Ended) -> Iterator[str]:
    if ended.exit_code == -1:
        yield "it hung"
    if ended.left:
        yield f"left behind: {ended.left}"
    if "Traceback" in ended.stderr or "this is a bug" in ended.stderr:
        yield f"a traceback: {ended.stderr[-300:]!r}"
    if scenario.event is None:
        return
    if ended.exit_code not in (0, clean.exit_code, -signal.SIGKILL):
        yield f"the hook ended with {ended.exit_code}"
    if ended.exit_code == 0 and ended.stdout.strip() and not _is_json(ended.stdout):
        yield f"not an answer: {ended.stdout[:100]!r}"


def _already_done(again: Ended) -> bool:
    """What was complete when the fault came cannot be done twice, and says so in a sentence."""
    return again.exit_code in (1, 3) and "Traceback" not in again.stderr


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _spread(changes: int, sample: int) -> list[int]:
    """All of 1..changes, or `sample` of them: the last, and others evenly before it."""
    if not sample or changes <= sample:
        return list(range(1, changes + 1))
    return [changes * (number + 1) // sample for number in range(sample)]


def left_over(mark: str) -> list[int]:
    """Processes that carry a mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if wanted in Path(entry.path, "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:  # it has just gone
                continue
    return found


def main(argv: list[str] | None = None) -> int:
    """Print a line for each scenario and fault; 1 where something was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="at most this many points of each scenario; default: all")
    parser.add_argument("--only", default="", help="scenarios with this in their name")
    args = parser.parse_args(argv)
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        bed = Bed(Path(folder))
        for scenario in SCENARIOS:
            if args.only in scenario.name:
                for tried in bed.tries(scenario, args.sample):
                    print(
                        f"{tried.scenario:<26} {tried.fault:<22} {tried.tries:>5} tries {len(tried.broken):>3} broken"
                    )
                    for text in tried.broken[:3]:
                        print(f"    {text}")
                    broken += len(tried.broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
