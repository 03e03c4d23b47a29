"""Two versions of hookwright at once: their events alternate in one project, from several processes each.

python -m stress.two_versions [--rounds 20]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hookwright
from stress.load import Figures, journal_lines, of_the_journal, printed

CONFIG = 'handlers: [".hookwright/handlers.py"]\nsuite: {drive: manual}\n'
HANDLERS = (
    "from hookwright import deny, on\n@on.PreToolUse\ndef no(event):\n    return deny(event.tool_input['name'])\n"
)
AT_ONCE = 4
TESTS = 6


def other_version(folder: Path) -> Path:
    """A copy of the package that calls itself another version; where it can be imported from."""
    shutil.copytree(
        Path(hookwright.__file__).parent, folder / "hookwright", ignore=shutil.ignore_patterns("__pycache__")
    )
    init = folder / "hookwright/__init__.py"
    text = init.read_text()
    assert hookwright.__version__ in text
    init.write_text(text.replace(hookwright.__version__, "99.0.0", 1))
    return folder


class Pair:
    """One project, and two installations that serve it in turn."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        (self.project / ".hookwright").mkdir(parents=True)
        (self.project / ".hookwright.yaml").write_text(CONFIG)
        (self.project / ".hookwright/handlers.py").write_text(HANDLERS)
        tests = [{"id": f"t{n}", "action": "Say hello", "expect": [{"contains": "o"}]} for n in range(TESTS)]
        (self.project / "tests.json").write_text(json.dumps({"tests": tests}))
        self.homes = [Path(hookwright.__file__).parents[1], other_version(folder / "other")]

    def fire(self, number: int) -> tuple[str, bool]:
        """(its name, whether it was answered as it should be): the versions take turns."""
        name = f"event-{number}"
        event = {"hook_event_name": "PreToolUse", "cwd": str(self.project), "tool_name": "Bash", "session_id": "s"}
        boot = self.homes[number % 2] / "hookwright/boot.py"
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(boot)],
            input=json.dumps({**event, "tool_input": {"name": name}}).encode(),
            capture_output=True,
            check=False,
        )
        return name, done.returncode == 0 and f'"{name}"'.encode() in done.stdout and not done.stderr

    def suite(self) -> int:
        """How many results a run has in whose steps the versions take turns."""
        self._typed(0, "suite", "init", "--suite", "tests.json")
        for number in range(TESTS):
            self._typed(number, "suite", "next")
            self._typed(number + 1, "suite", "validate", "hello")
        state = json.loads((self.project / ".claude/test-state.json").read_text())
        return len({result["id"] for result in state["results"]})

    def _typed(self, number: int, *argv: str) -> None:
        path = {"PYTHONPATH": str(self.homes[number % 2]), "PATH": "/usr/bin:/bin"}
        words = [sys.executable, "-m", "hookwright", *argv]
        subprocess.run(words, cwd=self.project, env=path, check=True, capture_output=True)


def alternating(rounds: int) -> Figures:
    """Figures of so many events of each version."""
    with tempfile.TemporaryDirectory() as name:
        pair = Pair(Path(name))
        with ThreadPoolExecutor(AT_ONCE) as threads:
            fired = list(threads.map(pair.fire, range(2 * rounds)))
        found, torn = of_the_journal(journal_lines(pair.project), lambda entry: entry["about"]["tool_input"]["name"])
        sent = [one for one, _ in fired]
        return {
            "events": len(sent),
            "lost": len(set(sent) - set(found)) + TESTS - pair.suite(),
            "doubled": len(found) - len(set(found)),
            "torn": torn,
            "wrong": sum(not right for _, right in fired),
        }


def main(argv: list[str] | None = None) -> int:
    """Print the figures; 1 where something is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="events of each version")
    return printed(alternating(parser.parse_args(argv).rounds))


if __name__ == "__main__":
    sys.exit(main())
