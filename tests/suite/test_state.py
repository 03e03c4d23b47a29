"""The state file: whatever is put in comes out, and any JSON reader reads it."""

import json
import os
import re
import subprocess

import pytest
from hypothesis import example, given
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
RESULTS = st.lists(RESULT, max_size=6, unique_by=lambda result: result["id"])


CURRENT = st.none() | st.dictionaries(TEXT, TEXT, max_size=2).map(lambda test: {**test, "id": "a"})


@given(RESULTS, st.dictionaries(TEXT, TEXT, max_size=3), CURRENT, TEXT)
def test_what_is_written_is_read(results, variables, current, category):
    """By us and by any JSON reader, in the order of the schema."""
    kept = state.fresh(9, "2026-01-01T00:00:00Z", category)
    kept |= {
        "results": Results.of(results),
        "current_index": len(results),
        "saved_vars": variables,
        "current_test": current,
    }
    data = state.written(kept)
    plain = json.loads(data)
    assert (list(plain), plain["results"]) == (SCHEMA, json.loads(json.dumps(results)))
    again = state.understood(data)
    assert again is not None and {**again, "results": list(again["results"])} == plain
    assert b'"running"' in data  # by which a hook sees, without reading JSON, that a run may be on


@given(RESULTS)
def test_results_are_a_list(results):
    """Length, counts, lookups and taking back agree with the plain list."""
    kept = Results.of(results)
    assert (len(kept), list(kept)) == (len(results), results)
    assert kept.statuses() == {result["id"]: result["status"] for result in results}
    for result in results:
        assert kept.status_of(result["id"]) == result["status"]
    assert kept.status_of("no such test") is None
    for result in reversed(results):
        assert kept.pop() == result
    assert (len(kept), list(kept), kept.since(0)) == (0, [], [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)
)


@given(st.dictionaries(st.sampled_from(SCHEMA) | TEXT, JSON))
def test_any_document_is_a_state_or_a_refusal(document):
    """Whatever is in it: every key of the schema in its type, or a sentence that names what is wrong."""
    try:
        kept = state.understood(json.dumps(document, indent=2).encode())
    except state.Damaged as refusal:
        assert "Mend it, or begin anew" in str(refusal)
        return
    assert kept is not None and list(kept) == SCHEMA and kept["mode"] in ("running", "completed", "aborted")
    assert isinstance(kept["results"], Results) and isinstance(kept["saved_vars"], dict)


@given(st.binary())
def test_any_bytes_are_a_state_or_a_refusal(data):
    """A broken file is one sentence."""
    try:
        state.understood(data)
    except Refusal as refusal:
        assert "not a test state" in str(refusal)


@st.composite
def damaged_states(draw):
    """A state of ours in which some bytes were lost, doubled or replaced: our marks are still there."""
    kept = state.fresh(9, "2026-01-01T00:00:00Z")
    results = draw(st.lists(RESULT, min_size=1, max_size=3, unique_by=lambda result: result["id"]))
    kept |= {"results": Results.of(results), "current_index": 3, "saved_vars": {"n": "1"}, "current_test": {"id": "a"}}
    data = state.written(kept)
    pieces = st.sampled_from(
        [b"", b"\n", b"\x01", b'"', b"{", b"]", b"},", b",\n", b"\n],\n", b"NaN", b"1e999", b"\xff"]
    )
    for _ in range(draw(st.integers(1, 3))):
        begin, length = draw(st.integers(0, len(data))), draw(st.integers(0, 6))
        data = data[:begin] + draw(pieces | st.binary(max_size=3)) + data[begin + length :]
    return data


