"""What the demo server can do: keep notes, add numbers, fail on purpose. One row and one function for each tool."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple

Arguments = dict[str, Any]
LONGEST_WAIT_MS = 10_000


class ToolFailed(Exception):
    """The tool could not do it; the text goes to the caller as the tool's error."""


class Notes:
    """The notes of one server, gone when it ends."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, str]] = {}
        self.created = 0


def create_note(notes: Notes, arguments: Arguments) -> str:
    notes.created += 1
    name = f"note-{notes.created:04}"
    notes.kept[name] = {"id": name, "title": arguments["title"], "body": arguments.get("body", "")}
    return f"Created the note. ID: {name}"


def get_note(notes: Notes, arguments: Arguments) -> str:
    return json.dumps(_note(notes, arguments["id"]))


def list_notes(notes: Notes, _arguments: Arguments) -> str:
    return json.dumps({"count": len(notes.kept), "notes": list(notes.kept.values())})


def search_notes(notes: Notes, arguments: Arguments) -> str:
    wanted = arguments["query"].casefold()
    found = [note for note in notes.kept.values() if wanted in f"{note['title']} {note['body']}".casefold()]
    return json.dumps({"count": len(found), "notes": found})


def delete_note(notes: Notes, arguments: Arguments) -> str:
    del notes.kept[_note(notes, arguments["id"])["id"]]
    return f"Deleted the note {arguments['id']}."


def add(_notes: Notes, arguments: Arguments) -> str:
    return f"{arguments['a'] + arguments['b']:g}"


def echo(_notes: Notes, arguments: Arguments) -> str:
    return str(arguments["text"])


def fail(_notes: Notes, arguments: Arguments) -> str:
    raise ToolFailed(arguments.get("message", "This tool always fails."))


def wait(_notes: Notes, arguments: Arguments) -> str:
    ms = min(float(arguments["ms"]), LONGEST_WAIT_MS)
    time.sleep(ms / 1000)
    return f"Waited {ms:g} ms."


def _note(notes: Notes, name: str) -> dict[str, str]:
    if name not in notes.kept:
        raise ToolFailed(f"There is no note {name}.")
    return notes.kept[name]


class Tool(NamedTuple):
    """One tool: what it does, its arguments (a name ending in "?" may be left out) and their JSON types."""

    does: Callable[[Notes, Arguments], str]
    description: str
    arguments: dict[str, str]

    @property
    def schema(self) -> dict[str, Any]:
        types = {name.rstrip("?"): {"type": kind} for name, kind in self.arguments.items()}
        required = [name for name in self.arguments if not name.endswith("?")]
        return {"type": "object", "properties": types, "required": required}


TOOLS = {
    "create_note": Tool(create_note, "Keep a new note; answers its ID.", {"title": "string", "body?": "string"}),
    "get_note": Tool(get_note, "One note as JSON.", {"id": "string"}),
    "list_notes": Tool(list_notes, "All notes as JSON.", {}),
    "search_notes": Tool(search_notes, "The notes that have a text.", {"query": "string"}),
    "delete_note": Tool(delete_note, "Delete a note.", {"id": "string"}),
    "add": Tool(add, "The sum of two numbers.", {"a": "number", "b": "number"}),
    "echo": Tool(echo, "The same text again.", {"text": "string"}),
    "fail": Tool(fail, "Always fails, with this message.", {"message?": "string"}),
    "wait": Tool(wait, "Waits before it answers.", {"ms": "number"}),
}
_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "number": (int, float)}


def call(notes: Notes, name: str, arguments: Arguments) -> str:
    """What a tool answers. Raises ToolFailed."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ToolFailed(f"There is no tool {name}.")
    for argument, kind in tool.arguments.items():
        plain = argument.rstrip("?")
        if plain not in arguments:
            if plain == argument:
                raise ToolFailed(f"{name} needs {plain}.")
        elif not isinstance(arguments[plain], _TYPES[kind]) or isinstance(arguments[plain], bool):
            raise ToolFailed(f"{plain} must be a {kind}.")
    return tool.does(notes, arguments)
