"""What can be judged neither as met nor as not met fails the test, wherever it stands; and nothing is fetched for it."""

import socket
import time

import pytest

from hookwright.suite import patterns
from hookwright.suite.evidence import Evidence
from hookwright.suite.expect import EXPECTATIONS, Kind, failures_of, judged
from hookwright.suite.verdicts import failures

SLOW = "(a|aa)+$"
TEXT = "a" * 45 + "!"
SAID = Evidence(f'["{TEXT}"]', seen_tools=False)
KEYED = Evidence(f'{{"{TEXT}": 1}}', seen_tools=False)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(patterns, "DEADLINE_S", 0.1)


@pytest.mark.parametrize(
    "entry",
    [
        {"regex": SLOW},
        {"not": {"regex": SLOW}},
        {"any_of": [{"contains": "a"}, {"regex": SLOW}]},
        {"not": {"all_of": [{"regex": SLOW}]}},
        {"not": {"json_path": {"path": "$[0]", "regex": SLOW}}},
        {"not": {"json_path": f"$[?search(@, '{SLOW}')]"}},
        {"json_schema": {"not": {"items": {"pattern": SLOW}}}},
        {"not": {"json_schema": {"items": {"pattern": SLOW}}}},
        {"json_schema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": {"$ref": "#/$defs/a"},
                         "$defs": {"a": {"not": {"pattern": SLOW}}}}},
    ],
)  # fmt: skip
def test_a_pattern_that_takes_too_long_never_passes(impatient, entry):
    """Not inside `not`, not beside an alternative that holds, not in a schema."""
    (reason,) = judged(entry, SAID)
    assert "took too long" in reason


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {SLOW: False}},
        {"patternProperties": {SLOW: True}, "additionalProperties": True, "unevaluatedProperties": False},
        {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"patternProperties": {SLOW: False}}}},
    ],
)
def test_a_name_that_cannot_be_matched(impatient, schema):
    """`patternProperties` neither, also where the library searches by itself."""
    assert "took too long" in judged({"json_schema": schema}, KEYED)[0]


def test_one_budget_for_a_test(monkeypatch):
    """Many slow searches together end as early as a few."""
    monkeypatch.setattr(patterns, "DEADLINE_S", 0.2)
    monkeypatch.setattr(patterns, "BUDGET_S", 0.5)
    began = time.monotonic()
    found = failures({"id": "a", "expect": [{"regex": f"{SLOW}|{n}"} for n in range(20)]}, SAID)
    assert time.monotonic() - began < 2 and len(found) == 20
    assert "have used up their 0.5 s" in found[-1]


def test_a_schema_fetches_nothing(monkeypatch):
    """A reference to somewhere else is a fault of the schema; no connection is tried."""
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("a connection"))
    for reference in ("http://127.0.0.1:9/schema.json", "file:///etc/passwd", "#/$defs/none", "http://[::1"):
        (reason,) = judged({"json_schema": {"items": {"$ref": reference}}}, SAID)
        assert reason.startswith("JSON Schema cannot be read (it refers to") and reference in reason
        assert judged({"not": {"json_schema": {"items": {"$ref": reference}}}}, SAID) == [reason]


def test_references_inside_a_schema():
    """Into its own definitions, to an `$id` of its own, and to itself."""
    own = {"$id": "https://x.example/a", "items": {"$ref": "b"}, "$defs": {"b": {"$id": "b", "type": "string"}}}
    assert judged({"json_schema": own}, SAID) == []
    assert judged({"json_schema": {"$ref": "#/$defs/a", "$defs": {"a": {"type": "array"}}}}, SAID) == []
    assert judged({"json_schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}, KEYED) == []
    assert "without end" in judged({"json_schema": {"$ref": "#"}}, SAID)[0]


def test_whatever_goes_wrong_is_a_reason(monkeypatch):
    """A fault of ours in one kind leaves the others judged."""

    def broken(wanted, scene):
        raise ZeroDivisionError("by zero")

    monkeypatch.setitem(EXPECTATIONS, "min_length", Kind(broken, "count", "x."))
    found = failures_of([{"min_length": 1, "contains": "nowhere"}], SAID)
    assert found == ["Missing: 'nowhere'", "Cannot be judged: min_length (ZeroDivisionError: by zero)"]
