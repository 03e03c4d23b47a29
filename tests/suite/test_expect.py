"""Expectations: each kind met and not met, with the sentence that says why."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.suite import patterns
from hookwright.suite.evidence import Call, Evidence, text_of
from hookwright.suite.expect import EXPECTATIONS, failures_of, judged
from hookwright.suite.sameness import same, within
from hookwright.suite.verdicts import tool_of

NOTE = {"id": "n1", "tags": ["a", "b"], "size": 3, "gone": None}
SAID = Evidence(
    "It worked: done.",
    [
        Call(
            "mcp__demo__get_note",
            {"id": "n1", "deep": {"x": 1, "y": 2}},
            [{"type": "text", "text": json.dumps(NOTE)}],
            ms=20,
        ),
        Call("Bash", {"command": "ls"}, None, "exit code 1", ms=5),
    ],
    took_ms=900,
)
PASTED = Evidence("Hello World", seen_tools=False)


@pytest.mark.parametrize(
    ("entry", "failure"),
    [
        ({"contains": "World"}, None),
        ({"contains": "x"}, "Missing: 'x'"),
        ({"not_contains": "x"}, None),
        ({"not_contains": "World"}, "Unexpected: 'World'"),
        ({"regex": r"W\w+d$"}, None),
        ({"regex": "x+"}, "Pattern not found: 'x+'"),
        ({"icontains": "hELLO"}, None),
        ({"icontains": "xy"}, "Missing (in any case): 'xy'"),
        ({"equals": " Hello World\n"}, None),
        ({"equals": "Hello"}, "Not equal: expected 'Hello', got 'Hello World'"),
        ({"starts_with": "Hello"}, None),
        ({"starts_with": "World"}, "Does not start with: 'World'"),
        ({"min_length": 11}, None),
        ({"min_length": 12}, "Too short: 11 characters, at least 12 wanted"),
        ({"json_schema": {"type": "object"}}, "No JSON in the response"),
        ({"json_path": "$.a"}, "JSONPath not found: $.a"),
        ({"contains": "x", "on": "tool"}, "Missing: 'x'"),
        ({"contains": "World", "on": "tool"}, None),
        ({"any_of": [{"contains": "x"}, {"contains": "World"}]}, None),
        ({"any_of": [{"contains": "x"}, {"regex": "y"}]}, "None of these: Missing: 'x' | Pattern not found: 'y'"),
        ({"all_of": [{"contains": "Hello"}, {"contains": "World"}]}, None),
        ({"all_of": [{"contains": "x"}, {"contains": "y"}]}, "Missing: 'x'; Missing: 'y'"),
        ({"not": {"contains": "x"}}, None),
        ({"not": {"contains": "World"}}, 'Should not hold: \'{"contains": "World"}\''),
        ({"tool_called": "x"}, "Tool not called: 'x' (tool calls are seen only with `suite: {drive: self}`)"),
        ({"latency_ms": 5}, "No duration was measured"),
    ],
)
def test_on_a_response_that_was_pasted(entry, failure):
    """The texts of contains, not_contains and regex are the documents' own."""
    assert judged(entry, PASTED) == ([failure] if failure else [])


