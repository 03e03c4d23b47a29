"""What the compiled config gives an agent to do -> the groups for its settings, one per event."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from hookwright.bindings import Binding, Table
from hookwright.events import BY_NAME
from hookwright.globs import expanded
from hookwright.setup.settings import FORMAT, MARK, Group

# A matcher of these characters only is a list of exact names to the client, anything else a regular expression.
_EXACT = re.compile(r"[A-Za-z0-9_|, -]*")
_EXACT_NARROW = re.compile(r"[A-Za-z0-9_|]*")
NARROW = ("StopFailure", "FileChanged")
# Here the matcher is also the list of files that the client watches: names, never an expression.
WATCHES = ("FileChanged",)


Bound = dict[str, list[Binding]]


def bound(table: Table) -> Bound:
    """The events that the config binds, in the order of the table of events."""
    return {event: table.of(event) for event in BY_NAME if table.rows.get(event)}


def groups(wanted: Bound, command: str) -> dict[str, Group]:
    """A group for each event, narrowed to what is bound."""
    return {event: group(command, matcher(event, bindings)) for event, bindings in wanted.items()}


def group(command: str, narrowed: str | None = None) -> Group:
    """One group with one handler of ours."""
    handler = {"type": "command", "command": command, MARK: FORMAT}
    return ({} if narrowed is None else {"matcher": narrowed}) | {"hooks": [handler]}


def harmless_events() -> list[str]:
    """The events whose mere registration changes nothing."""
    return [name for name, event in BY_NAME.items() if not event.changes_agent]


def matcher(event: str, bindings: Iterable[Binding]) -> str | None:
    """A matcher that lets through whatever one of the bindings wants; None where that is everything or unsayable."""
    if not BY_NAME[event].matches:
        return None
    wanted: list[str] = []
    for binding in bindings:
        if binding.match is None:
            return None
        wanted += expanded(binding.filter)
    names = list(dict.fromkeys(wanted))
    if event in WATCHES:
        return "|".join(names)
    exact = _EXACT_NARROW if event in NARROW else _EXACT
    if all(exact.fullmatch(name) and not set(name) & set("|, ") for name in names):
        return "|".join(names)
    if any("[" in name or "\n" in name for name in names):
        return None  # a class of characters is spelled differently there; our own filter comes after in any case
    return f"^(?:{'|'.join(map(_as_javascript, names))})$"


def unwatched(wanted: Bound) -> list[str]:
    """What the config asks for that the client will never tell of: it watches files by their names only."""
    told = "{event}: Claude Code watches files by name, so {pattern!r} is never met; write names in `match`"
    return [
        told.format(event=event, pattern=binding.filter)
        for event in WATCHES
        for binding in wanted.get(event, ())
        if binding.match is None or not isinstance(binding.match, tuple)
    ]


def _as_javascript(glob: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(char, _escaped(char)) for char in glob)


def _escaped(char: str) -> str:
    return f"\\{char}" if char in r"\^$.|+()[]{}/" else char


def lets_through(narrowed: Any, subject: str, event: str = "") -> bool:
    """Whether the client would call a hook with this matcher for this subject."""
    if not isinstance(narrowed, str) or narrowed in ("", "*"):
        return True
    if (_EXACT_NARROW if event in NARROW else _EXACT).fullmatch(narrowed):
        return subject in [name.strip() for name in re.split(r"[|,]", narrowed)]
    try:
        return bool(re.search(narrowed, subject))
    except re.error:
        return False
