"""The state file: whatever is put in comes out, and any JSON reader reads it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite.bed import SCHEMA

from hookwright.errors import Refusal
from hookwright.suite import state
from hookwright.suite.results import Results

TEXT = st.text() | st.sampled_from(['"status": "pass",', "],\n", '\n"results": [\n', '"running"', '{"id": "a", '])
RESULT = st.fixed_dictionaries(
    {
        "id": TEXT,
        "status": st.sampled_from(["pass", "fail", "skip"]),
        "failures": st.lists(TEXT, max_size=3),
        "timestamp": TEXT,
    }
)
RESULTS = st.lists(RESULT, max_size=6)


@given(RESULTS, st.dictionaries(TEXT, TEXT, max_size=3), st.none() | st.dictionaries(TEXT, TEXT, max_size=2), TEXT)
def test_what_is_written_is_read(results, variables, current, category):
    """By us and by any JSON reader, in the order of the schema."""
    kept = state.fresh(9, "2026-01-01T00:00:00Z", category)
    kept |= {"results": Results.of(results), "saved_vars": variables, "current_test": current}
    data = state.written(kept)
    plain = json.loads(data)
    assert (list(plain), plain["results"]) == (SCHEMA, json.loads(json.dumps(results)))
    again = state.understood(data)
    assert again is not None and {**again, "results": list(again["results"])} == plain
    assert state.looks_running(data)


@given(RESULTS)
def test_results_are_a_list(results):
    """Length, counts, lookups and taking back agree with the plain list."""
    kept = Results.of(results)
    assert (len(kept), list(kept)) == (len(results), results)
    for status in ("pass", "fail", "skip"):
        assert kept.count(status) == sum(result["status"] == status for result in results)
    for result in results:
        first = next(other for other in results if other["id"] == result["id"])
        assert kept.status_of(result["id"]) == first["status"]
    assert kept.status_of("no such test") is None
    for result in reversed(results):
        assert kept.pop() == result
    assert (len(kept), list(kept), kept.since(0)) == (0, [], [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)
)


@given(st.dictionaries(st.sampled_from(SCHEMA) | TEXT, JSON))
def test_any_document_is_a_state_or_a_refusal(document):
    """Wrong types become what a fresh state has; nothing falls over."""
    kept = state.understood(json.dumps(document, indent=2).encode())
    assert kept is not None and list(kept) == SCHEMA
    assert isinstance(kept["results"], Results) and isinstance(kept["saved_vars"], dict)


@given(st.binary())
def test_any_bytes_are_a_state_or_a_refusal(data):
    """A broken file is one sentence."""
    try:
        state.understood(data)
    except Refusal as refusal:
        assert "not a test state" in str(refusal)


def test_a_busy_run_is_one_sentence(tmp_path):
    """Who cannot get the lock says so and does nothing."""
    with (
        state.Locked(str(tmp_path)),
        pytest.raises(Refusal, match="another process is busy"),
        state.Locked(str(tmp_path), 0.05),
    ):
        pass


def test_where_nothing_can_be_written(tmp_path):
    """One sentence, too."""
    (tmp_path / ".claude").write_text("a file")
    with pytest.raises(Refusal, match="cannot be kept"), state.Locked(str(tmp_path)):
        pass