@pytest.mark.parametrize(
    ("entry", "failure"),
    [
        ({"contains": "n1"}, None),
        ({"contains": "worked"}, None),
        ({"contains": "worked", "on": "tool"}, "Missing: 'worked'"),
        ({"contains": "n1", "on": "answer"}, "Missing: 'n1'"),
        ({"not_contains": "worked", "on": "tool"}, None),
        ({"starts_with": "It worked", "on": "either"}, None),
        ({"equals": NOTE}, None),
        ({"equals": {"id": "n1"}}, "Not equal"),
        ({"json_path": "$.tags[1]"}, None),
        ({"json_path": {"path": "$.id", "equals": "n1"}}, None),
        ({"json_path": {"path": "$.gone", "equals": None}}, None),
        ({"json_path": {"path": "$.id", "equals": None}}, "JSONPath $.id: expected 'null', got 'n1'"),
        ({"json_path": {"path": "$.size", "equals": 4}}, "JSONPath $.size: expected '4', got '3'"),
        ({"json_path": {"path": "$.tags[*]", "count": 2}}, None),
        ({"json_path": {"path": "$.tags[*]", "count": 1}}, "JSONPath $.tags[*] found 2 values, not 1"),
        ({"json_path": {"path": "$.none", "count": 0}}, None),
        ({"json_path": {"path": "$.tags", "contains": "b"}}, None),
        ({"json_path": {"path": "$.tags", "contains": "z"}}, "JSONPath $.tags: Missing: 'z'"),
        ({"json_path": {"path": "$.id", "regex": "^n"}}, None),
        ({"json_path": {"path": "$.id", "regex": "^x"}}, "JSONPath $.id: Pattern not found: '^x'"),
        ({"json_path": "$[?@.id"}, "JSONPath cannot be read: $[?@.id"),
        ({"json_path": "$[?search(@, 'n.')]"}, None),
        ({"json_path": "$[?match(@, 'n')]"}, "JSONPath not found"),
        ({"json_schema": {"required": ["id"], "properties": {"size": {"maximum": 3}}}}, None),
        ({"json_schema": {"required": ["name"]}}, "JSON Schema not met at $: 'name' is a required property"),
        (
            {"json_schema": {"properties": {"id": {"pattern": "^x"}}}},
            "JSON Schema not met at $.id: 'n1' does not match '^x'",
        ),
        ({"json_schema": {"patternProperties": {"^i": {"type": "number"}}}}, "JSON Schema not met at $.id"),
        ({"json_schema": {"type": 3}}, "JSON Schema cannot be read"),
        ({"tool_called": "get_note"}, None),
        ({"tool_called": "mcp__demo__*"}, None),
        ({"tool_called": {"tool": "{get_note,Bash}", "count": 2}}, None),
        ({"tool_called": {"tool": "get_note", "count": 2}}, "Tool called 1 times, not 2: 'get_note'"),
        ({"tool_called": "Edit"}, "Tool not called: 'Edit'"),
        ({"tool_not_called": "Edit"}, None),
        ({"tool_not_called": "B*"}, "Tool called: 'B*'"),
        ({"tool_args": {"id": "n1", "deep": {"x": 1}}}, None),
        ({"tool_called": "Bash", "tool_args": {"id": "n1"}}, "Tool arguments differ: expected"),
        ({"tool_called": "Edit", "tool_args": {}}, "Tool not called: 'Edit'"),
        ({"tool_error": True}, None),
        ({"tool_error": "code 1"}, None),
        ({"tool_error": "code 2"}, "Missing in the tool error: 'code 2'"),
        ({"tool_error": False}, "Unexpected tool error: 'exit code 1'"),
        ({"tool_called": "get_note", "tool_error": False}, None),
        ({"tool_called": "get_note", "tool_error": True}, "No tool error"),
        ({"latency_ms": 20}, None),
        ({"latency_ms": 10}, "Too slow: 20 ms, at most 10 ms wanted"),
        ({"any_of": [{"contains": "worked"}], "on": "tool"}, "None of these: Missing: 'worked'"),
    ],
)
def test_on_what_tools_and_agent_said(entry, failure):
    """Tool results first, the answer second, or the side that `on` names."""
    found = judged(entry, SAID)
    assert [text[: len(failure)] for text in found] == [failure] if failure else found == []


def test_several_kinds_in_one_entry_all_count():
    """In the order of the documents, whatever their order in the file."""
    entry = {"regex": "x", "not_contains": "World", "contains": "y"}
    assert judged(entry, PASTED) == ["Missing: 'y'", "Unexpected: 'World'", "Pattern not found: 'x'"]
    assert failures_of([entry, {"contains": "z"}], PASTED)[-1] == "Missing: 'z'"


