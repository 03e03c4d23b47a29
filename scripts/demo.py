"""`make demo`: the main job on a scratch project, shown step by step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import hookwright

BOOT = Path(hookwright.__file__).with_name("boot.py")
CONFIG = """\
handlers: [".hookwright/handlers.py"]

postToolUse:
  commands:
    - run: 'echo "the agent used $HOOKWRIGHT_TOOL_NAME" >> activity.log'
      tool: "{Edit,Write}"

autoTest: {when: batch}      # after each batch of edits: the tests that it can break
suite: {drive: manual}
"""
HANDLERS = """\
from hookwright import on, deny

@on.PreToolUse(tool="Bash")
def no_force_push(event):
    if "push --force" in event.tool_input.get("command", ""):
        return deny("Force-push is not allowed in this repository.")
"""

SUITE = {"tests": [{"id": "greeting", "action": "Call echo with text: hello", "expect": [{"contains": "hello"}]}]}


def main() -> None:
    """Play the scenes in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="hookwright-demo-") as name:
        project = Path(name)
        (project / ".hookwright").mkdir()
        show_file(project / ".hookwright.yaml", CONFIG, project)
        show_file(project / ".hookwright" / "handlers.py", HANDLERS, project)
        scene("The agent wants to run a command. The handler denies it.")
        use(project, "PreToolUse", "Bash", {"command": "git push --force"})
        scene("The agent runs a harmless one. No opinion: nothing is printed, the agent goes on.")
        use(project, "PreToolUse", "Bash", {"command": "git status"})
        scene("The agent has edited a file. The configured command runs.")
        use(project, "PostToolUse", "Edit", {"file_path": str(project / "app.py")})
        print(f"  activity.log  {(project / 'activity.log').read_text().rstrip()}")
        scene("The agent breaks a function. The test that this can break runs, and the agent reads the assertion.")
        break_a_function(project)
        scene("A conversation suite: the person types a word, the model gets the test, and its answer is judged.")
        play_a_suite(project)
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


def break_a_function(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    (project / "test_app.py").write_text("from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")
    (project / "app.py").write_text("def add(a, b):\n    return a - b\n")
    call = {"tool_name": "Edit", "tool_input": {"file_path": str(project / "app.py")}}
    answer = fire(project, {"hook_event_name": "PostToolBatch", "tool_calls": [call]})
    print("\n".join(f"  | {line}" for line in answer["hookSpecificOutput"]["additionalContext"].splitlines()))


def play_a_suite(project: Path) -> None:
    folder = project / "tests" / "functional"
    folder.mkdir(parents=True)
    (folder / "tests.json").write_text(json.dumps(SUITE))
    for prompt in ("/run-tests", "next", "validate The server said hello.", "report"):
        answer = fire(project, {"hook_event_name": "UserPromptSubmit", "prompt": prompt}, quiet=True)
        told = answer.get("reason") or answer["hookSpecificOutput"]["additionalContext"]
        print(f"  > {prompt}")
        print("\n".join(f"  | {line}" for line in told.splitlines() if line))


def use(project: Path, event: str, tool: str, tool_input: dict[str, str]) -> None:
    fire(project, {"hook_event_name": event, "tool_name": tool, "tool_input": tool_input})


def fire(project: Path, about: dict[str, Any], quiet: bool = False) -> Any:
    """Start the hook exactly as the agent does."""
    stdin = json.dumps({**about, "cwd": str(project), "session_id": "demo"})
    command = [sys.executable, "-I", "-S", str(BOOT)]
    env = {**os.environ, "VIRTUAL_ENV": sys.prefix}  # the project's interpreter, for its tests
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, env=env)
    if not quiet:
        shown = done.stdout if len(done.stdout) < 400 else f"{done.stdout[:400]} ..."
        print(f"  stdin      {stdin.replace(str(project), '.')}")
        print(f"  stdout     {shown or '(nothing)'}")
        print(f"  stderr     {done.stderr.rstrip()}\n" if done.stderr else "", end="")
        print(f"  exit code  {done.returncode}")
    return json.loads(done.stdout or "{}")


def verb(project: Path, *words: str) -> None:
    command = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())", *words]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    print(
        "".join(f"  {line}\n" for line in (done.stdout + done.stderr).replace(str(project), ".").splitlines()), end=""
    )


if __name__ == "__main__":
    main()
