"""The table of events agrees with what the real client sends and acts on."""

import json
import re

import pytest
from conftest import GOLDEN
from hypothesis import given
from hypothesis import strategies as st

from hookwright.events import BY_NAME, COMMON, canonical, event_of, kebab, lower_camel, subjects

REFERENCE = {row["event"]: row for row in json.loads((GOLDEN / "events.json").read_text())}
PAYLOADS = sorted((GOLDEN / "claude-code").glob("*.json"))
# Said by the reference to be accepted and then dropped: never written, so not in our row.
DROPPED = {("Notification", "additionalContext"), ("WorktreeCreate", "terminalSequence")}


def names(fields, event):
    plain = {re.split(r"[ (]", field)[0] for field in fields}
    return {field for field in plain if (event, field) not in DROPPED}


def test_every_event_of_the_reference_has_a_row_in_its_order():
    """Our table and the reference name the same 33 events."""
    assert list(BY_NAME) == list(REFERENCE)


@pytest.mark.parametrize("name", REFERENCE)
def test_a_row_does_not_drift_from_the_reference(name):
    """Fields, filter, answers, blocking and timeout are those of the reference."""
    ours, theirs = BY_NAME[name], REFERENCE[name]
    assert set(theirs["input_fields"]) == set(ours.fields()) - set(COMMON) | (
        set(theirs["input_fields"]) & set(ours.fields()) & set(COMMON)
    )
    assert names(theirs["output_fields"], name) == set(ours.top.split())
    assert names(theirs["specific_output_fields"], name) == set(ours.specific.split())
    assert theirs["can_block"] == ours.decides
    assert theirs["default_timeout_s"] == ours.timeout_s
    matcher = re.findall(r"[a-z_]+_[a-z_]+|source|trigger|reason|error", theirs["matcher_field"] or "")
    assert ours.matches == (matcher[0] if matcher else "")


def test_a_field_has_the_type_the_reference_gives_it():
    """Text is text, an object a dict, a list a list, a switch a bool."""
    kinds = {"string": str, "object": dict, "boolean": bool}
    for name, row in REFERENCE.items():
        event = BY_NAME[name]({})
        for field, fact in row["input_fields"].items():
            if fact["type"] in kinds:
                assert type(getattr(event, field)) is kinds[fact["type"]], (name, field)


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
def test_every_captured_payload_is_decoded(path):
    """Each declared field of a real payload comes back typed, everything else stays in raw."""
    raw = json.loads(path.read_text())
    event = event_of(raw["hook_event_name"], raw)
    assert type(event) is BY_NAME[raw["hook_event_name"]]
    assert event.raw == raw
    for field, value in raw.items():
        if field in event.fields() and value is not None:
            assert getattr(event, field) == value
    undeclared = set(raw) - set(event.fields())
    assert not undeclared, f"the client sends {undeclared}, which our row does not declare"


def test_an_unknown_event_keeps_everything():
    """An event of tomorrow has the common fields and its payload."""
    event = event_of("TomorrowsEvent", {"session_id": "s", "news": 1})
    assert (event.event_name, event.session_id, event.raw["news"]) == ("TomorrowsEvent", "s", 1)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("PostToolUse", "PostToolUse"),
        ("post-tool-use", "PostToolUse"),
        ("postToolUse", "PostToolUse"),
        ("post_tool_use", "PostToolUse"),
        ("pre-tool", "PreToolUse"),
        ("post-tool", "PostToolUse"),
        ("post-tool-failure", "PostToolUseFailure"),
        ("compact", "PreCompact"),
        ("session-start", "SessionStart"),
        ("subagent-start", "SubagentStart"),
        ("user-prompt-submit", "UserPromptSubmit"),
        ("teammate-idle", "TeammateIdle"),
        ("task-completed", "TaskCompleted"),
        ("never-heard-of", "never-heard-of"),
    ],
)
def test_every_spelling_of_an_event_is_understood(spelling, name):
    """Agent's name, kebab, camel, snake and the documents' short forms mean the same event."""
    assert canonical(spelling) == name


@given(st.sampled_from(sorted(BY_NAME)))
def test_derived_spellings_lead_back(name):
    """The kebab and lower-camel forms are derived, and lead back to the name."""
    assert canonical(kebab(name)) == canonical(lower_camel(name)) == name


@given(
    st.sampled_from(sorted(BY_NAME)),
    st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists)),
)
def test_any_payload_becomes_an_event_with_typed_fields(name, raw):
    """Whatever is sent, a declared field has its declared type."""
    default, event = BY_NAME[name]({}), BY_NAME[name](raw)
    for field in event.fields():
        declared = getattr(default, field)
        if declared is not None:
            assert isinstance(getattr(event, field), type(declared))


def test_null_and_wrongly_typed_fields_take_their_default():
    """A null or mistyped field does not reach a handler."""
    event = BY_NAME["PreToolUse"]({"tool_name": None, "tool_input": "rm", "session_id": 5})
    assert (event.tool_name, event.tool_input, event.session_id) == ("", {}, "")


def test_defaults_are_not_shared_between_events():
    """A handler that changes one event's empty input does not change the next one's."""
    BY_NAME["PreToolUse"]({}).tool_input["x"] = 1
    assert BY_NAME["PreToolUse"]({}).tool_input == {}


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("PreToolUse", {"tool_name": "Bash"}, ["Bash"]),
        ("FileChanged", {"file_path": "/project/sub/.envrc"}, [".envrc"]),
        ("PreModelSwitch", {"to_model": "claude-opus-5-5[1m]"}, ["claude-opus-5-5"]),
        ("PostToolBatch", {"tool_calls": [{"tool_name": "Edit"}, {"tool_name": "Bash"}, 5]}, ["Edit", "Bash"]),
        ("Stop", {}, []),
    ],
)
def test_a_filter_is_compared_to_what_the_client_compares(name, raw, expected):
    """Tool name, base name, model without suffix; a batch by each of its calls; nothing where there is nothing."""
    assert subjects(event_of(name, raw)) == expected


def test_only_worktree_events_change_the_agent_by_being_hooked():
    """The events that must not be registered unless something is bound to them are marked."""
    assert [name for name, event in BY_NAME.items() if event.changes_agent] == ["WorktreeCreate", "WorktreeRemove"]
