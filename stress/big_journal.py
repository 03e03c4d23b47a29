"""A journal of a gigabyte: what an event, `tail` and `stats` cost beside one of a megabyte.

python -m stress.big_journal [--megabytes 1024]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stress.scenarios import HOOK, HOOKWRIGHT, QUIET

STEPS = {
    "tail -n 20": [*HOOKWRIGHT, "journal", "tail", "-n", "20"],
    "stats": [*HOOKWRIGHT, "journal", "stats"],
    "one event": HOOK,
}


def project_with(megabytes: int, folder: Path) -> Path:
    """A project whose journal has this size."""
    (folder / ".hookwright").mkdir(parents=True)
    (folder / ".hookwright.yaml").write_text("{}\n")
    entry = {"time": "2026-01-01T00:00:00.000Z", "agent": "claude-code", "event": "PreToolUse", "session": "s" * 36}
    line = json.dumps({**entry, "tool": "Bash", "about": {"tool_input": {"command": "x" * 200}}, "exit": 0, "ms": 1.25})
    block = (line + "\n").encode() * ((1 << 20) // (len(line) + 1))
    with open(folder / ".hookwright/journal.jsonl", "wb") as file:
        for _ in range(megabytes):
            file.write(block)
    return folder


def measured(argv: list[str], project: Path) -> tuple[float, float]:
    """(seconds, peak megabytes) of one command."""
    payload = json.dumps({**QUIET, "cwd": str(project)}).encode()
    started = time.perf_counter()
    process = subprocess.Popen(argv, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.write(payload)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{argv} ended with {process.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


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
