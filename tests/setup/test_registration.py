"""From bindings to the client's matchers."""

import json
import subprocess

import pytest
from conftest import need
from hypothesis import given
from hypothesis import strategies as st

from hookwright import globs
from hookwright.bindings import Binding, Table
from hookwright.events import BY_NAME
from hookwright.setup import registration
from hookwright.setup.registration import lets_through, matcher


def bound(*patterns):
    return [Binding("command", "c", globs.compiled(pattern), filter=pattern) for pattern in patterns]


@pytest.mark.parametrize(
    "event, patterns, expected",
    [
        ("PreToolUse", ["Bash"], "Bash"),
        ("PreToolUse", ["Bash", "{Edit,Write}", "Bash"], "Bash|Edit|Write"),
        ("PreToolUse", ["Bash", "*"], None),
        ("PreToolUse", ["mcp__memory__*"], "^(?:mcp__memory__.*)$"),
        ("PreToolUse", ["Bash", "mcp__a.b__*"], r"^(?:Bash|mcp__a\.b__.*)$"),
        ("PreToolUse", ["[BE]*"], None),
        ("SessionStart", ["startup"], "startup"),
        ("PostToolBatch", ["Edit"], None),  # the client looks at no matcher there
        ("Stop", ["*"], None),
        ("SubagentStop", ["my-plugin:reviewer"], "^(?:my-plugin:reviewer)$"),
        ("StopFailure", ["a-b"], "^(?:a-b)$"),  # a hyphen makes an expression there
        ("SubagentStart", ["a-b"], "a-b"),
        ("FileChanged", [".envrc", ".env"], ".envrc|.env"),  # the list of files to watch
    ],
)
def test_matchers(event, patterns, expected):
    """Exact names as a list, globs as an anchored expression, and nothing where it cannot be said."""
    assert matcher(event, bound(*patterns)) == expected


NAMES = st.text(alphabet="AaBb_-.:|, (+$^\\/ü", min_size=1, max_size=6)


@given(st.lists(st.text(alphabet="AaBb_-.:|*?(+$^\\", min_size=1, max_size=6), min_size=1, max_size=3), NAMES)
def test_a_matcher_lets_through_whatever_a_binding_wants(patterns, name):
    """Our own filter comes after, so the matcher may be wider, never narrower."""
    rows = bound(*patterns)
    narrowed = matcher("PreToolUse", rows)
    if any(globs.matches(row.match, name) for row in rows):
        assert lets_through(narrowed, name)
    elif narrowed is not None:
        assert not lets_through(narrowed, name)


def test_the_expressions_mean_the_same_to_javascript():
    """Tried in the language that the client is written in."""
    node = need("node")
    patterns = ["mcp__*", "a.b?", "x(y)+$", "^a|b", "a/b\\c", "my-plugin:*"]
    names = ["mcp__x__y", "a.bc", "aXbc", "x(y)+$", "^a|b", "a", "a/b\\c", "my-plugin:r", "mcp_"]
    narrowed = {pattern: matcher("PreToolUse", bound(pattern)) for pattern in patterns}
    script = "const [m, n] = JSON.parse(process.argv[1]); console.log(JSON.stringify(m.map(x => n.map(y => new RegExp(x).test(y)))))"
    argument = json.dumps([list(narrowed.values()), names])
    told = json.loads(subprocess.run([node, "-e", script, argument], capture_output=True, check=True).stdout)
    assert told == [[globs.matches(globs.compiled(pattern), name) for name in names] for pattern in patterns]


def test_patterns_that_are_never_watched():
    """Names are; a pattern, or everything, is not, and that is told."""
    told = registration.unwatched({"FileChanged": bound(".env", "*.env", "*", "{a,b}"), "Stop": bound("*")})
    assert ["'*.env' is never met" in text or "'*' is never met" in text for text in told] == [True, True]


def test_only_bound_events_are_registered_in_the_order_of_the_table():
    """Events that change the agent by being hooked are no exception: they are there because somebody bound them."""
    row = bound("*")[0].row()
    table = Table({"WorktreeCreate": [row], "Stop": [row], "PreToolUse": [], "NoSuchEvent": [row]})
    assert list(registration.groups(registration.bound(table), "x")) == ["Stop", "WorktreeCreate"]


def test_harmless_events_are_all_but_those_that_change_the_agent():
    """A plugin registers these."""
    assert set(BY_NAME) - set(registration.harmless_events()) == {"WorktreeCreate", "WorktreeRemove"}