@given(damaged_states())
@example(b'{"mode": "running", "saved_vars": {"x": 1e999}}')
@example(b'{"mode": "running", "current_test": {"id": "a", "x": -1e999}}')
@example(b'{"mode": 1e999}')
@example(b'{"mode": "running", "current_test": {"id": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}")
@example(b'{"mode": "running",\n"results": [\n{"id": crea\n],\n"current_index": 1}')
@example(b'{"mode": "running", "current_index": 1,\n"results": [\n{"id": "a\x01", "status": "pass"}\n],\n"x": 1}')
def test_what_is_understood_can_be_written(data):
    """Damage is a refusal; what is no damage becomes a state that any JSON reader reads."""
    try:
        kept = state.understood(data)
    except Refusal:
        return
    assert kept is None or list(json.loads(state.written(kept))) == SCHEMA


def test_only_what_we_wrote_is_believed(bed):
    """A state that somebody changed meanwhile, however little, is read from end to end."""
    bed.suite().init()
    bed.pass_one()
    path = bed.folder / ".claude/test-state.json"
    assert state.read(str(bed.folder))["results"].statuses() == {"create": "pass"}
    path.write_text(path.read_text().replace('"status": "pass"', '"status": "green"'))
    with pytest.raises(Refusal, match='the status of result 1 is "green"'):
        state.read(str(bed.folder))


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
    (tmp_path / ".hookwright").write_text("a file")
    with pytest.raises(Refusal, match="cannot be kept"), state.Locked(str(tmp_path)):
        pass


WHOLE = {"mode": "running", "total_tests": 3, "current_index": 1, "results": [{"id": "create", "status": "pass"}]}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"mode": "paused"}, 'mode is "paused", not one of running, completed, aborted'),
        ({"mode": None}, "it has no mode"),
        ({"current_index": -1}, "current_index is -1, not a whole number"),
        ({"current_index": True}, "current_index is true"),
        ({"current_index": "1"}, 'current_index is "1"'),
        ({"current_index": 0}, "it has 1 results, but current_index is 0"),
        ({"current_index": 99}, "current_index is 99, but the run has 3 tests"),
        ({"total_tests": "three"}, "total_tests is"),
        ({"results": "none"}, 'results is "none", not a list'),
        ({"results": [7]}, "result 1 is 7, not a mapping"),
        ({"results": [{"id": "create", "status": "green"}]}, 'the status of result 1 is "green"'),
        ({"results": [{"id": "create", "status": "fail", "failures": "x"}]}, "the failures of result 1"),
        ({"results": [WHOLE["results"][0]] * 2, "current_index": 2}, 'two results are of "create"'),
        ({"current_test": ["create"]}, "current_test is"),
        ({"current_test": {"id": "talk"}}, 'current_test is "talk", but test 2 of the run is "get"'),
        ({"saved_vars": []}, "saved_vars is [], not a mapping"),
        ({"filter_tag": 1}, "filter_tag is 1, not a text"),
        ({"started_at": 0}, "started_at is 0, not a text"),
    ],
)
def test_a_damaged_state_is_told_and_kept(bed, change, wrong):
    """What is wrong and what to do, whichever word is asked; a reset loses nothing."""
    damaged = json.dumps({**WHOLE, **change})
    bed.suite()
    (bed.folder / ".claude").mkdir()
    (bed.folder / ".claude/test-state.json").write_text(damaged)
    for word in ("next", "status", "report", "vars", "abort"):
        with pytest.raises(Refusal, match=re.escape(wrong)):
            bed.do(word)
    with pytest.raises(Refusal, match="begin anew with `hookwright suite init --reset`"):
        bed.init()
    assert (bed.folder / ".claude/test-state.json").read_text() == damaged
    assert "kept as " in bed.init(reset=True)
    assert (bed.folder / ".claude/test-state.json.damaged").read_text() == damaged
    (bed.folder / ".claude/test-state.json").write_text("{")
    bed.init(reset=True)
    assert (bed.folder / ".claude/test-state.json.damaged.2").read_text() == "{"


def test_a_damaged_result_is_a_sentence(bed):
    """Also where the state is in our own form, whose results are not read as long as they are as we wrote them."""
    bed.suite().init()
    bed.pass_one()
    path = bed.folder / ".claude/test-state.json"
    path.write_text(path.read_text().replace('{"id": "create"', '{"id": "crea'))
    for word in ("status", "report"):
        with pytest.raises(Refusal, match=r".claude/test-state.json is not a test state: it is no JSON"):
            bed.do(word)


def test_status_and_report_count_alike(bed):
    """Results of tests that are not in the plan count in neither."""
    bed.suite()
    (bed.folder / ".claude").mkdir()
    results = [{"id": "create", "status": "pass"}, {"id": "stranger", "status": "fail"}]
    (bed.folder / ".claude/test-state.json").write_text(json.dumps({**WHOLE, "results": results, "current_index": 2}))
    line = "**Total:** 3 | **Passed:** 1 | **Failed:** 0 | **Skipped:** 0 | **Not run:** 2"
    assert line in bed.do("status").text and line in bed.do("report").text


def test_a_run_without_a_start_gets_one(bed):
    """Two that somebody else began are two runs, though neither says when."""
    (bed.folder / ".claude").mkdir()
    state_file = bed.folder / ".claude/test-state.json"
    for number, name in enumerate(("one", "two")):
        bed.suite({"tests": [{"id": name, "action": f"Do {name}"}]})
        state_file.write_text('{"mode": "running"}')
        os.utime(state_file, (number * 1000, number * 1000))
        bed.do("status")
        assert bed.do("next").text.endswith(f"Do {name}")
        assert bed.state["started_at"] == f"1970-01-01T00:{'16:40' if number else '00:00'}Z"


def test_values_that_are_no_text_are_variables_too(bed):
    """A runner of somebody else's may have saved a number."""
    bed.suite()
    (bed.folder / ".claude").mkdir()
    (bed.folder / ".claude/test-state.json").write_text(json.dumps({**WHOLE, "saved_vars": {"note_id": 7}}))
    assert bed.do("next").text.endswith("Call get_note with id: 7")


def test_the_lock_follows_no_link_and_git_does_not_see_it(bed, tmp_path_factory):
    """It is among our own files; a link in its place is refused."""
    bed.suite().init()
    assert [file.name for file in (bed.folder / ".claude").iterdir()] == ["test-state.json"]
    lock = bed.folder / ".hookwright/state/suite.lock"
    victim = tmp_path_factory.mktemp("victim") / "created"
    lock.unlink()
    lock.symlink_to(victim)
    with pytest.raises(Refusal, match="cannot be kept"):
        bed.do("next")
    assert not victim.exists()
    subprocess.run(["git", "init", "-q", "."], cwd=bed.folder, check=True)
    told = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=bed.folder, capture_output=True, text=True)
    assert ".hookwright/" not in told.stdout and "lock" not in told.stdout


def test_a_run_does_not_end_before_it_began(bed):
    """Where two begin in one second the later is dated later, and so is all that follows."""
    bed.suite()
    for _ in range(3):
        bed.init(reset=True)
    bed.pass_one()
    bed.do("abort")
    kept = bed.state
    assert kept["started_at"] <= kept["results"][0]["timestamp"] <= kept["completed_at"]
