"""The Claude Code client on this machine: where it is, its version, and what it says of the settings itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from hookwright.setup.scopes import home

# The version our rules were measured on. `claude doctor` of it asks nothing, starts no server and ends by itself.
MEASURED = (2, 1, 325)
QUIET = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}
DROPS_THE_FILE = (
    "nothing it sits in is applied",
    "malformed JSON",
    ".json: Expected object",
)  # how `claude doctor` says so
USUAL_PLACES = (".claude/local/claude", ".local/bin/claude")
TIMEOUT_S = 20
# version -> the events that came with it; a client before that ignores a registration of them without a word
CAME_WITH = {
    (2, 0, 43): "SubagentStart",
    (2, 0, 45): "PermissionRequest",
    (2, 1, 10): "Setup",
    (2, 1, 15): "PostToolUseFailure",
    (2, 1, 33): "TeammateIdle TaskCompleted",
    (2, 1, 49): "ConfigChange",
    (2, 1, 50): "WorktreeCreate WorktreeRemove",
    (2, 1, 69): "InstructionsLoaded",
    (2, 1, 76): "PostCompact Elicitation ElicitationResult",
    (2, 1, 78): "StopFailure",
    (2, 1, 83): "CwdChanged FileChanged",
    (2, 1, 84): "TaskCreated",
    (2, 1, 89): "PermissionDenied",
    (2, 1, 116): "UserPromptExpansion",
    (2, 1, 118): "PostToolBatch",
    (2, 1, 152): "MessageDisplay",
    (2, 1, 219): "DirectoryAdded",
    (2, 1, 251): "PreModelSwitch PostModelSwitch",
}


def found() -> str:
    """The client's program, or ""."""
    folder = home()
    usual = [folder / place for place in USUAL_PLACES] if folder else []
    return shutil.which("claude") or next((str(path) for path in usual if os.access(path, os.X_OK)), "")


def version(program: str) -> tuple[int, ...]:
    """What `claude --version` says; () where it says nothing of use."""
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", _said(program, ["--version"], Path.cwd()))
    return tuple(int(part) for part in match.groups()) if match else ()


def not_sent_by(version: tuple[int, ...], events: Iterable[str]) -> list[str]:
    """Those of some events that a version does not know yet."""
    newer = {name for since, names in CAME_WITH.items() if version < since for name in names.split()}
    return [event for event in events if event in newer]


def invalid_settings(program: str, project: Path) -> list[str] | None:
    """What `claude doctor` lists under "Invalid settings", a line each; None where it could not be asked."""
    said = _said(program, ["doctor"], project)
    if not said.startswith("Claude Code doctor"):
        return None
    block = said.partition("\nInvalid settings\n")[2].partition("\n\n")[0]
    return [line[2:] for line in block.splitlines() if line.startswith("- ")]


def _said(program: str, words: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(
            [program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=folder,
            env=os.environ | QUIET,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
