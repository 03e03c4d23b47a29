"""What the client would not take; tests/client puts the same cases to the real one."""

import pytest

from hookwright.events import BY_NAME
from hookwright.setup.registration import group
from hookwright.setup.settings_rules import bad_expression, faults

GOOD = [
    {"type": "command", "command": "x", "timeout": 1.5, "async": True, "shell": "bash", "onFailure": "block", "own": 1},
    {"type": "command", "command": "", "args": ["a"], "model": 3, "headers": 3},  # fields of other types are its own
    {"type": "http", "url": "http://127.0.0.1", "headers": {"a": "b"}, "allowedEnvVars": []},
    {"type": "http", "url": "localhost:80/x"},
    {"type": "mcp_tool", "server": "s", "tool": "t"},
    {"type": "prompt", "prompt": "p"},
    {"type": "agent", "prompt": "p", "model": "m"},
]
BAD = [
    ({"type": "commnd", "command": "x"}, ".type"),
    ({"command": "x"}, ".type"),
    ({"type": ["command"]}, ".type"),
    ({"type": "command"}, ".command"),
    ({"type": "command", "command": 5}, ".command"),
    ({"type": "command", "command": "x", "timeout": 0}, ".timeout"),
    ({"type": "command", "command": "x", "timeout": "5"}, ".timeout"),
    ({"type": "command", "command": "x", "async": "yes"}, ".async"),
    ({"type": "command", "command": "x", "shell": "zsh"}, ".shell"),
    ({"type": "command", "command": "x", "args": "a"}, ".args"),
    ({"type": "command", "command": "x", "args": [1]}, ".args"),
    ({"type": "command", "command": "x", "rewakeMessage": 3}, ".rewakeMessage"),
    ({"type": "http", "url": "nope"}, ".url"),
    ({"type": "http", "url": "http://"}, ".url"),
    ({"type": "http", "url": "http://a", "headers": {"a": 1}}, ".headers"),
    ({"type": "http", "url": "http://a", "onFailure": "no"}, ".onFailure"),
    ({"type": "mcp_tool", "server": "s", "tool": "t", "input": 3}, ".input"),
    ({"type": "prompt", "prompt": "p", "continueOnBlock": 1}, ".continueOnBlock"),
    ({"type": "agent", "prompt": "p", "if": 3}, ".if"),
    ("x", ""),
]


def test_every_kind_of_handler_on_every_event():
    """Unknown keys are no fault."""
    assert faults({"hooks": {event: [{"hooks": GOOD}, group("x", "Bash")] for event in BY_NAME}}) == []
    assert faults({}) == []


@pytest.mark.parametrize("handler, place", BAD)
@pytest.mark.parametrize("event, drops", [("PreToolUse", True), ("PermissionRequest", True), ("Stop", False)])
def test_a_bad_handler_drops_itself_or_the_whole_file(handler, place, event, drops):
    """Under the two events that guard permissions, everything beside it goes too."""
    fault = faults({"hooks": {event: [{"hooks": [GOOD[0], handler]}]}})[0]
    assert (fault.where, fault.drops_file) == (f"hooks.{event}.0.hooks.1{place}", drops)


SHAPES = [
    ([], "file", True),
    ({"hooks": 5}, "hooks", False),
    ({"hooks": {"Stop": {}}}, "hooks.Stop", False),
    ({"hooks": {"PreToolUse": {}}}, "hooks.PreToolUse", True),
    ({"hooks": {"Stop": [5]}}, "hooks.Stop.0", False),
    ({"hooks": {"Stop": [{"matcher": 5, "hooks": []}]}}, "hooks.Stop.0.matcher", False),
    ({"hooks": {"PermissionRequest": [{"matcher": None, "hooks": []}]}}, "hooks.PermissionRequest.0.matcher", True),
    ({"hooks": {"Stop": [{}]}}, "hooks.Stop.0.hooks", False),
    ({"hooks": {"Bogus": 5}}, "hooks.Bogus", False),
]


@pytest.mark.parametrize("document, where, drops", SHAPES)
def test_other_shapes(document, where, drops):
    """Told with the path that `claude doctor` uses."""
    assert [(fault.where, fault.drops_file) for fault in faults(document)] == [(where, drops)]


def test_matchers_that_cannot_be_read():
    """A bad expression matches nothing, and the client says so nowhere."""
    assert bad_expression("(Bash") and bad_expression("*.py(")
    assert not any(map(bad_expression, ["Bash|Edit", "", "*", None, "mcp__.*"]))
