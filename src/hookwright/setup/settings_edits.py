"""What an agent's edit would make of a settings file, so far as we stand in it."""

from __future__ import annotations

from typing import Any

from hookwright import paths
from hookwright.edits import EDITORS
from hookwright.setup import json_text, plugin, settings
from hookwright.setup.json_text import NotJson

# Keys of the settings that switch hooks off, or let only others' run.
SWITCHES = ("disableAllHooks", "allowManagedHooksOnly")


def changes_our_entries(call: dict[str, Any], path: str) -> bool:
    """Whether a tool call would take out, change or switch off our entries, or make the file unreadable."""
    try:
        before = paths.read_file(path).decode()
    except FileNotFoundError:
        before = ""
    except (OSError, UnicodeDecodeError):
        return True
    after = _afterwards(call, before)
    try:
        return after is None or _ours(before) != _ours(after)
    except NotJson:
        return True


def _ours(text: str) -> tuple[object, ...]:
    document = json_text.parsed(text) if text.strip() else {}
    switches = [document.get(name) for name in SWITCHES] if isinstance(document, dict) else []
    return settings.entries(document), switches, _plugin(document)


def _plugin(document: object) -> object:
    """What is said of our plugin: here it can be switched off that is on elsewhere."""
    enabled = document.get("enabledPlugins") if isinstance(document, dict) else None
    if not isinstance(enabled, dict):
        return {}
    return {name: on for name, on in enabled.items() if name.partition("@")[0] == plugin.NAME}


def _afterwards(call: dict[str, Any], before: str) -> str | None:
    """The file's text after the call; None where that cannot be told."""
    given = call.get("tool_input")
    if not isinstance(given, dict) or call.get("tool_name") not in EDITORS:
        return None
    if call.get("tool_name") == "Write":
        return given["content"] if isinstance(given.get("content"), str) else None
    several = given.get("edits")
    text = before
    for edit in several if isinstance(several, list) else [given]:
        old, new = (edit.get("old_string"), edit.get("new_string")) if isinstance(edit, dict) else (None, None)
        if not isinstance(old, str) or not isinstance(new, str) or old not in text:
            return None  # a client may find it all the same, by other quotation marks for instance
        text = text.replace(old, new) if edit.get("replace_all") else text.replace(old, new, 1)
    return text
