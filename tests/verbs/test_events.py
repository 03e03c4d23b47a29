"""`hookwright events`: the table."""

import json

from hookwright.events import BY_NAME


def test_the_table_has_every_event(run_cli):
    """A line each, and the ones that change the agent are marked."""
    told = run_cli("events").stdout
    assert all(f"\n{name} " in told for name in BY_NAME)
    assert told.count("[hooking it changes the agent]") == 2


def test_one_event_in_full(run_cli):
    """Any spelling; what a block does there is told."""
    told = run_cli("events", "teammate-idle").stdout
    assert "the teammate keeps working" in told
    assert run_cli("events", "nope").exit_code == 64


def test_for_programs(run_cli):
    """--json has every row with its fields and answers."""
    rows = json.loads(run_cli("events", "--json").stdout)
    assert len(rows) == 33
    assert rows[0]["answers"] == ["allow/deny/ask", "rewrite", "context", "halt", "tell_user", "defer"]
    assert "tool_input" in rows[0]["fields"]
