"""What one matched command costs beyond the command itself, and how much memory 50 MB of output take.

One command: `python bench/command.py [ROUNDS]`. Trust the ratios; milliseconds move with the machine.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import Variant, run_interleaved, table

BOOT = str(Path(__file__).resolve().parent.parent / "src" / "hookwright" / "boot.py")
PYTHON = [sys.executable, "-I", "-S"]
USUAL_WAY = 'import subprocess; subprocess.run(["/bin/sh", "-c", "true"])'
LOUD = "head -c 50000000 /dev/zero | tr '\\0' a; seq 1000000 >&2"
# The rows of the events below; nothing is bound to Stop.
CONFIG = {
    "postToolUse": {"commands": [{"run": "true"}]},
    "notification": {"commands": [{"run": LOUD}]},
}


def hook(project: Path, name: str, event: str) -> Variant:
    """The hook, started for an event of about 2 KB."""
    payload = project / f"{event}.json"
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "a.py", "new_string": "x" * 1600}}
    payload.write_text(json.dumps({"hook_event_name": event, "cwd": str(project), "session_id": "s" * 36, **tool}))
    return Variant(name, [*PYTHON, BOOT], str(payload))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / ".hookwright.yaml").write_text(json.dumps(CONFIG))  # JSON is YAML
        shell = Variant("sh -c true", ["/bin/sh", "-c", "true"])
        bare = Variant("python -I -S -c pass", [*PYTHON, "-c", "pass"])
        usual = Variant("python, import subprocess, sh -c true", [*PYTHON, "-c", USUAL_WAY])
        idle = hook(project, "hook, nothing bound", "Stop")
        matched = hook(project, "hook, one command: true", "PostToolUse")
        loud = hook(project, "hook, one command: 50 MB of output", "Notification")
        # The one that compiles the config needs memory of its own; it is not measured.
        run_interleaved([hook(project, "", "Stop")], 1)
        run_interleaved([shell, bare, usual, idle, matched], rounds)
        run_interleaved([loud], 3)
    print(table([shell, bare, usual, idle, matched, loud], bare))
    print()
    print(f"a matched command, over an event without:  {(matched.wall - idle.wall) / shell.wall:.2f} x `sh -c true`")
    print(f"the hook around it, over bare Python:      {(matched.wall - shell.wall) / bare.wall:.2f} x `-c pass`")
    print(f"the usual way around it, over bare Python: {(usual.wall - shell.wall) / bare.wall:.2f} x `-c pass`")
    print(f"peak memory with 50 MB of output:          {loud.peak_mb / matched.peak_mb:.2f} x without output")


if __name__ == "__main__":
    main()
