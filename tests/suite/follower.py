"""A scripted model that does what it is told: reads the action it was handed, calls the tool it names, says the result."""

from __future__ import annotations

import json
from typing import Any

from client.scripted_model import Blocks, Json, Turn, text, tool

SERVER = "mcp__demo__"


def follow(request: Json) -> Blocks:
    """One turn: a result is repeated; an action "Call TOOL with key: value, ..." is called; "Say X" is said."""
    latest = _after_last_answer(request)
    results = [block for message in latest for block in _blocks(message) if block["type"] == "tool_result"]
    action = _last_action(latest)
    if results:
        return [text(f"The tool said: {_plain(results[-1].get('content'))}")]
    if action.startswith("Call "):
        name, _, arguments = action.removeprefix("Call ").partition(" with ")
        return [tool(f"{SERVER}{name}", _arguments(arguments))]
    if action.startswith("Say "):
        return [text(action.removeprefix("Say "))]
    return [text("There is nothing to do.")]


def turns(count: int) -> list[Turn]:
    return [follow] * count


def _after_last_answer(request: Json) -> list[Json]:
    messages: list[Json] = request["messages"]
    answers = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    return messages[answers[-1] + 1 if answers else 0 :]


def _blocks(message: Json) -> Blocks:
    content = message["content"]
    return content if isinstance(content, list) else [text(content)]


def _last_action(messages: list[Json]) -> str:
    told = "\n".join(block["text"] for message in messages for block in _blocks(message) if block["type"] == "text")
    action = told.rpartition("### Action\n")[2] if "### Action\n" in told else ""
    return action.partition("\n\n")[0].strip()


def _arguments(listed: str) -> Json:
    pairs = [pair.partition(": ") for pair in listed.split(", ") if pair]
    return {key.strip(): _value(value) for key, _, value in pairs}


def _value(written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        return written


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content or ())
