"""The plain form of an action."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.suite.messages import to_do
from hookwright.suite.unattended.plain import call_in, typed


@pytest.mark.parametrize(
    ("action", "tool", "spelled"),
    [
        ("Call list_notes", "list_notes", {}),
        ("call `echo` with text: a, b and c", "echo", {"text": "a, b and c"}),
        ("Call add with a: 2, b: -3.5", "add", {"a": "2", "b": "-3.5"}),
        ("Call get-sum with a: 1", "get-sum", {"a": "1"}),
        ('Call put with at: {"x": [1, 2]}, name: "a: b"', "put", {"at": '{"x": [1, 2]}', "name": '"a: b"'}),
        ("Call fetch with url: http://a.b/c", "fetch", {"url": "http://a.b/c"}),
    ],
)
def test_the_plain_form_is_a_call(action, tool, spelled):
    """A comma ends a value only before the next name."""
    assert call_in({"action": action}) == {"tool": tool, "spelled": spelled}


@pytest.mark.parametrize(
    "action",
    ["Say ready", "Call list_notes please", "Call me with care", "Create a note", "Call echo with care and love"],
)
def test_prose_is_none(action):
    """However it begins."""
    assert call_in({"action": action}) is None


def test_the_schema_says_what_is_text():
    """A string stays one though it looks like a number; without a schema JSON is read where it is JSON."""
    schema = {"properties": {"id": {"type": "string"}, "n": {"type": "integer"}, "x": {"type": ["string", "null"]}}}
    spelled = {"id": "12", "n": "12", "x": "true", "other": "[1]", "words": "a b", "quoted": '"12"'}
    read = {"id": "12", "n": 12, "x": "true", "other": [1], "words": "a b", "quoted": "12"}
    assert typed(spelled, schema) == read


NAMES = st.text(string.ascii_lowercase + "_", min_size=1, max_size=8)
VALUES = st.one_of(st.integers(-99, 99), st.booleans(), st.lists(st.integers(0, 9), max_size=3))


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_what_a_call_is_shown_as_is_the_same_call(arguments):
    """The documents' form, written for an agent and read back by us."""
    case = {"call": {"tool": "do_it", "arguments": arguments}}
    found = call_in({"action": to_do(case)})
    assert found is not None and typed(found["spelled"], {}) == json.loads(json.dumps(arguments))
