"""The agent's last conversation here, read from its own transcript: which events should have come to us."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from hookwright.setup.registration import lets_through
from hookwright.setup.settings import Entry

# Events that come in every conversation with an answer, whatever it is about.
ALWAYS = ("SessionStart", "UserPromptSubmit")
PER_TOOL = ("PreToolUse",)


class Conversation(NamedTuple):
    """One conversation."""

    session: str
    began: str  # as its transcript spells the time
    tools: frozenset[str]


def last(client_folder: Path | None, project: Path) -> Conversation | None:
    """The newest conversation in a project, or None where its client keeps no transcript."""
    if client_folder is None:
        return None
    folder = client_folder / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    transcripts = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    return _read(transcripts[-1]) if transcripts else None


def _read(path: Path) -> Conversation:
    began, tools = "", set()
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                began = began or str(entry.get("timestamp") or "")
                tools |= _tools(entry)
    return Conversation(path.stem, began, frozenset(tools))


def _tools(entry: dict[str, Any]) -> set[str]:
    message = entry.get("message")
    blocks = message.get("content") if isinstance(message, dict) else None
    return {
        str(block.get("name"))
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, dict) and block.get("type") == "tool_use"
    }


def missed(conversation: Conversation, entries: list[Entry], seen: set[str]) -> list[str]:
    """The registered events that this conversation must have had and that are not among those seen."""
    missing = []
    for entry in entries:
        due = entry.event in ALWAYS or (
            entry.event in PER_TOOL and any(lets_through(entry.matcher, tool) for tool in conversation.tools)
        )
        if due and entry.event not in seen and not (entry.event == "SessionStart" and entry.matcher):
            missing.append(entry.event)
    return missing
