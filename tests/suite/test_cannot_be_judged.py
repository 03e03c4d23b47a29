"""What can be judged neither as met nor as not met fails the test, wherever it stands; and nothing is fetched for it."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookwright.suite import patterns
from hookwright.suite.ended_threads import done_within
from hookwright.suite.evidence import Evidence
from hookwright.suite.expect import EXPECTATIONS, Kind, failures_of, judged
from hookwright.suite.verdicts import failures, saved

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


DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    "schema",
    [
        {"items": {"$schema": DRAFT_7, "pattern": SLOW}},
        {"items": {"$id": "https://x.example/a", "$schema": DRAFT_7, "pattern": SLOW}},
        {"items": {"$ref": "#/odd/place"}, "odd": {"place": {"$schema": DRAFT_7, "pattern": SLOW}}},
        {"items": {"$ref": "#/odd"}, "odd": {"items": {"$ref": "#/odder"}}, "odder": {"$schema": DRAFT_7}},
    ],
)
def test_no_part_of_a_schema_is_in_another_draft(schema):
    """The library would judge it by that draft's own searches, in a thread without any deadline."""
    (reason,) = judged({"json_schema": schema}, SAID)
    assert reason == "JSON Schema cannot be read (a $schema can stand only at its top)"


@pytest.mark.parametrize("reference", ["$ref", "$dynamicRef"])
def test_what_a_reference_leads_to_is_looked_at(reference):
    """Behind a reference to an odd place, too."""
    schema = {"items": {"$ref": "#/odd"}, "odd": {"items": {reference: "http://127.0.0.1:9/x"}}}
    assert "refers to http://127.0.0.1:9/x, which is not in it" in judged({"json_schema": schema}, SAID)[0]


def test_a_property_can_be_called_schema():
    """Only the keyword is meant."""
    schema = {"properties": {"$schema": {"const": {"$schema": DRAFT_7}}}, "not": {"const": {"$schema": 1}}}
    assert judged({"json_schema": schema}, Evidence(f'{{"$schema": {{"$schema": "{DRAFT_7}"}}}}')) == []


def test_a_path_that_takes_too_long(impatient):
    """Also where no pattern is searched."""
    deep = Evidence("[" * 60 + "]" * 60, seen_tools=False)
    assert "took too long" in judged({"json_path": "$..[?@..[?@..[?@..[?@..x]]]]"}, deep)[0]


ENDLESS_PATH = {"json_path": "$..[?@..[?@..[?@..[?@..x]]]]"}
ENDLESS_SCHEMA = {"json_schema": {"$ref": "#/$defs/0", "$defs": {
    **{str(n): {"anyOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(60)}, "60": False}}}  # fmt: skip


def ended_again(before):
    """Whether the threads of a work that took too long have gone; by the clock only where they never go."""
    until = time.monotonic() + 60
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    return threading.active_count() == before


# What ends the thread may strike a callback of pytest's own plugins, which then says so.
STRIKES_ANYWHERE = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@STRIKES_ANYWHERE
@pytest.mark.parametrize("entry", [ENDLESS_PATH, ENDLESS_SCHEMA])
def test_a_library_in_another_thread_is_ended_too(impatient, entry):
    """Where no alarm rings nobody waits for it, and it does not go on behind our back."""
    before = threading.active_count()
    with ThreadPoolExecutor(1) as pool:
        deep = Evidence("[" * 60 + "]" * 60, seen_tools=False)
        assert "took too long" in pool.submit(judged, entry, deep).result(timeout=60)[0]
        assert pool.submit(judged, {"json_path": "$"}, deep).result() == []
    assert ended_again(before)


@STRIKES_ANYWHERE
def test_an_end_that_a_destructor_swallowed_comes_again(capfd):
    """Python drops what is raised inside one: the thread would go on for ever."""
    before, swallowed = threading.active_count(), []

    def dropping():
        while True:
            try:
                while True:
                    len(swallowed)
            except SystemExit:
                swallowed.append(1)
                if len(swallowed) == 2:
                    raise

    with pytest.raises(TimeoutError):
        done_within(0.01, dropping)
    assert ended_again(before)
    assert len(swallowed) == 2
    assert capfd.readouterr().err == ""


def test_a_budget_is_one_threads_own(monkeypatch):
    """Judged side by side, no test leaves its end behind for the others."""
    monkeypatch.setattr(patterns, "BUDGET_S", 0.05)
    first, second = patterns.Budget(), patterns.Budget()
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        one.submit(first.__enter__).result()
        other.submit(second.__enter__).result()
        one.submit(first.__exit__).result()
        other.submit(second.__exit__).result()
        time.sleep(0.1)
        assert other.submit(judged, {"regex": "a"}, SAID).result() == []
        assert other.submit(failures, {"expect": [{"regex": "a"}]}, SAID).result() == []
    assert failures({"expect": [{"regex": "a"}]}, SAID) == []


@pytest.mark.parametrize(
    "saves",
    [
        {"save": {"v": SLOW}},
        {"save_as": {"v": f"$[?search(@, '{SLOW}')]"}},
        {"save_as": {"v": "$..[?@..[?@..[?@..[?@..x]]]]"}},
    ],
)
def test_what_a_test_saves_is_bounded_too(impatient, saves):
    """A variable that cannot be found in time is not saved."""
    began = time.monotonic()
    evidence = SAID if "$.." not in str(saves) else Evidence("[" * 60 + "]" * 60)
    assert saved({"id": "a", **saves}, evidence) == ({}, ["v"])
    assert time.monotonic() - began < 5


def test_judging_and_saving_share_one_budget(bed, monkeypatch):
    """The client does not wait twice."""
    monkeypatch.setattr(patterns, "DEADLINE_S", 0.2)
    monkeypatch.setattr(patterns, "BUDGET_S", 0.5)
    many = {f"v{n}": f"{SLOW}|{n}" for n in range(20)}
    bed.suite(
        {"tests": [{"id": "a", "action": "x", "expect": [{"regex": p} for p in many.values()], "save": many}]}
    ).init()
    bed.do("next")
    began = time.monotonic()
    told = bed.do("validate", TEXT).text
    assert time.monotonic() - began < 4 and told.count("Not saved") == 20


def test_whatever_goes_wrong_is_a_reason(monkeypatch):
    """A fault of ours in one kind leaves the others judged."""

    def broken(wanted, scene):
        raise ZeroDivisionError("by zero")

    monkeypatch.setitem(EXPECTATIONS, "min_length", Kind(broken, "count", "x."))
    found = failures_of([{"min_length": 1, "contains": "nowhere"}], SAID)
    assert found == ["Missing: 'nowhere'", "Cannot be judged: min_length (ZeroDivisionError: by zero)"]
