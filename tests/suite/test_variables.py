"""Variables: `${name}` in any text, and values that are only text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.suite.evidence import Call, Evidence
from hookwright.suite.expect import judged
from hookwright.suite.sameness import same
from hookwright.suite.variables import escaped, filled, is_name, names_in, saved_by

NAMES = st.from_regex(r"[a-z_][a-z0-9_.-]{0,8}", fullmatch=True).filter(is_name)


@given(st.text().filter(lambda text: "${" not in text))
def test_text_without_variables_stays_as_it_is(text):
    """Dollars and braces alone mean nothing."""
    assert filled(text, {"a": "b"}) == text


@given(NAMES, st.text(), st.text("ab {}\n"), st.text("ab {}\n"))
def test_a_value_is_put_in_as_it_is(name, value, before, after):
    """Whatever a server answered: no value can stand for more than itself."""
    assert filled(f"{before}${{{name}}}{after}", {name: value}) == f"{before}{value}{after}"


@given(st.text(), st.text())
def test_in_a_pattern_a_value_matches_itself(value, text):
    """A saved `.*` finds `.*`, and nothing else."""
    pattern = filled({"regex": "<${v}>"}, {"v": value})["regex"]
    assert re.search(pattern, f"<{value}>")
    assert escaped(value) == pattern[1:-1]


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_filling_never_loses_a_shape(value):
    """Lists stay lists, mappings keep their keys, unknown variables stay written."""
    assert filled(value, {}) == _unescaped(value)


def _unescaped(value):
    if isinstance(value, str):
        return filled(value, {})
    if isinstance(value, list):
        return [_unescaped(member) for member in value]
    return {key: _unescaped(member) for key, member in value.items()}


def test_what_counts_as_a_variable():
    """Names of letters, digits, `_`, `.` and `-`; `$${x}` stands for a plain `${x}`."""
    assert list(names_in({"a": ["${x} and ${y.z}", {"b": "${x-1}"}]})) == ["x", "y.z", "x-1"]
    assert list(names_in("$${x} ${} ${a b} ${open")) == []
    assert filled("$${x} ${x} ${y}", {"x": "1"}) == "${x} 1 ${y}"


def test_what_a_test_saves():
    """`save`, `save_as` with a name, and `save_as` with paths."""
    assert saved_by({"save": {"a": "x"}, "save_as": "b"}) == ["a", "b"]
    assert saved_by({"save_as": {"c": "$.c"}}) == ["c"]
    assert saved_by({}) == []


@pytest.mark.parametrize(
    ("said", "expect"),
    [
        ('{"count": 3}', {"json_path": {"path": "$.count", "equals": "${v}"}}),
        ('{"count": "3"}', {"json_path": {"path": "$.count", "equals": "${v}"}}),
        ("3", {"equals": "${v}"}),
        ('[1, {"n": 3}]', {"equals": [1, {"n": "${v}"}]}),
        ('{"count": 3}', {"json_schema": {"properties": {"count": {"const": "${v}"}}}}),
        ('{"count": 3}', {"json_schema": {"properties": {"count": {"enum": [1, "${v}"]}}}}),
    ],
)
def test_a_saved_number_is_equal_to_that_number(bed, said, expect):
    """Alone in an expected value it is the text and what the text is the JSON of."""
    bed.suite(
        {"tests": [{"id": "a", "action": "x", "save": {"v": "(3)"}}, {"id": "b", "action": "x", "expect": expect}]}
    )
    bed.init()
    bed.pass_one("3")
    assert "PASS: b" in bed.pass_one(said)


def test_a_saved_number_is_no_other_value(bed):
    """And among other text it is text; a saved text is not true, and true is not 1."""
    expect = {"equals": "${v}"}
    bed.suite(
        {"tests": [{"id": "a", "action": "x", "save": {"v": "(1)"}}, {"id": "b", "action": "x", "expect": expect}]}
    )
    bed.init()
    bed.pass_one("1")
    for other in ("true", "2", '"one"', "[1]"):
        assert "FAIL: b" in bed.pass_one(other)
        bed.do("retry")
    assert same(filled("${v}", {"v": "null"}), None) and not same(filled("${v}", {"v": "NaN"}), None)
    assert same(filled("${v}", {"v": "1"}), 1) and not same(filled("${v} ", {"v": "1"}), 1)


def test_a_saved_number_in_the_arguments_of_a_call():
    """`tool_args` sees what the agent sent."""
    calls = [Call("add", {"a": 3, "b": {"c": True}})]
    assert (
        judged({"tool_args": filled({"a": "${n}", "b": {"c": "${t}"}}, {"n": "3", "t": "true"})}, Evidence("", calls))
        == []
    )
    assert judged({"tool_args": filled({"a": "${n}"}, {"n": "4"})}, Evidence("", calls)) != []
