"""Gitignore-style patterns: they mean what `pathspec` says, and none of them can run away."""

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from hookwright.globs import BadGlob
from hookwright.path_globs import path_regexes

PATTERNS = st.text(st.sampled_from("ab*/?[]!-.\\ "), min_size=1, max_size=9)
NAMES = st.text(st.sampled_from("ab.- "), min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def understood(pattern):
    """What pathspec makes of a pattern, or None where it makes nothing of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of its own regular expressions
        try:
            found = GitIgnoreSpec.from_lines([pattern]).patterns
        except ValueError:
            return None
    return found[0] if found and found[0].include is not None else None


@settings(max_examples=500, deadline=None)
@given(PATTERNS, PATHS)
def test_a_pattern_means_what_gitignore_says(pattern, path):
    """Any pattern fits the paths that pathspec lets it fit."""
    theirs = understood(pattern)
    try:
        [(includes, regex)] = path_regexes(pattern)
    except BadGlob:
        return
    if theirs is not None:
        assert bool(re.match(regex, path)) == (theirs.match_file(path) is not None)
        assert includes == theirs.include


@pytest.mark.parametrize(
    "pattern", ["**/a/" * 12 + "b", "*a" * 30 + "b", "a*" * 30 + "b", "**/*a" * 12 + "b", "*/" * 40 + "b"]
)
def test_no_pattern_runs_away(pattern):
    """A pattern made to try every way of fitting comes to its end; with backtracking it would take years."""
    [(_, regex)] = path_regexes(pattern)
    assert not re.match(regex, "a/" * 60 + "a" * 200)


@pytest.mark.parametrize("pattern", ["", "#x", "/", "a\\", "[z-a]"])
def test_what_fits_nothing_is_refused(pattern):
    """A comment, nothing, or a broken class is said to be no pattern."""
    with pytest.raises(BadGlob):
        path_regexes(pattern)
