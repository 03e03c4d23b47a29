"""Each verb under each fault, at every change of a file that it makes; afterwards everything must be whole.

python -m stress.faults [--sample N] [--only TEXT]
"""

from __future__ import annotations

import argparse
import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stress.scenarios import SCENARIOS, Scenario
from stress.shim import Shim, built
from stress.small_disk import NoMount, SmallDisk, small_disk
from stress.wholeness import MARK, Ended, Whole, already_done, left_over, of_the_answer, of_the_files, whole

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
OF_THE_PROCESS = {"few descriptors": [f"{limit} descriptors" for limit in FEW_DESCRIPTORS], "vanished cwd": ["no cwd"]}
# fault -> what is done to a real disk of its own
OF_THE_DISK: dict[str, Callable[[SmallDisk], None]] = {
    "no byte free": lambda disk: disk.fill(),
    "a page or two free": lambda disk: disk.fill(2 * 4096),
    "disk mounted read-only": lambda disk: disk.lock(),
}
FAULTS = (*AT_EVERY_CHANGE, *AS_A_WHOLE, *OF_THE_PROCESS, *OF_THE_DISK)


@dataclass
class Tried:
    """What came of one fault in one scenario."""

    scenario: str
    fault: str
    tries: int = 0
    broken: list[str] = field(default_factory=list)
    note: str = ""


class Expected(NamedTuple):
    """A scenario without a fault: what there was before and afterwards, and how it ended."""

    before: Whole
    after: Whole
    clean: Ended


class Bed:
    """Where a scenario's project is made once and copied for each try."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shim = Shim(built(folder), folder / "page")
        self.home = folder / "home"
        self.home.mkdir()
        self._templates: dict[object, Path] = {}

    def tries(self, scenario: Scenario, sample: int = 0, faults: Collection[str] = FAULTS) -> Iterator[Tried]:
        """These faults at every change, or at `sample` of them."""
        template = self._template(scenario)
        project = self._copied(template, self.folder)
        clean = self._run(scenario, project, "count")
        expected = Expected(whole(template), whole(project), clean)
        points = _spread(self.shim.changes(), sample or scenario.most)
        shutil.rmtree(project)
        for fault in faults:
            tried = Tried(scenario.name, fault)
            if fault in OF_THE_DISK:
                self._try_disk(tried, scenario, template, expected)
            for words in _words(fault, points)[: sample or None]:
                project = self._copied(template, self.folder)
                self._try(tried, scenario, project, words, expected)
                shutil.rmtree(project)
            yield tried

    def _template(self, scenario: Scenario) -> Path:
        """The project before; scenarios that begin alike share it."""
        if scenario.prepare not in self._templates:
            template = self.folder / f"template-{len(self._templates)}"
            scenario.made(template)
            self._templates[scenario.prepare] = template
        return self._templates[scenario.prepare]

    def _try_disk(self, tried: Tried, scenario: Scenario, template: Path, expected: Expected) -> None:
        try:
            with small_disk(self.folder / "disk") as disk:
                project = self._copied(template, disk.folder)
                OF_THE_DISK[tried.fault](disk)
                self._try(tried, scenario, project, "count", expected, disk.free)
        except NoMount as error:
            (self.folder / "disk").rmdir()
            tried.note = str(error)

    def _try(
        self,
        tried: Tried,
        scenario: Scenario,
        project: Path,
        fault: str,
        expected: Expected,
        mend: Callable[[], None] = lambda: None,
    ) -> None:
        """Once with the fault and once more without it."""
        tried.tries += 1
        ended = self._run(scenario, project, fault)
        found = [*of_the_answer(scenario, ended, expected.clean)]
        found += of_the_files(project, expected.before, expected.after)
        mend()
        again = self._run(scenario, project, "count")
        if again.exit_code not in (expected.clean.exit_code, 0) and not already_done(again):
            found.append(f"the next try ended with {again.exit_code}: {again.stderr[-200:]!r}")
        found += of_the_files(project, expected.before, expected.after)
        tried.broken += [f"{fault}: {text}" for text in found]

    def _copied(self, template: Path, into: Path) -> Path:
        project = into / "project"
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
            preexec_fn=_before_it_begins(fault, self.folder / mark),
        )
        try:
            out, err = process.communicate(scenario.stdin(project), DEADLINE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Ended(-1, "", "it hung", left_over(mark))
        left = left_over(mark)
        for pid in left:  # told of; the next try shall not meet it
            os.kill(pid, signal.SIGKILL)
        return Ended(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), left)


def _before_it_begins(fault: str, nowhere: Path) -> Callable[[], None] | None:
    """What a process of "4 descriptors", or of "no cwd", does to itself first."""
    number, _, what = fault.partition(" ")
    if what == "descriptors":
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (int(number), int(number)))
    if fault == "no cwd":
        return lambda: _lose_cwd(nowhere)
    return None


def _lose_cwd(nowhere: Path) -> None:
    nowhere.mkdir()
    os.chdir(nowhere)
    nowhere.rmdir()


def _words(fault: str, points: list[int]) -> list[str]:
    """What is said to the shim, or to the process, for each try of a fault."""
    if fault in AT_EVERY_CHANGE:
        return [AT_EVERY_CHANGE[fault](at) for at in points]
    return [AS_A_WHOLE[fault]] if fault in AS_A_WHOLE else OF_THE_PROCESS.get(fault, [])


def _spread(changes: int, sample: int) -> list[int]:
    """All of 1..changes, or `sample` of them: the last, and others evenly before it."""
    if not sample or changes <= sample:
        return list(range(1, changes + 1))
    return [changes * (number + 1) // sample for number in range(sample)]


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
                    for text in [tried.note] * bool(tried.note) + tried.broken[:3]:
                        print(f"    {text}")
                    broken += len(tried.broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
