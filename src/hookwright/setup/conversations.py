"""The agent's last conversation here: which events it must have sent, told from its own transcript and our journal.

Only what cannot be otherwise counts: a doctor that cries wolf is not asked twice. Each sign was seen in the transcript
of a conversation whose events were all recorded (tests/client).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hookwright.events import BY_NAME
from hookwright.journal_view import Entry as Line
from hookwright.setup.registration import lets_through
from hookwright.setup.settings import Entry

Due = tuple[str, str]  # an event, and what its matcher is tried on; "" where that is not known

AGENT = "claude-code"
# An event that came -> one that must have come before it, about the same thing.
BEFORE = {
    "PostToolUse": "PreToolUse",
    "PostToolUseFailure": "PreToolUse",
    "SubagentStop": "SubagentStart",
    "PostCompact": "PreCompact",
}


class Conversation(NamedTuple):
    """One conversation."""

    session: str
    began: str  # as its transcript spells the time
    due: frozenset[Due]


def last(client_folder: Path | None, project: Path, journal: list[Line]) -> Conversation | None:
    """The newest conversation in a project; where its client keeps no transcript, what the journal has of it."""
    folder = client_folder / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project)) if client_folder else None
    files = [path for path in folder.glob("*.jsonl") if os.access(path, os.R_OK) and path.is_file()] if folder else []
    transcripts = sorted(files, key=lambda path: path.stat().st_mtime)
    told = [line for line in journal if line.get("session") and line.get("agent", AGENT) == AGENT]
    if transcripts:
        session, began, due = transcripts[-1].stem, *_read(transcripts[-1])
    elif told:
        session, began, due = str(told[-1]["session"]), "", set()
    else:
        return None
    lines = [line for line in told if line["session"] == session]
    return Conversation(
        session, began or str(lines[0].get("time")) if lines else began, frozenset(due | set(_before(lines)))
    )


def _before(lines: Iterable[Line]) -> Iterator[Due]:
    for line in lines:
        event = BEFORE.get(str(line.get("event")))
        if event:
            field = BY_NAME[event].matches
            about = line.get("about")
            subject = line.get("tool") if field == "tool_name" else about.get(field) if isinstance(about, dict) else ""
            yield event, subject if isinstance(subject, str) else ""


def _read(path: Path) -> tuple[str, set[Due]]:
    began, due = "", set()
    tools: dict[str, dict[str, Any]] = {}  # id of a call -> the call
    batch = False  # results are there that no other message has followed yet
    with path.open(encoding="utf-8", errors="replace") as file:
        for entry in filter(None, map(_object, file)):
            began = began or str(entry.get("timestamp") or "")
            message = entry.get("message")
            if entry.get("isSidechain") or entry.get("isMeta") or not isinstance(message, dict):
                continue
            if entry.get("type") == "assistant" and message.get("model") != "<synthetic>":
                due |= {("SessionStart", "")} | set(_of_answer(message)) | ({("PostToolBatch", "")} if batch else set())
                tools |= {str(block.get("id")): block for block in _blocks(message, "tool_use")}
                batch = False
            elif entry.get("type") == "user":
                results = [each for each in _blocks(message, "tool_result") if str(each.get("tool_use_id")) in tools]
                for result in results:
                    due |= set(_of_result(tools[str(result["tool_use_id"])], result))
                due |= {("UserPromptSubmit", "")} if _is_typed(message.get("content")) else set()
                batch = any(not result.get("is_error") for result in results) or (batch and bool(results))
    return began, due


def _of_answer(message: dict[str, Any]) -> Iterator[Due]:
    if message.get("stop_reason") == "end_turn":
        yield "Stop", ""
        if any(str(block.get("text") or "").strip() for block in _blocks(message, "text")):
            yield "MessageDisplay", ""


def _of_result(call: dict[str, Any], result: dict[str, Any]) -> Iterator[Due]:
    """A call that is unknown, malformed or refused may never have come to a hook; one that ran has."""
    name = str(call.get("name") or "")
    failed = bool(result.get("is_error"))
    if not name or (failed and not (name == "Bash" and str(result.get("content")).startswith("Exit code "))):
        return
    yield "PreToolUse", name
    yield "PostToolUseFailure" if failed else "PostToolUse", name
    given = call.get("input")
    if name == "Agent" and isinstance(given, dict) and given.get("subagent_type"):
        yield "SubagentStart", str(given["subagent_type"])


def _is_typed(content: object) -> bool:
    """Whether a person wrote it: what begins with a tag is a command's or the client's own."""
    return isinstance(content, str) and bool(content.strip()) and not content.lstrip().startswith(("<", "[", "/"))


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]


def _object(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def missed(conversation: Conversation, entries: list[Entry], seen: set[str]) -> list[str]:
    """The registered events that this conversation must have sent and that are not among those seen."""
    wanted = [entry for entry in entries if entry.event not in seen]
    lost = [entry.event for entry in wanted if any(_concerns(entry, due) for due in conversation.due)]
    return list(dict.fromkeys(lost))


def _concerns(entry: Entry, due: Due) -> bool:
    event, subject = due
    if event != entry.event:
        return False
    everything = entry.matcher in (None, "", "*") or not BY_NAME[event].matches
    return everything or (bool(subject) and lets_through(entry.matcher, subject, event))
