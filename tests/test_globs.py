"""Globs: whole name, case-sensitive, and stored in a form that needs no `re`."""

import fnmatch
import marshal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.globs import BadGlob, compiled, expanded, matches, pattern_of, regex_code

# seeds/001: Tool Pattern Filtering


def test_exact_tool_name_match():
    """A name is itself and nothing else."""
    assert matches(compiled("AskUserQuestion"), "AskUserQuestion")
    assert not matches(compiled("AskUserQuestion"), "Bash")


def test_wildcard_matches_all_tools():
    """Anything, the empty name included."""
    assert all(matches(compiled("*"), tool) for tool in ("Bash", "mcp__a__b", ""))


def test_glob_pattern_with_asterisk():
    """A star stands for any text, on both sides."""
    assert matches(compiled("*Search*"), "WebSearch")
    assert not matches(compiled("*Search*"), "Grep")


CASES = [
    ("bash", "Bash", False),
    ("Ba", "Bash", False),
    ("B?sh", "Bash", True),
    ("B?sh", "Bsh", False),
    ("[A-C]ash", "Bash", True),
    ("[!B]ash", "Bash", False),
    ("[!B]ash", "Cash", True),
    ("[]]", "]", True),
    ("{Edit,Write}", "Write", True),
    ("{Edit,Write}", "MultiEdit", False),
    ("{Edit,Write,}", "", True),
    ("{Multi,}Edit", "Edit", True),
    ("mcp__{git,hub}__*", "mcp__hub__list", True),
    ("{a,b{c,d}}", "bd", True),
    ("{a,b}{c,d}", "bc", True),
    ("[{]", "{", True),
    ("a.b", "axb", False),
    ("a+", "a+", True),
    ("*", "two\nlines", True),
    ("t*s", "two\nlines", True),
]


@pytest.mark.parametrize(("pattern", "name", "fits"), CASES)
def test_a_glob_fits_the_whole_name(pattern, name, fits):
    """Stars, question marks, classes and braces."""
    assert matches(compiled(pattern), name) is fits


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "the pattern is empty"),
        ("[invalid", 'the "[" at character 1 has no closing "]"'),
        ("a[!]", 'the "[" at character 2 has no closing "]"'),
        ("a{b,c", 'the "{" at character 2 has no closing "}"'),
        ("{a,[b}", 'the "[" at character 4 has no closing "]"'),
    ],
)
def test_a_bad_glob_says_why(pattern, why):
    """Where the bracket is that does not close."""
    with pytest.raises(BadGlob) as caught:
        compiled(pattern)
    assert str(caught.value) == why


def test_plain_names_are_stored_as_names():
    """No regular expression for what is none."""
    assert compiled("{Edit,Write}") == ("Edit", "Write")
    assert compiled("*") is None


@given(st.text("ab*?[]!{},-", min_size=1, max_size=8), st.text("ab[]!{},-", max_size=5))
def test_what_is_stored_survives_marshal_and_means_the_same(pattern, name):
    """The compiled file holds the engine's own code; it must say what fnmatch says."""
    try:
        stored = compiled(pattern)
    except BadGlob:
        return
    kept = marshal.loads(marshal.dumps(stored))
    assert matches(kept, name) == any(fnmatch.fnmatchcase(name, each) for each in expanded(pattern))


def test_code_of_another_engine_is_compiled_again():
    """Should the stored code not be understood, the text still is."""
    stored = regex_code("a+") | {"code": [1, 2, 3]}
    assert pattern_of(stored).match("aa")
