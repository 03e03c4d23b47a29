"""Our entries in a Claude Code settings file: found by their mark, put in and taken out, all else left as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from hookwright.setup import json_text
from hookwright.setup.json_text import NotJson, Span, Style

# Claude Code takes unknown keys in a handler and ignores them, so an entry can say whose it is.
MARK = "hookwright"
FORMAT = "1"
EMPTY = "{}\n"

Group = dict[str, Any]


class Entry(NamedTuple):
    """One handler of ours as it stands in a file."""

    event: str
    matcher: str | None
    handler: dict[str, Any]


def is_ours(handler: object) -> bool:
    """Whether an entry carries our mark."""
    return isinstance(handler, dict) and MARK in handler


def entries(document: object) -> list[Entry]:
    """Our entries, in the order of the file."""
    return [
        Entry(event, group.get("matcher"), handler)
        for event, group, handler in handlers(document)
        if is_ours(handler) and isinstance(group, dict)
    ]


def handlers(document: object) -> Iterator[tuple[str, Any, Any]]:
    """(event, group, handler) of every hook in a document, ours and others'; what has not the shape is passed over."""
    hooks = document.get("hooks") if isinstance(document, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            inside = group.get("hooks") if isinstance(group, dict) else None
            for handler in inside if isinstance(inside, list) else ():
                yield event, group, handler


def with_ours(text: str, wanted: dict[str, Group]) -> str:
    """The text with exactly the wanted groups of ours: event -> group. What is right already is not touched."""
    text = text if text.strip() else EMPTY
    document = json_text.parsed(text)
    _shaped(text, document, wanted)
    how = json_text.style(text)
    standing = entries(document)
    for event in dict.fromkeys([*wanted, *(entry.event for entry in standing)]):
        have = [_as_group(entry) for entry in standing if entry.event == event]
        want = [wanted[event]] if event in wanted else []
        if have != want:
            text = _without_event(text, event, keep_empty=bool(want))
            for group in want:
                text = _with_group(text, event, group, how)
    return _without_empty_hooks(text) if standing and not wanted else text


def without_ours(text: str) -> str:
    """The text without any entry of ours."""
    document = json_text.parsed(text) if text.strip() else {}
    for event in dict.fromkeys(entry.event for entry in entries(document)):
        text = _without_event(text, event)
    return _without_empty_hooks(text) if entries(document) else text


def meaning(document: object) -> object:
    """What a document says but for our entries, empty lists of hooks left out, the order of keys kept."""
    if not isinstance(document, dict):
        return document
    said = {key: value for key, value in document.items() if key != "hooks" or not isinstance(value, dict)}
    kept: dict[str, list[Any]] = {}
    for event, groups in document["hooks"].items() if isinstance(document.get("hooks"), dict) else ():
        left = [_others(group) for group in groups] if isinstance(groups, list) else groups
        left = [group for group in left if group is not None] if isinstance(left, list) else left
        if left:
            kept[event] = left
    return [*said.items(), *(("hooks", tuple(kept.items())),) * bool(kept)]


def _others(group: Any) -> Any:
    inside = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(inside, list) or not any(map(is_ours, inside)):
        return group
    rest = [handler for handler in inside if not is_ours(handler)]
    return {**group, "hooks": rest} if rest else None


def _as_group(entry: Entry) -> Group:
    matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
    return {**matcher, "hooks": [entry.handler]}


def _shaped(text: str, document: object, wanted: dict[str, Group]) -> None:
    """Raise NotJson at the place that has not the shape of hooks where we have to write."""
    top = json_text.beginning(text)
    if not isinstance(document, dict):
        raise NotJson("it must be an object", *json_text.position(text, top))
    hooks = json_text.member(text, top, "hooks")
    if hooks is None:
        return
    if not isinstance(document["hooks"], dict):
        raise NotJson('"hooks" must be an object', *json_text.position(text, hooks.value))
    for event in wanted:
        span = json_text.member(text, hooks.value, event)
        if span is not None and not isinstance(document["hooks"][event], list):
            raise NotJson(f'"hooks.{event}" must be a list', *json_text.position(text, span.value))


def _with_group(text: str, event: str, group: Group, how: Style) -> str:
    top = json_text.beginning(text)
    hooks = json_text.member(text, top, "hooks")
    if hooks is None:
        return json_text.appended(text, top, "hooks", {event: [group]}, how)
    span = json_text.member(text, hooks.value, event)
    if span is None:
        return json_text.appended(text, hooks.value, event, [group], how)
    return json_text.appended(text, span.value, "", group, how)


def _without_event(text: str, event: str, keep_empty: bool = False) -> str:
    """Take our entries out of one event; what they leave empty goes too."""
    found = _first_of_ours(text, event)
    while found:
        hooks, groups, group, inner, handler = found
        if len(json_text.spans(text, inner.value)) > 1:
            text = json_text.removed(text, inner.value, handler)
        elif len(json_text.spans(text, groups.value)) > 1 or keep_empty:
            text = json_text.removed(text, groups.value, group)
        else:
            text = json_text.removed(text, hooks.value, groups)
        found = _first_of_ours(text, event)
    return text


def _first_of_ours(text: str, event: str) -> tuple[Span, Span, Span, Span, Span] | None:
    """(hooks, groups, group, its hooks, handler) of the first entry of ours on an event."""
    hooks = json_text.member(text, json_text.beginning(text), "hooks")
    groups = hooks and json_text.member(text, hooks.value, event)
    if hooks is None or groups is None:
        return None
    for group in json_text.spans(text, groups.value):
        inner = json_text.member(text, group.value, "hooks") if text[group.value] == "{" else None
        for handler in json_text.spans(text, inner.value) if inner and text[inner.value] == "[" else ():
            if is_ours(json_text.parsed(text[handler.value : handler.end])):
                assert inner is not None
                return hooks, groups, group, inner, handler
    return None


def _without_empty_hooks(text: str) -> str:
    top = json_text.beginning(text)
    hooks = json_text.member(text, top, "hooks")
    if hooks is not None and text[hooks.value] == "{" and not json_text.spans(text, hooks.value):
        return json_text.removed(text, top, hooks)
    return text
