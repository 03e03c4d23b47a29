"""A run: begun, taken, judged, skipped, taken back, ended; and its state in the documents' schema."""

import json
import re
import sys

import pytest
from suite.bed import SCHEMA, THREE

from hookwright.errors import Refusal
from hookwright.suite import suites


def test_the_state_is_the_documents_schema(bed):
    """Every key, no other, at each moment of a run; results and times in the documents' form."""
    bed.suite().init()
    for step in (lambda: None, lambda: bed.do("next"), lambda: bed.do("validate", "nothing"), lambda: bed.do("abort")):
        step()
        assert list(bed.state) == SCHEMA
    (result,) = bed.state["results"]
    assert list(result) == ["id", "status", "failures", "timestamp"]
    assert (result["status"], result["failures"]) == ("fail", ["Missing: 'Created'"])
    for moment in (result["timestamp"], bed.state["started_at"], bed.state["completed_at"]):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", moment)


def test_a_run_from_begin_to_end(bed):
    """The words of the documents, the saved variable in the next action, the end."""
    assert bed.suite().init() == "# Three tests\n**Total tests:** 3\nType **next** to begin testing."
    assert bed.do("next").text == (
        "## Test 1/3: create\n**Category:** crud\n**Description:** A note is kept\n\n"
        "### Action\nCall create_note with title: Milk"
    )
    told = bed.do("validate", "Created. ID: n.1")
    assert (told.text, told.good) == ("## ✅ PASS: create\nType **next** to continue to the next test.", True)
    assert bed.do("next").text.endswith("### Action\nCall get_note with id: n.1")
    assert bed.state["current_test"]["expect"] == [{"regex": r"id.*n\.1"}]
    told = bed.do("validate", "id: nx1")
    assert (told.text.split("\n")[:2], told.good) == (["## ❌ FAIL: get", r"- Pattern not found: 'id.*n\.1'"], False)
    assert "All tests are done: **Total:** 3 | **Passed:** 2 | **Failed:** 1 | **Skipped:** 0" in bed.pass_one()
    assert (bed.state["mode"], bed.state["current_index"]) == ("completed", 3)
    assert bed.do("vars").text == "# Saved variables\n- `note_id` = n.1"


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, ["create", "get", "talk"]),
        ({"category": "crud"}, ["create", "get"]),
        ({"tag": "critical"}, ["create"]),
        ({"ids": ["talk"]}, ["talk"]),
        ({"category": "crud", "tag": "smoke", "ids": ["get", "talk"]}, ["get"]),
    ],
)
def test_filters_are_really_applied(bed, filters, ids):
    """The run has the tests that were asked for, and the state says by what."""
    bed.suite().init(**filters)
    assert bed.state["total_tests"] == len(ids)
    assert (bed.state["filter_category"], bed.state["filter_tag"]) == (filters.get("category"), filters.get("tag"))
    while bed.state["mode"] == "running":
        if bed.do("next").to == "model":
            bed.do("validate", "Created ID: n1 hello id n1")
    assert list(bed.statuses) == ids


def test_a_filter_that_leaves_nothing_is_refused(bed):
    """And so is a project without a suite, and a suite with problems: no run is begun."""
    with pytest.raises(Refusal, match=r"no test of .* has category 'x'"):
        bed.suite().init(category="x")
    with pytest.raises(Refusal, match="has tag 'smok'; did you mean \"smoke\""):
        bed.init(tag="smok")
    with pytest.raises(Refusal, match="has category 'crudd', tag 'smoke'; did you mean \"crud\""):
        bed.init(category="crudd", tag="smoke")
    with pytest.raises(Refusal, match="has id 'tolk'; did you mean \"talk\""):
        bed.init(ids=["talk", "tolk"])
    assert not (bed.folder / ".claude/test-state.json").exists()
    bed.suite({"tests": [{"id": "a"}]})
    with pytest.raises(Refusal, match=r'tests\[0\]: has neither "action" nor "call"'):
        bed.init()


def test_what_depends_on_a_failed_test_is_skipped_with_the_reason(bed):
    """Also at a distance, and when the dependency is not part of the run."""
    bed.suite().init()
    bed.pass_one("nothing")
    bed.do("next")
    assert bed.state["current_test"]["id"] == "talk"
    assert bed.state["results"][1]["failures"] == ["Depends on 'create', which failed"]
    bed.init(reset=True, ids=["get"])
    bed.do("next")
    assert bed.state["results"][0]["failures"] == ["Depends on 'create', which is not part of this run"]
    assert bed.state["mode"] == "completed"


def test_a_variable_that_was_not_saved_skips_its_users(bed):
    """The test that did not save it says so and stands; who needs the variable cannot run."""
    suite = json.loads(json.dumps(THREE))
    del suite["tests"][1]["depends_on"]
    bed.suite(suite).init()
    assert "- Not saved: 'note_id'" in bed.pass_one("Created without a number")
    bed.do("next")
    assert bed.state["results"][1]["failures"] == ["Needs ${note_id}, which no test has saved"]


