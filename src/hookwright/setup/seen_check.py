"""The doctor's look at the journal: what arrived, and what should have."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from hookwright.setup import conversations, scopes
from hookwright.setup.checks import BAD, OK, Finding
from hookwright.setup.facts import Facts


def look(facts: Facts) -> Iterator[Finding]:
    """What arrived, and what should have."""
    last = {str(entry.get("event")): str(entry.get("time")) for entry in facts.journal}
    wanted = facts.awaited
    arrived = [f"{event} {_ago(last[event])}" for event in wanted if event in last]
    never = [event for event in wanted if event not in last]
    conversation = conversations.last(scopes.client_folder(), facts.project, facts.journal)
    if conversation and facts.entries and _after(conversation.began, facts):
        events = {str(entry.get("event")) for entry in facts.journal if entry.get("session") == conversation.session}
        for event in conversations.missed(conversation, facts.entries, events):
            told = f"{event} should have fired in the last conversation ({_ago(conversation.began)}) and did not"
            yield Finding(BAD, told, "look at the lines above; then start a new conversation")
    if arrived:
        yield Finding(OK, f"last seen: {', '.join(arrived)}")
    if never:
        yield Finding(OK, f"not seen yet: {', '.join(never)}")


def _after(began: str, facts: Facts) -> bool:
    """Whether a conversation began after the registration was last written."""
    written = max((place.path.stat().st_mtime for place in facts.ours if place.path.exists()), default=0.0)
    moment = _moment(began)
    return moment is not None and moment.timestamp() > written


def _moment(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None


def _ago(text: str) -> str:
    moment = _moment(text)
    if moment is None:
        return "at an unknown time"
    seconds = (datetime.datetime.now(datetime.UTC) - moment).total_seconds()
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} ago"
    return "just now"
