"""Our entries as they stand in a settings file, compared with what a registration would write today."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from hookwright.events import BY_NAME
from hookwright.setup import changes, command_line
from hookwright.setup.scopes import Place
from hookwright.setup.settings import Entry, Group

# Keys of a handler by which the client starts it otherwise, later, or not at all; others it ignores or only shows.
DECIDING = ("type", "args", "shell", "if", "once", "async", "asyncRewake", "onFailure")
_ABSENT = object()


class Difference(NamedTuple):
    """One thing that is not as we would write it; `grave` when events are lost or answered otherwise by it."""

    grave: bool
    text: str


def differences(place: Place, entries: list[Entry], wanted: dict[str, Group]) -> Iterator[Difference]:
    """What is missing, what is too much, and what was altered."""
    have = [entry.event for entry in entries]
    missing = [event for event in wanted if event not in have]
    if missing:
        yield Difference(True, f"the config needs {', '.join(missing)}, not registered there")
    idle = [event for event in dict.fromkeys(have) if event not in wanted]
    if idle:
        yield Difference(False, f"{', '.join(idle)} registered, and the config has nothing to do on it")
    for event in dict.fromkeys(have):
        if have.count(event) > 1:
            yield Difference(False, f"{event} registered {have.count(event)} times")
    known = [entry for entry in entries if entry.event in wanted]
    others = [entry.event for entry in known if entry.handler.get("command") != _handler(wanted, entry).get("command")]
    if others:
        told = "all of it" if others == have else ", ".join(others)
        yield Difference(False, f"{told} names another installation of hookwright, or was written by another version")
    for entry in known:
        yield from _of_entry(entry, wanted[entry.event].get("matcher"), _handler(wanted, entry))
    if place.scope == "project" and _launcher(place) not in (None, command_line.launcher()):
        yield Difference(False, f"{command_line.LAUNCHER} was written by another version, or changed")


def _handler(wanted: dict[str, Group], entry: Entry) -> dict[str, Any]:
    handler: dict[str, Any] = wanted[entry.event]["hooks"][0]
    return handler


def _of_entry(entry: Entry, narrowed: str | None, wanted: dict[str, Any]) -> Iterator[Difference]:
    if entry.matcher != narrowed:
        everything = entry.matcher in (None, "", "*")
        told = "has no matcher" if everything else f"has the matcher {entry.matcher!r}"
        expected = "none" if narrowed is None else repr(narrowed)
        yield Difference(not everything, f"{entry.event} {told}, the config asks for {expected}")
    for key in dict.fromkeys([*wanted, *entry.handler]):
        have, want = entry.handler.get(key, _ABSENT), wanted.get(key, _ABSENT)
        same = have == want and type(have) is type(want)
        told_elsewhere = key == "command" or (key == "timeout" and too_short(entry))
        if not same and not told_elsewhere:
            yield Difference(key in DECIDING, f"{entry.event} has {_shown(key, have)}, which we did not write")


def _shown(key: str, value: object) -> str:
    """A key with its value, if that is a word or a number; anything longer may hold what is not for a screen."""
    if value is _ABSENT:
        return f"no {key!r}"
    return f"{key!r}: {value!r}" if isinstance(value, str | int | float) and len(repr(value)) < 30 else repr(key)


def too_short(entry: Entry) -> bool:
    """Whether the client was told to wait for less time than we count on."""
    row, given = BY_NAME.get(entry.event), entry.handler.get("timeout")
    return row is not None and isinstance(given, int | float) and given < row.timeout_s


def why_not_run(place: Place, entry: Entry, wanted: dict[str, Group]) -> str:
    """Why the doctor does not start this command line: it starts nothing that it would not have written itself."""
    shared = place.scope == "project"
    ours = [group["hooks"][0].get("command") for group in wanted.values()]
    ours.append(
        command_line.of_the_project() if shared else command_line.of_this_machine()
    )  # should the config be broken
    if entry.handler.get("command") not in ours:
        return "this hookwright did not write it"
    if not shared:
        return ""
    launcher = place.path.with_name(command_line.LAUNCHER)
    text = _launcher(place)
    if text is None:
        return f"{launcher} is missing"
    return "" if text == command_line.launcher() else f"{launcher} is not as this hookwright writes it"


def _launcher(place: Place) -> bytes | None:
    return changes.content(place.path.with_name(command_line.LAUNCHER))
