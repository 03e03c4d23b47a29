"""Variables: `${name}` in any text, and values that are only text."""

import re

from hypothesis import given
from hypothesis import strategies as st

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
