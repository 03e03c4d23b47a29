"""A journal of a gigabyte: what an event, `tail` and `stats` cost beside one of a megabyte.

python -m stress.big_journal [--megabytes 1024]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from stress.scenarios import HOOK, HOOKWRIGHT, QUIET

STEPS = {
    "tail -n 20": [*HOOKWRIGHT, "journal", "tail", "-n", "20"],
    "stats": [*HOOKWRIGHT, "journal", "stats"],
    "one event": HOOK,
}

# A process's peak begins with that of whoever started it, so that one must be small.
WATCH = """\
import posix, sys, time
began = time.perf_counter()
_, status, usage = posix.wait4(posix.posix_spawn(sys.argv[2], sys.argv[2:], posix.environ), 0)
with open(sys.argv[1], "w") as figures:
    figures.write(f"{time.perf_counter() - began} {usage.ru_maxrss}")
posix._exit(posix.waitstatus_to_exitcode(status))
"""


def project_with(megabytes: int, folder: Path) -> Path:
    """A project whose config is compiled and whose journal has this size."""
    (folder / ".hookwright").mkdir(parents=True)
    (folder / ".hookwright.yaml").write_text("{}\n")
    measured(HOOK, folder)
    entry = {"time": "2026-01-01T00:00:00.000Z", "agent": "claude-code", "event": "PreToolUse", "session": "s" * 36}
    line = json.dumps({**entry, "tool": "Bash", "about": {"tool_input": {"command": "x" * 200}}, "exit": 0, "ms": 1.25})
    block = (line + "\n").encode() * ((1 << 20) // (len(line) + 1))
    with open(folder / ".hookwright/journal.jsonl", "ab") as file:
        for _ in range(megabytes):
            file.write(block)
    return folder


def measured(argv: list[str], project: Path) -> tuple[float, float]:
    """(seconds, peak megabytes) of one command."""
    payload = json.dumps({**QUIET, "cwd": str(project)}).encode()
    figures = project / "figures"
    watched = [sys.executable, "-I", "-S", "-c", WATCH, str(figures), *argv]
    subprocess.run(watched, cwd=project, input=payload, stdout=subprocess.DEVNULL, check=True)
    seconds, kilobytes = figures.read_text().split()
    return float(seconds), int(kilobytes) / 1024


def compared(megabytes: int) -> dict[str, tuple[tuple[float, float], tuple[float, float]]]:
    """Each step on a journal of a megabyte and on one of so many."""
    with tempfile.TemporaryDirectory() as scratch:
        small, large = (project_with(size, Path(scratch, name)) for name, size in (("small", 1), ("large", megabytes)))
        return {name: (measured(words, small), measured(words, large)) for name, words in STEPS.items()}


def main(argv: list[str] | None = None) -> int:
    """Print a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1024)
    args = parser.parse_args(argv)
    print(f"{'':<12} {'1 MB':>16} {f'{args.megabytes} MB':>20}")
    for name, both in compared(args.megabytes).items():
        print(f"{name:<12} {'  '.join(f'{seconds:8.2f} s {peak:6.0f} MB' for seconds, peak in both)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
