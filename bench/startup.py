"""What starting a hook costs, against the bare interpreter, `true` and two peers from PyPI.

One command: `make bench` (or `python bench/startup.py [ROUNDS]`). Trust the ratios; milliseconds move with the machine.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tempfile
from pathlib import Path

from measure import CPU, INSTRUCTIONS, PEAK, Row, interleave, process, table, weigh

import hookwright

BOOT = str(Path(hookwright.__file__).with_name("boot.py"))
HANDLERS = """\
from hookwright import on, deny

@on.PreToolUse(tool="Bash")
def no_force_push(event):
    if "push --force" in event.tool_input.get("command", ""):
        return deny("Force-push is not allowed in this repository.")
"""
# The same decision, written as each peer's own README does it.
PEERS = {
    "cchooks": """\
from cchooks import create_context, PreToolUseContext
c = create_context()
assert isinstance(c, PreToolUseContext)
if "push --force" in c.tool_input.get("command", ""):
    c.output.deny("Force-push is not allowed in this repository.")
else:
    c.output.allow()
""",
    "fasthooks": """\
from fasthooks import HookApp, allow, deny
app = HookApp()

@app.pre_tool("Bash")
def no_force_push(event):
    if "push --force" in event.command:
        return deny("Force-push is not allowed in this repository.")
    return allow()

app.run()
""",
}
# Each goal is in issue terms: (CPU, instructions) as ratios to `python -I -S -c pass`.
GOALS = {"hookwright, no binding": 1.15, "hookwright, one Python handler": 1.35}


def payload(project: Path, event: str) -> str:
    """A PreToolUse payload of about 2 KB in a file."""
    path = project / f"{event}.json"
    tool_input = {"command": "git push --force origin main", "description": "x" * 1600}
    body = {"hook_event_name": event, "cwd": str(project), "session_id": "s" * 36, "tool_name": "Bash"}
    path.write_text(json.dumps({**body, "tool_input": tool_input, "tool_use_id": "toolu_1", "transcript_path": "/t"}))
    return str(path)


def variants(project: Path) -> list[Row]:
    (project / ".hookwright").mkdir()
    (project / ".hookwright" / "handlers.py").write_text(HANDLERS)
    (project / ".hookwright.yaml").write_text('handlers: [".hookwright/handlers.py"]\n')
    bound, unbound = payload(project, "PreToolUse"), payload(project, "PostToolUse")
    bare = [sys.executable, "-I", "-S"]
    rows = [
        process("python -I -S -c pass", [*bare, "-c", "pass"], bound),
        process("hookwright, no binding", [*bare, BOOT], unbound),
        process("hookwright, one Python handler", [*bare, BOOT], bound),
        process("python -I -S, reads JSON with json", [*bare, "-c", "import json, sys; json.load(sys.stdin)"], bound),
        process("true", [shutil.which("true") or "/usr/bin/true"], bound),
    ]
    for name, script in PEERS.items():
        if importlib.util.find_spec(name):
            (project / f"{name}_hook.py").write_text(script)
            rows.append(process(f"{name}, the same handler", [sys.executable, str(project / f"{name}_hook.py")], bound))
        else:
            print(f"(not measured: {name} is not installed; `make bench` installs it)")
    return rows


def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        rows = variants(Path(folder))
        interleave(rows, rounds)
        weigh(rows)
        print(
            f"Python {sys.version.split()[0]}, {rounds} interleaved rounds, medians; x is the ratio to the first line\n"
        )
        print(table(rows, rows[0]))
        print()
        for row in rows:
            if row.name in GOALS:
                ratios = [
                    row.median(figure) / rows[0].median(figure) for figure in (CPU, INSTRUCTIONS) if row.median(figure)
                ]
                worst = max(ratios)
                goal = f"goal {GOALS[row.name]:.2f}x"
                print(f"{row.name}: {worst:.2f}x of the bare interpreter ({goal}), {row.facts[PEAK]:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