def test_a_run_that_is_on_is_resumed(bed):
    """Unless it is reset; a test in hand stays in hand."""
    bed.suite().init()
    bed.pass_one()
    bed.do("next")
    before = bed.state
    assert "This run is on, with 1 of 3 done" in bed.init()
    assert bed.state == before
    bed.init(reset=True)
    assert (bed.state["results"], bed.state["current_test"]) == ([], None)
    assert bed.state["started_at"] > before["started_at"]


def test_next_again_is_the_same_test(bed):
    """Nothing is lost when a person, or a client, asks twice."""
    bed.suite().init()
    assert bed.do("next").text == bed.do("next").text
    assert bed.state["results"] == []


def test_skip_takes_the_current_or_the_next(bed):
    """A skip by word has no reason."""
    bed.suite().init()
    assert bed.do("skip").text.startswith("## ⏭️ SKIP: create")
    bed.do("next")
    bed.do("skip")
    assert bed.statuses == {"create": "skip", "get": "skip", "talk": "skip"}
    assert bed.state["results"][1]["failures"] == ["Depends on 'create', which was skipped"]


def test_retry_takes_a_result_back(bed):
    """With a test in hand that one again; without, the last result, what it saved, and who was skipped for it."""
    bed.suite().init()
    bed.do("next")
    assert bed.do("retry").text.startswith("## Test 1/3: create")
    bed.do("validate", "ID: n1 but no such word")
    assert bed.state["saved_vars"] == {"note_id": "n1"}
    assert bed.do("retry").text.startswith("## Test 1/3: create")
    assert (bed.state["results"], bed.state["saved_vars"]) == ([], {})
    bed.do("validate", "nothing")
    bed.do("next")
    bed.do("validate", "nothing")
    assert bed.state["mode"] == "completed"
    assert bed.do("retry").text.startswith("## Test 3/3: talk")
    assert (bed.state["mode"], bed.state["completed_at"]) == ("running", None)


def test_retry_gives_an_earlier_value_back(bed):
    """What an earlier test saved under the same name is there again, and stays where the later one saved nothing."""
    tests = [{"id": n, "action": "x", "save": {"v": "v=(\\w+)"}, "expect": [{"contains": "ok"}]} for n in "ab"]
    bed.suite({"tests": [*tests, {"id": "c", "action": "${v}"}]}).init()
    bed.pass_one("ok v=first")
    bed.pass_one("v=second")
    assert bed.state["saved_vars"] == {"v": "second"}
    bed.do("retry")
    assert bed.state["saved_vars"] == {"v": "first"}
    bed.do("validate", "nothing at all")
    bed.do("retry")
    assert bed.state["saved_vars"] == {"v": "first"}
    bed.do("validate", "ok")
    assert bed.do("next").text.endswith("### Action\nfirst")


def test_filters_of_a_resumed_run_are_said_to_be_ignored(bed):
    """The run goes on with what it began with, and nobody is left to think otherwise."""
    bed.suite().init()
    assert "Not applied: category 'crud'. A run goes on with the tests it began with." in bed.init(category="crud")
    assert "Not applied" not in bed.init()
    assert "Not applied" not in bed.init(reset=True, category="crud")


def test_a_suite_above_is_found(bed):
    """From a folder inside the project, the nearest one upwards."""
    bed.suite()
    inside = bed.folder / "deep" / "down"
    inside.mkdir(parents=True)
    assert suites.find(str(inside)) == str(bed.folder / "tests/functional/tests.json")
    (bed.folder / "deep/tests/functional").mkdir(parents=True)
    (bed.folder / "deep/tests/functional/tests.yaml").write_text("tests: []")
    assert suites.find(str(inside)) == str(bed.folder / "deep/tests/functional/tests.yaml")


def test_nothing_to_take_back_and_nothing_to_judge(bed):
    """Each is one sentence."""
    bed.suite().init()
    for word, sentence in (("retry", "no result"), ("validate", "no test is current")):
        with pytest.raises(Refusal, match=sentence):
            bed.do(word, "x")
    bed.do("abort")
    with pytest.raises(Refusal, match="the test run is aborted"):
        bed.do("next")


def test_commands_around_a_test(bed):
    """`before` and `after` run in the project; a failing `before` fails the test; variables are environment."""
    suite = {
        "tests": [
            {"id": "a", "action": "x", "before": "echo before $HOOKWRIGHT_TEST_ID >> log", "save_as": "v", "after": "echo after >> log"},
            {"id": "b", "action": "x", "before": ["echo \"$HOOKWRIGHT_VAR_v\" >> log", "echo no >&2; exit 3"]},
            {"id": "c", "action": "x", "after": "exit 1"},
        ]
    }  # fmt: skip
    bed.suite(suite).init()
    bed.pass_one("it's $(touch mark) `x`")
    bed.pass_one("fine")
    assert (bed.folder / "log").read_text() == "before a\nafter\nit's $(touch mark) `x`\n"
    assert bed.statuses == {"a": "pass", "b": "fail", "c": "pass"}
    assert bed.state["results"][1]["failures"] == ["Before the test: exit code 3:\n  no"]
    rows = json.loads((bed.run_folder / "report.json").read_text())["results"]
    assert rows[2]["after"] == "exit code 1"


