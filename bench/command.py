"""How much memory a hook takes while its command prints 50 MB: `python bench/command.py`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import PEAK, Row, interleave, process, table, weigh

import hookwright

BOOT = str(Path(hookwright.__file__).with_name("boot.py"))
LOUD = "head -c 50000000 /dev/zero | tr '\\0' a; seq 1000000 >&2"
CONFIG = {"postToolUse": {"commands": [{"run": "true"}]}, "notification": {"commands": [{"run": LOUD}]}}


def hook(project: Path, name: str, event: str) -> Row:
    payload = project / f"{event}.json"
    payload.write_text(json.dumps({"hook_event_name": event, "cwd": str(project), "session_id": "s" * 36}))
    return process(name, [sys.executable, "-I", "-S", BOOT], str(payload))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / ".hookwright.yaml").write_text(json.dumps(CONFIG))  # JSON is YAML
        quiet, loud = (
            hook(project, "one command: true", "PostToolUse"),
            hook(project, "50 MB of output", "Notification"),
        )
        quiet.once()  # the event that compiles the config needs memory of its own
        interleave([quiet, loud], 3)
        weigh([quiet, loud])
    print(f"A command's output. 3 interleaved rounds; x: of the first line\n\n{table([quiet, loud], quiet)}\n")
    print(f"peak memory with 50 MB of output: {loud.facts[PEAK] / quiet.facts[PEAK]:.2f}x of that without")


if __name__ == "__main__":
    main()
