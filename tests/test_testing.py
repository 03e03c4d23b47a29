"""`hookwright.testing.fire` in a user's own tests."""

import pytest

from hookwright.events import BY_NAME
from hookwright.testing import fire

GUARD = """
from hookwright import on, deny, context, block, reject_task

calls = []

@on.PreToolUse(tool="Bash")
def no_force_push(event):
    calls.append(event)
    if "push --force" in event.tool_input.get("command", ""):
        return deny(f"Force-push is not allowed. {len(calls)}")

@on.UserPromptSubmit
def remember(event):
    return context("Be brief.")

@on.Stop
def not_yet(event):
    return block("Run the tests first.")

@on.TaskCompleted
def no(event):
    return reject_task("untested")
"""


def test_the_contracts_example(project):
    """A user's test of a guard: decision, reason, stdout, exit code."""
    project.handlers(GUARD)
    result = fire("PreToolUse", project=project.folder, tool_name="Bash", tool_input={"command": "git push --force"})
    assert (result.decision, result.reason) == ("deny", "Force-push is not allowed. 1")
    assert '"permissionDecision": "deny"' in result.stdout
    assert (result.stderr, result.exit_code) == ("", 0)
    assert "Force-push is not allowed" in str(result)


def test_each_fire_is_a_new_process_as_in_real_life(project):
    """Module state does not leak from one event to the next."""
    project.handlers(GUARD)
    for _ in range(2):
        result = fire("pre-tool", project=project.folder, tool_input={"command": "git push --force"})
        assert result.reason.endswith(" 1")


def test_decisions_are_in_the_agents_words(project):
    """Prompts, stops and tasks are blocked; a context is no decision; no opinion is None."""
    project.handlers(GUARD)
    assert fire("Stop", project=project.folder, session_id="x").decision == "block"
    task = fire("TaskCompleted", project=project.folder)
    assert (task.decision, task.exit_code, task.stderr) == ("block", 2, "untested\n")
    project.handlers(
        "from hookwright import on, halt, context\n@on.PreToolUse\ndef f(e): return halt('enough')\n" + GUARD
    )
    assert fire("PreToolUse", project=project.folder, tool_name="Edit").decision == "deny"
    project.handlers(GUARD)
    prompt = fire("UserPromptSubmit", project=project.folder)
    assert (prompt.decision, prompt.context) == (None, "Be brief.")
    silent = fire("PreToolUse", project=project.folder, tool_name="Edit")
    assert (silent.decision, silent.reason, silent.stdout) == (None, "", "")
    assert "no opinion" in str(silent)


@pytest.mark.parametrize("event", BY_NAME)
def test_every_event_has_a_sample(project, event):
    """All 33 can be fired without knowing their fields."""
    project.handlers("from hookwright import on, context\n" + f"@on.{event}\ndef f(event): assert event.cwd\n")
    result = fire(event, project=project.folder)
    assert result.exit_code == 0
    assert result.notes == []


def test_nothing_is_journalled(project):
    """A test leaves no line behind."""
    project.handlers(GUARD)
    fire("PreToolUse", project=project.folder)
    assert project.journal() == []
