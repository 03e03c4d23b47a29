"""What a hook costs per tool call as the real Claude Code client sees it.

One command: `python bench/real_client.py [ROUNDS CALLS]`, about three minutes on a quiet machine.

Each round is one headless conversation per condition, in a new order, against a scripted model. A tool call's time is
what passes between the model's requests around it; the conditions differ in nothing but the PreToolUse hook.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

from load import Echo
from measure import WALL, Interval, Row, interleave, interval, machine, table

from hookwright.resident import ask

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from client.claude import ClaudeProject, NpmMissing, client_path, hooks_settings, run_claude  # noqa: E402
from client.scripted_model import ScriptedModel, tool  # noqa: E402
from startup import BOOT  # noqa: E402

Settings = dict[str, Any]
COLD = f'"{sys.executable}" -I -S "{BOOT}"'
HOOKWRIGHT = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())"]
RESIDENT, PYTHON = "hookwright resident", "python -I -S with json"
# Read starts no process: what is left is the client's own work and the hook's.
HANDLERS = """\
from hookwright import on, deny

@on.PreToolUse(tool="Read")
def no_secrets(event):
    if event.tool_input["file_path"].endswith(".env"):
        return deny("This file stays unread.")
"""


class Missing(Exception):
    """The condition cannot be had; the text says why."""


def no_hook(_project: ClaudeProject) -> Settings:
    return {}


def true(_project: ClaudeProject) -> Settings:
    return hooks_settings("true", ["PreToolUse"])


def python_with_json(_project: ClaudeProject) -> Settings:
    """The least that a hook in Python does."""
    return hooks_settings(f"'{sys.executable}' -I -S -c 'import json, sys; json.load(sys.stdin)'", ["PreToolUse"])


def cold(_project: ClaudeProject) -> Settings:
    return hooks_settings(COLD, ["PreToolUse"])


def resident(project: ClaudeProject) -> Settings:
    """As a user chooses it; it writes the project's local settings itself."""
    (project.path / ".gitignore").write_text(".claude/settings.local.json\n")
    for words in (["git", "init", "--quiet"], [*HOOKWRIGHT, "init", "--resident"], [*HOOKWRIGHT, "resident", "start"]):
        done = subprocess.run(words, cwd=project.path, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(f"`{' '.join(words[-2:])}`: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    return {}


def empty_http(_project: ClaudeProject) -> Settings:
    """A process that answers every request with the same few bytes: what the client itself needs for a request."""
    port = _echo.enter_context(Echo())
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": f"http://127.0.0.1:{port}/hook"}]}]}}


_echo = ExitStack()
# condition -> what writes its settings into a fresh project; the first one is what the others are compared to
CONDITIONS: dict[str, Callable[[ClaudeProject], Settings]] = {
    "no hook": no_hook,
    "true": true,
    "hookwright, a process": cold,
    RESIDENT: resident,
    "http, nothing behind it": empty_http,
    PYTHON: python_with_json,
}


def conversation(project: ClaudeProject, settings: Settings, calls: int) -> dict[str, float]:
    """The median time of a tool call; the first one, which warms the client up, does not count."""
    asked: list[float] = []

    def turn(_request: dict[str, Any]) -> list[dict[str, Any]]:
        asked.append(time.perf_counter())
        return [tool("Read", {"file_path": str(project.path / ".hookwright.yaml")})] if len(asked) <= calls else []

    with ScriptedModel([turn] * (calls + 1)) as model:
        run_claude("Go.", model=model, project=project.path, home=project.home, settings=settings)
    gaps = [(later - earlier) * 1000 for earlier, later in pairwise(asked[1:])]
    return {WALL: statistics.median(gaps)}


def rows(root: Path, calls: int) -> list[Row]:
    found = []
    for name, write in CONDITIONS.items():
        project = ClaudeProject.create(root / name.replace(" ", "-").replace(",", ""), COLD)
        project.write_handlers(HANDLERS)
        try:
            settings = write(project)
        except Missing as missing:
            print(f"(not measured: {name}: {missing})")
            continue
        found.append(Row(name, lambda p=project, s=settings: conversation(p, s, calls)))  # type: ignore[misc]
    return found


def main(rounds: int, calls: int) -> None:
    try:
        client_path()
    except NpmMissing as missing:
        print(f"(not measured: {missing})")
        return
    with tempfile.TemporaryDirectory() as folder, _echo:
        measured = rows(Path(folder), calls)
        try:
            interleave(measured, rounds)
        finally:
            served = 0
            for project in Path(folder).glob("*resident*/project"):
                served = ask.status(str(project)).get("events", 0)
                subprocess.run([*HOOKWRIGHT, "uninstall"], cwd=project, capture_output=True, check=False)
    print(f"One tool call of the client. {machine()}; {rounds} interleaved conversations of {calls} calls each\n")
    print(table(measured, measured[0]))
    print("\nmore than without a hook, ms per call, paired by round:")
    more = {row.name: interval(_differences(row, measured[0])) for row in measured[1:]}
    for name, found in more.items():
        print(f"  {name:<24} {found}")
    if RESIDENT in more:
        print(f"\n{judged(more[RESIDENT], more[PYTHON])}\n(the server answered {served} events)")


def _differences(row: Row, base: Row) -> list[float]:
    return [ours - theirs for ours, theirs in zip(row.seen[WALL], base.seen[WALL], strict=True)]


def judged(resident: Interval, python: Interval) -> str:
    """What issue 9 asks of the server as the client sees it."""
    same = "met   " if resident.low <= 0 else "MISSED"
    times = python.value / resident.value if resident.value > 0 else float("inf")
    below = "met   " if times >= 5 else "MISSED"
    return (
        f"{same} {RESIDENT}: not distinguishable from no hook (the interval of what it adds holds 0)\n"
        f"{below} {RESIDENT}: adds {times:.1f}x less than `{PYTHON}` (goal 5)"
    )


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (8, 15))
