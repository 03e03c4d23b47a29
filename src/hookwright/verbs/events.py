"""`hookwright events`: the table of events, printed from their rows."""

from __future__ import annotations

import argparse
import json

from hookwright.errors import Misuse, did_you_mean
from hookwright.events import BY_NAME, COMMON, Event, canonical

# answer field -> the verb of a Python handler that fills it; a field that is not here is filled by answer(field=...)
_VERBS = {
    "permissionDecision": "allow/deny/ask",
    "permissionDecisionReason": "",
    "decision": "block",
    "reason": "",
    "additionalContext": "context",
    "systemMessage": "tell_user",
    "updatedInput": "rewrite",
    "continue": "halt",
    "stopReason": "",
    "terminalSequence": "",
}
# Answers that no field of the event's row shows: told by text or exit code, or one more value of a field.
_ALSO = {"PreToolUse": ["defer"], "PreCompact": ["context"], "WorktreeCreate": ["block"]}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `events` takes."""
    parser.add_argument("event", nargs="?", metavar="EVENT", help="only this one, in full")
    parser.add_argument("--json", action="store_true", help="the whole rows, for programs")


def main(args: argparse.Namespace) -> int:
    """Print the table, or one row of it."""
    if args.event and canonical(args.event) not in BY_NAME:
        raise Misuse(f"no event is called {args.event!r}{did_you_mean(args.event, BY_NAME)}")
    chosen = [BY_NAME[canonical(args.event)]] if args.event else list(BY_NAME.values())
    if args.json:
        print(json.dumps([row(event) for event in chosen], indent=2))
    elif args.event:
        print("\n".join(f"{key:<24}{_plain(value)}" for key, value in row(chosen[0]).items()))
    else:
        print(table())
        print(f"\n{len(BY_NAME)} events. One in full: hookwright events Stop. Try it: hookwright fire Stop")
    return 0


def table() -> str:
    """All events, a line each."""
    lines = [f"{'EVENT':<20} {'FILTER':<18} {'WAITS':>6}  ANSWERS"]
    for name, event in BY_NAME.items():
        answers = " ".join(verbs(event)) or "-"
        changes = "  [hooking it changes the agent]" if event.changes_agent else ""
        lines.append(f"{name:<20} {event.matches or '-':<18} {event.timeout_s:>5g}s  {answers}{changes}")
    return "\n".join(lines)


def _plain(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else "-" if value is None else str(value)


def verbs(event: type[Event]) -> list[str]:
    """What a handler can answer to an event, in the words of `from hookwright import ...`."""
    fields = [*event.specific.split(), *event.top.split()]
    if event.specific == "decision":
        fields = ["permission", "rewrite"]
    if "permissionDecision" in fields:
        fields.remove("decision")
    found = [verb for field in fields if (verb := _VERBS.get(field, field))]
    return list(dict.fromkeys([*found, *_ALSO.get(event.__name__, ())]))


def row(event: type[Event]) -> dict[str, object]:
    """One event as plain data."""
    return {
        "event": event.__name__,
        "fires": event.__doc__,
        "fields": [field for field in event.fields() if field not in COMMON or field in event.__annotations__],
        "matches": event.matches or None,
        "answers": verbs(event),
        "output_fields": event.top.split(),
        "specific_output_fields": event.specific.split(),
        "decides": event.decides,
        "blocked": event.blocked or None,
        "timeout_s": event.timeout_s,
        "changes_agent": event.changes_agent,
    }
