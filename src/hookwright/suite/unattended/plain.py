"""An action in the plain form "Call TOOL with key: value, ..." as the call that it means."""

from __future__ import annotations

import json
import re
from typing import Any

from hookwright.suite.verdicts import tool_of

Json = dict[str, Any]
_KEY = re.compile(r"(?:^|,\s*)([A-Za-z_][\w.-]*):\s*")
_REST = re.compile(r"(?is)^\s*call\s+\S+\s*(?:with\s+(.*))?$")


def call_in(case: Json) -> Json | None:
    """The call of a test: its own, or the one that its action spells out; None for prose."""
    if case.get("call"):
        return dict(case["call"])
    tool = tool_of(case)
    form = _REST.match(str(case.get("action") or ""))
    if not tool or form is None:
        return None
    listed = (form[1] or "").strip()
    keys = list(_KEY.finditer(listed))
    if listed and (not keys or keys[0].start() != 0):
        return None
    ends = [key.start() for key in keys[1:]] + [len(listed)]
    return {
        "tool": tool,
        "spelled": {key[1]: listed[key.end() : end].strip() for key, end in zip(keys, ends, strict=False)},
    }


def typed(spelled: dict[str, str], schema: Json) -> Json:
    """The arguments as the tool wants them: its schema says what is a text and what is JSON."""
    properties = schema.get("properties") or {}
    return {key: _value(text, properties.get(key)) for key, text in spelled.items()}


def _value(text: str, wanted: Any) -> Any:
    kinds = wanted.get("type") if isinstance(wanted, dict) else None
    kinds = kinds if isinstance(kinds, list) else [kinds]
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if "string" in kinds and not isinstance(value, str) else value
