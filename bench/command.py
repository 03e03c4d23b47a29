"""What one matched command costs beyond the command itself, and how much memory 50 MB of output take.

One command: `python bench/command.py [ROUNDS]`. Trust the ratios; milliseconds move with the machine.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import PEAK, WALL, Row, interleave, process, table, weigh

BOOT = str(Path(__file__).resolve().parent.parent / "src" / "hookwright" / "boot.py")
PYTHON = [sys.executable, "-I", "-S"]
USUAL_WAY = 'import subprocess; subprocess.run(["/bin/sh", "-c", "true"])'
LOUD = "head -c 50000000 /dev/zero | tr '\\0' a; seq 1000000 >&2"
# The rows of the events below; nothing is bound to Stop.
CONFIG = {
    "postToolUse": {"commands": [{"run": "true"}]},
    "notification": {"commands": [{"run": LOUD}]},
}


def hook(project: Path, name: str, event: str) -> Row:
    """The hook, started for an event of about 2 KB."""
    payload = project / f"{event}.json"
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "a.py", "new_string": "x" * 1600}}
    payload.write_text(json.dumps({"hook_event_name": event, "cwd": str(project), "session_id": "s" * 36, **tool}))
    return process(name, [*PYTHON, BOOT], str(payload))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / ".hookwright.yaml").write_text(json.dumps(CONFIG))  # JSON is YAML
        shell = process("sh -c true", ["/bin/sh", "-c", "true"])
        bare = process("python -I -S -c pass", [*PYTHON, "-c", "pass"])
        usual = process("python, import subprocess, sh -c true", [*PYTHON, "-c", USUAL_WAY])
        idle = hook(project, "hook, nothing bound", "Stop")
        matched = hook(project, "hook, one command: true", "PostToolUse")
        loud = hook(project, "hook, one command: 50 MB of output", "Notification")
        # The one that compiles the config needs memory of its own; it is not measured.
        interleave([hook(project, "", "Stop")], 1)
        interleave([shell, bare, usual, idle, matched], rounds)
        interleave([loud], 3)
        weigh([shell, bare, usual, idle, matched, loud])
    rows = [shell, bare, usual, idle, matched, loud]
    walls = {row.name: row.median(WALL) for row in rows}
    print(table(rows, bare))
    print()
    for text, more, less, unit in (
        ("a matched command, over an event without: ", matched, idle, shell),
        ("the hook around it, over bare Python:     ", matched, shell, bare),
        ("the usual way around it, over bare Python:", usual, shell, bare),
    ):
        print(f"{text} {(walls[more.name] - walls[less.name]) / walls[unit.name]:.2f} x `{unit.name}`")
    print(f"peak memory with 50 MB of output:           {loud.facts[PEAK] / matched.facts[PEAK]:.2f} x without output")


if __name__ == "__main__":
    main()