def test_a_catastrophic_pattern_does_not_hang(monkeypatch):
    """Nor in a schema, nor in a path: each search has its deadline."""
    monkeypatch.setattr(patterns, "DEADLINE_S", 0.2)
    slow = Evidence("a" * 45 + "!", seen_tools=False)
    assert judged({"regex": "(a|aa)+$"}, slow)[0].startswith("Pattern took too long: '(a|aa)+$'")
    document = Evidence(json.dumps({"x": "a" * 45 + "!"}), seen_tools=False)
    assert judged({"json_schema": {"properties": {"x": {"pattern": "^(a|aa)+$"}}}}, document)
    assert judged({"json_path": "$[?search(@, '(a|aa)+$')]"}, document)[0].startswith("JSONPath took too long")


def test_a_search_in_another_thread_has_its_deadline_too(monkeypatch):
    """Where no alarm rings, a library with a timeout does the search."""
    monkeypatch.setattr(patterns, "DEADLINE_S", 0.2)
    slow = Evidence("a" * 45 + "!", seen_tools=False)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(judged, {"regex": "b|(a)!"}, slow).result() == []
        assert pool.submit(judged, {"regex": "(a|aa)+$"}, slow).result()[0].startswith("Pattern took too long")


def test_an_alarm_of_somebody_else_still_rings():
    """Who had set one before a search gets it afterwards."""
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        judged({"regex": "x"}, PASTED)
        until = time.monotonic() + 60
        while not rung and time.monotonic() < until:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung


def test_secrets_of_a_response_are_not_repeated():
    """A reason quotes what it got without its secrets."""
    (reason,) = judged({"equals": "x"}, Evidence("token: sk-ant-1234567890", seen_tools=False))
    assert "1234567890" not in reason


def test_json_between_fences_is_found():
    """An answer that shows its JSON in a code block counts as that JSON."""
    assert judged({"equals": {"a": 1}}, Evidence('Here:\n```json\n{"a": 1}\n```\nDone.', seen_tools=False)) == []


@given(st.text(), st.text())
def test_contains_and_not_contains_are_opposites(wanted, text):
    """One of the two holds, never both."""
    evidence = Evidence(text, seen_tools=False)
    assert bool(judged({"contains": wanted}, evidence)) != bool(judged({"not_contains": wanted}, evidence))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_every_value_is_the_same_as_and_within_itself(value):
    """true is not 1."""
    assert same(value, value) and within(value, value)
    assert not same(True, 1) and not same(0, False)


@given(JSON)
def test_any_tool_result_has_a_text(value):
    """Whatever a tool answers can be judged and shown."""
    assert isinstance(text_of(value), str)


def test_texts_of_tool_results():
    """MCP content, a command's output, a plain text, anything else as JSON."""
    assert text_of([{"type": "text", "text": "a"}, {"type": "image", "data": "x"}]).startswith('a\n{"type": "image"')
    assert text_of({"content": [{"type": "text", "text": "b"}], "isError": False}) == "b"
    assert text_of({"stdout": "out", "stderr": "err"}) == "out\nerr"
    assert text_of({"filePath": "x"}) == '{"filePath": "x"}'


def test_every_kind_explains_itself():
    """A row has a sentence for editors and readers."""
    assert all(kind.help.endswith(".") for kind in EXPECTATIONS.values())


@pytest.mark.parametrize(
    ("action", "tool"),
    [
        ("Call add with a: 1, b: 2", "add"),
        ("call `add-note` with `title`: x", "add-note"),
        ("Call list_notes", "list_notes"),
        ("Call ping.", "ping"),
        ("Call ping with no arguments", "ping"),
        ("Call subcog_init twice", "subcog_init"),
        ("Call it with care", ""),
        ("Call it", ""),
        ("Call them with title: x", ""),
        ("Call mother with a smile: be kind", ""),
        ("Call the add tool with a: 1", ""),
        ("Say add", ""),
        ("", ""),
    ],
)
def test_which_tool_an_action_is_about(action, tool):
    """Only the plain form names one: "Call TOOL", "Call TOOL with key: value"."""
    assert tool_of({"action": action}) == tool
