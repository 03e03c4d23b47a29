"""What Claude Code takes for a hook, and what it does with a file in which one is wrong.

Measured on 2.1.325: a bad entry is dropped alone, but under the events in GATING it takes the whole file with it, deny
rules and all, without a word. `claude doctor` tells; these are the same rules, for machines without the client, and
tests/client puts the same files to both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from hookwright.events import BY_NAME

GATING = ("PreToolUse", "PermissionRequest")


class Shape(NamedTuple):
    """What a field must be."""

    words: str
    fits: Callable[[Any], bool]


def one_of(*names: str) -> Shape:
    """A choice."""
    return Shape(f"it must be {' or '.join(names)}", lambda value: value in names)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _is_url(value: object) -> bool:
    """As JavaScript's URL takes it: a scheme, and a host where the scheme is one of the web's."""
    scheme, colon, rest = value.partition(":") if isinstance(value, str) else ("", "", "")
    named = bool(colon and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme))
    return named and (scheme.lower() not in ("http", "https") or bool(rest.strip("/")))


TEXT = Shape("it must be text", _is_text)
FLAG = Shape("it must be true or false", lambda value: isinstance(value, bool))
SECONDS = Shape("it must be a number of seconds above 0", _is_seconds)
URL = Shape("it must be a URL", _is_url)
TEXTS = Shape("it must be a list of texts", lambda value: isinstance(value, list) and all(map(_is_text, value)))
OBJECT = Shape("it must be an object", lambda value: isinstance(value, dict))
HEADERS = Shape(
    "it must be an object of texts", lambda value: OBJECT.fits(value) and all(map(_is_text, value.values()))
)

EVERY_TYPE = {"if": TEXT, "statusMessage": TEXT, "once": FLAG, "timeout": SECONDS}
ON_FAILURE = {"onFailure": one_of("continue", "block")}
REWAKE = {"asyncRewake": FLAG, "rewakeMessage": TEXT, "rewakeSummary": TEXT}
# handler type -> the fields it must have, and those it may have
TYPES: dict[str, tuple[dict[str, Shape], dict[str, Shape]]] = {
    "command": (
        {"command": TEXT},
        {"args": TEXTS, "async": FLAG, "shell": one_of("bash", "powershell")} | REWAKE | ON_FAILURE,
    ),
    "http": ({"url": URL}, {"headers": HEADERS, "allowedEnvVars": TEXTS} | ON_FAILURE),
    "mcp_tool": ({"server": TEXT, "tool": TEXT}, {"input": OBJECT}),
    "prompt": ({"prompt": TEXT}, {"model": TEXT, "continueOnBlock": FLAG}),
    "agent": ({"prompt": TEXT}, {"model": TEXT}),
}


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
        return [Fault("hooks", "it must be an object of events", False)]
    return [fault for event, groups in hooks.items() for fault in _of_event(event, groups)]


def _of_event(event: str, groups: object) -> list[Fault]:
    where = f"hooks.{event}"
    if event not in BY_NAME:
        return [Fault(where, "no such event; it is ignored", False)]
    if not isinstance(groups, list):
        return [Fault(where, "it must be a list", event in GATING)]
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
    needed, possible = TYPES[kind]
    missing = [(f".{name}", f"a hook of type {kind} needs it") for name in needed if name not in handler]
    shapes = needed | possible | EVERY_TYPE
    known = [(name, shape) for name, shape in shapes.items() if name in handler]
    return missing + [(f".{name}", shape.words) for name, shape in known if not shape.fits(handler[name])]


def bad_expression(matcher: object) -> bool:
    """Whether a matcher is taken for a regular expression and cannot be read as one: such a hook never runs."""
    if not isinstance(matcher, str) or re.fullmatch(r"[A-Za-z0-9_|, *-]*", matcher):
        return False
    try:
        re.compile(matcher)
    except re.error:
        return True
    return False
