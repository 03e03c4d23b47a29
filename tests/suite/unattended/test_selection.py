"""Families, shards and order, whatever the suite."""

from hypothesis import given
from hypothesis import strategies as st

from hookwright.suite.unattended import selection


@st.composite
def suites(draw):
    """Tests that depend on earlier ones, or use what they saved."""
    cases = []
    for number in range(draw(st.integers(1, 12))):
        case = {"id": f"t{number}", "action": "Say x"}
        if number and draw(st.booleans()):
            case["depends_on"] = [f"t{draw(st.integers(0, number - 1))}"]
        if draw(st.booleans()):
            case["save"] = {draw(st.sampled_from("abc")): "(x)"}
        if draw(st.booleans()):
            case["action"] = f"Say ${{{draw(st.sampled_from('abc'))}}}"
        cases.append(case)
    return cases


@given(suites(), st.integers(1, 5))
def test_shards_are_the_whole_and_keep_families(cases, count):
    """Each test is in exactly one shard, in the suite's order, beside all that it needs."""
    shards = [selection.in_shard(cases, (number, count)) for number in range(1, count + 1)]
    names = [[case["id"] for case in shard] for shard in shards]
    assert sorted(name for shard in names for name in shard) == sorted(case["id"] for case in cases)
    for shard in shards:
        assert [case for case in cases if case in shard] == shard
        assert selection.with_needed(cases, [case["id"] for case in shard]) == shard


@given(suites(), st.integers(0, 99))
def test_a_seed_moves_families_as_a_whole(cases, seed):
    """The same seed gives the same order; within a family the suite's order stands."""
    units = selection.units(cases, 1, seed)
    assert units == selection.units(cases, 1, seed)
    assert sorted(map(str, units)) == sorted(map(str, selection.families(cases)))
    assert selection.units(cases, 1, None) == [cases]


def test_a_variable_connects_all_who_save_it_with_who_uses_it():
    """Else the last to save it would depend on chance."""
    cases = [
        {"id": "a", "save": {"x": "."}},
        {"id": "b", "save": {"x": "."}},
        {"id": "c", "action": "${x}"},
        {"id": "d"},
    ]
    assert [[case["id"] for case in family] for family in selection.families(cases)] == [["a", "b", "c"], ["d"]]
