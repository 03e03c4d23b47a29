"""What Claude Code takes for a hook, and what it does with a file in which one is wrong.

Measured on 2.1.325: a bad entry is dropped alone, but under the events in GATING it takes the whole file with it, deny
rules and all, without a word. `claude doctor` tells; these are the same rules, for machines without the client.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hookwright.events import BY_NAME

GATING = ("PreToolUse", "PermissionRequest")
# handler type -> the fields it must have
TYPES = {
    "command": ("command",),
    "http": ("url",),
    "mcp_tool": ("server", "tool"),
    "prompt": ("prompt",),
    "agent": ("prompt",),
}
TEXTS = ("command", "url", "server", "tool", "prompt", "if", "statusMessage", "model")
CHOICES = {"shell": ("bash", "powershell"), "onFailure": ("continue", "block")}
FLAGS = ("once", "async", "asyncRewake", "continueOnBlock")


class Fault(NamedTuple):
    """One thing that is wrong in a settings file."""

    where: str
    what: str
    drops_file: bool

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def faults(document: object) -> list[Fault]:
    """All that the client would not take in the hooks of a settings file."""
    if not isinstance(document, dict):
        return [Fault("file", "it must be an object", True)]
    hooks = document.get("hooks", {})
    if not isinstance(hooks, dict):
        return [Fault("hooks", "it must be an object of events", True)]
    return [fault for event, groups in hooks.items() for fault in _of_event(event, groups)]


def _of_event(event: str, groups: object) -> list[Fault]:
    where = f"hooks.{event}"
    if event not in BY_NAME:
        return [Fault(where, "no such event; it is ignored", False)]
    if not isinstance(groups, list):
        return [Fault(where, "it must be a list", True)]
    return [
        Fault(f"{where}.{index}{inner}", what, event in GATING)
        for index, group in enumerate(groups)
        for inner, what in _of_group(group)
    ]


def _of_group(group: object) -> list[tuple[str, str]]:
    if not isinstance(group, dict):
        return [("", "it must be an object with a list of hooks")]
    wrong = []
    matcher = group.get("matcher", "")
    if not isinstance(matcher, str):
        wrong.append((".matcher", "it must be text"))
    handlers = group.get("hooks")
    if not isinstance(handlers, list):
        return [*wrong, (".hooks", "it must be a list")]
    return wrong + [
        (f".hooks.{index}{inner}", what)
        for index, handler in enumerate(handlers)
        for inner, what in _of_handler(handler)
    ]


def _of_handler(handler: Any) -> list[tuple[str, str]]:
    if not isinstance(handler, dict):
        return [("", "it must be an object")]
    kind = handler.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        return [(".type", f"{kind!r} is none of {', '.join(TYPES)}")]
    wrong = [(f".{name}", f"a hook of type {kind} needs it") for name in TYPES[kind] if name not in handler]
    wrong += [(f".{name}", "it must be text") for name in TEXTS if not isinstance(handler.get(name, ""), str)]
    no_flags = [name for name in FLAGS if not isinstance(handler.get(name, True), bool)]
    wrong += [(f".{name}", "it must be true or false") for name in no_flags]
    for name, choices in CHOICES.items():
        if handler.get(name, choices[0]) not in choices:
            wrong.append((f".{name}", f"it must be {' or '.join(choices)}"))
    timeout = handler.get("timeout", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0:
        wrong.append((".timeout", "it must be a number of seconds above 0"))
    return wrong


def bad_expression(matcher: object) -> bool:
    """Whether a matcher is taken for a regular expression and cannot be read as one: such a hook never runs."""
    if not isinstance(matcher, str) or re.fullmatch(r"[A-Za-z0-9_|, *-]*", matcher):
        return False
    try:
        re.compile(matcher)
    except re.error:
        return True
    return False
