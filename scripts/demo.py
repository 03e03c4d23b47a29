"""`make demo`: the main job on a scratch project, shown step by step."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import hookwright

BOOT = Path(hookwright.__file__).with_name("boot.py")
CONFIG = """\
handlers: [".hookwright/handlers.py"]

postToolUse:
  commands:
    - run: 'echo "the agent used $HOOKWRIGHT_TOOL_NAME" >> activity.log'
      tool: "{Edit,Write}"
"""
HANDLERS = """\
from hookwright import on, deny

@on.PreToolUse(tool="Bash")
def no_force_push(event):
    if "push --force" in event.tool_input.get("command", ""):
        return deny("Force-push is not allowed in this repository.")
"""


def main() -> None:
    """Play the scenes in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="hookwright-demo-") as name:
        project = Path(name)
        (project / ".hookwright").mkdir()
        show_file(project / ".hookwright.yaml", CONFIG, project)
        show_file(project / ".hookwright" / "handlers.py", HANDLERS, project)
        scene("The agent wants to run a command. The handler denies it.")
        fire(project, "PreToolUse", "Bash", {"command": "git push --force"})
        scene("The agent runs a harmless one. No opinion: nothing is printed, the agent goes on.")
        fire(project, "PreToolUse", "Bash", {"command": "git status"})
        scene("The agent has edited a file. The configured command runs.")
        fire(project, "PostToolUse", "Edit", {"file_path": str(project / "app.py")})
        print(f"  activity.log  {(project / 'activity.log').read_text().rstrip()}")
        scene("The journal has a line for each: what came, what ran, what was answered, how long it took.")
        verb(project, "journal", "tail")
        scene("The same event by hand: what matches, and what the agent would do (hookwright fire).")
        verb(project, "fire", "PreToolUse", "--tool", "Bash", "--input", '{"command": "git push --force"}')


def scene(title: str) -> None:
    print(f"\n\033[1m{title}\033[0m" if sys.stdout.isatty() else f"\n{title}")


def show_file(path: Path, text: str, project: Path) -> None:
    path.write_text(text)
    scene(str(path.relative_to(project)))
    print("".join(f"  | {line}\n" for line in text.splitlines()), end="")


def fire(project: Path, event: str, tool: str, tool_input: dict[str, str]) -> None:
    """Start the hook exactly as the agent does."""
    payload = {"hook_event_name": event, "cwd": str(project), "session_id": "demo", "tool_name": tool}
    stdin = json.dumps({**payload, "tool_input": tool_input})
    print(f"  stdin      {stdin.replace(str(project), '.')}")
    command = [sys.executable, "-I", "-S", str(BOOT)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    print(f"  stdout     {done.stdout or '(nothing)'}")
    if done.stderr:
        print(f"  stderr     {done.stderr.rstrip()}")
    print(f"  exit code  {done.returncode}")


def verb(project: Path, *words: str) -> None:
    command = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())", *words]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    print(
        "".join(f"  {line}\n" for line in (done.stdout + done.stderr).replace(str(project), ".").splitlines()), end=""
    )


if __name__ == "__main__":
    main()