def test_tests_that_the_suite_skips(bed):
    """With its reason, or with none."""
    bed.suite(
        {"tests": [{"id": "a", "action": "x", "skip": "not yet"}, {"id": "b", "action": "x", "skip": True}]}
    ).init()
    bed.do("next")
    assert [result["failures"] for result in bed.state["results"]] == [["not yet"], ["Skipped by the suite"]]


def test_an_edit_of_the_suite_moves_nothing(bed):
    """A run goes on with the tests it began with."""
    bed.suite().init()
    bed.suite({"tests": [{"id": "other", "action": "x"}]})
    assert bed.do("next").text.startswith("## Test 1/3: create")


def test_a_state_of_somebody_elses_making_is_taken_over(bed):
    """A state in the documents' schema, without our files beside it, goes on from where it stands."""
    bed.suite()
    state = dict.fromkeys(SCHEMA) | {"mode": "running", "total_tests": 2, "current_index": 1, "filter_category": "crud"}
    state |= {
        "results": [{"id": "create", "status": "pass"}],
        "saved_vars": {"note_id": "n9"},
        "started_at": "2024-01-20T12:00:00Z",
    }
    (bed.folder / ".claude").mkdir()
    (bed.folder / ".claude/test-state.json").write_text(json.dumps(state, indent=2))
    assert bed.do("next").text.endswith("Call get_note with id: n9")
    bed.do("validate", "id n9")
    assert (bed.state["mode"], bed.statuses) == ("completed", {"create": "pass", "get": "pass"})


def test_a_broken_state_is_one_sentence(bed):
    """And a reset mends it."""
    bed.suite()
    (bed.folder / ".claude").mkdir()
    (bed.folder / ".claude/test-state.json").write_text('{"mode": "runn')
    with pytest.raises(Refusal, match="not a test state"):
        bed.do("next")
    bed.init(reset=True)
    assert bed.do("next").text.startswith("## Test 1/3")


def test_old_runs_are_forgotten(bed):
    """Twenty are kept, and never two with one name."""
    bed.suite()
    for _ in range(23):
        bed.init(reset=True)
    assert len(list((bed.folder / ".hookwright/runs").iterdir())) == 20


def test_a_direct_call_is_an_action_too(bed):
    """A test with only `call` is told to the agent in the documents' plain form."""
    bed.suite({"tests": [{"id": "a", "call": {"tool": "add", "arguments": {"a": 2, "b": "x"}}}]}).init()
    assert bed.do("next").text.endswith("### Action\nCall add with a: 2, b: x")


def test_save_as_takes_the_whole_or_a_path(bed):
    """A JSONPath finds a part of the response's JSON."""
    suite = {
        "tests": [
            {"id": "a", "action": "x", "save_as": "all"},
            {"id": "b", "action": "x", "save_as": {"first": "$.ids[0]", "none": "$.x"}},
        ]
    }
    bed.suite(suite).init()
    bed.pass_one(" whole text ")
    bed.pass_one('{"ids": [7, 8]}')
    assert bed.state["saved_vars"] == {"all": "whole text", "first": "7"}


def test_a_run_that_cannot_be_written_is_one_sentence(bed):
    """A full or read-only disk is no bug of ours, and the state is the one of before."""
    bed.suite().init()
    before = bed.state
    bed.run_folder.joinpath("0001.jsonl").mkdir()
    with pytest.raises(Refusal, match="the run cannot be kept"):
        bed.do("next")
    assert bed.state == before


def test_a_library_that_is_not_installed_is_said(bed, monkeypatch):
    """By the check, and by a test that needs it in a run that began elsewhere."""
    bed.suite({"tests": [{"id": "a", "action": "x", "expect": [{"json_path": "$.a"}]}]}).init()
    monkeypatch.setitem(sys.modules, "jsonpath_rfc9535", None)
    assert "pip install hookwright[suite]" in bed.pass_one('{"a": 1}')
    with pytest.raises(Refusal, match=r"tests\[0\].expect\[0\].json_path: jsonpath_rfc9535 is not installed"):
        bed.init(reset=True)


def test_a_plan_of_another_python_is_only_slower(bed):
    """Patterns that another interpreter compiled are compiled again."""
    bed.suite().init()
    plan = bed.run_folder / "plan.jsonl"
    header, rest = plan.read_text().split("\n", 1)
    plan.write_text(json.dumps(json.loads(header) | {"engine": "other"}) + "\n" + rest)
    assert "PASS: create" in bed.pass_one("Created ID: n1")
    assert bed.state["saved_vars"] == {"note_id": "n1"}
