"""`hookwright fire`: try an event by hand."""

import json

import pytest

HANDLERS = """
from hookwright import on, deny, context

@on.PreToolUse(tool="Edit")
def other(event): ...

@on.PreToolUse(tool="Bash")
def guard(event): return deny("no")

@on.PreToolUse
def late(event): ...
"""


def test_it_shows_what_matched_what_was_answered_and_what_the_agent_does(run_cli, project):
    """Called and skipped bindings with why, the merged answer, the exact bytes, and their meaning."""
    project.handlers(HANDLERS)
    answer = run_cli("fire", "PreToolUse", "--tool", "Bash", "--input", '{"command": "rm"}')
    told = answer.stdout
    assert answer.exit_code == 0
    assert "skipped  .hookwright/handlers.py:other: Bash does not match Edit" in told
    assert "called   .hookwright/handlers.py:guard (Bash matches Bash): deny" in told
    assert "skipped  .hookwright/handlers.py:late: an earlier one had already refused" in told
    assert '"permissionDecision": "deny"' in told
    assert "exit code  0" in told
    assert "the tool call is refused" in told


def test_bindings_of_one_function_are_told_apart_and_files_are_a_reason(run_cli, project):
    """Two decorators are two bindings; a `files` filter says that it was met."""
    project.handlers(
        "from hookwright import on\n@on.PostToolUse(tool='Edit')\n@on.PostToolUse(tool='Write')\ndef f(event): ...\n"
    )
    told = run_cli("fire", "PostToolUse", "--tool", "Edit").stdout
    assert (told.count("called "), told.count("skipped ")) == (1, 1)
    project.config("postToolUse: {commands: [{run: 'true', files: '*.py'}]}\n")
    told = run_cli("fire", "PostToolUse", "--tool", "Edit", "--input", '{"file_path": "a.py"}').stdout
    assert "(an edited file matches)" in told


def test_for_programs(run_cli, project):
    """--json has the same facts, and nothing that a handler prints."""
    project.handlers(HANDLERS.replace("def guard(event): return", 'def guard(event): print("debug"); return'))
    told = json.loads(run_cli("fire", "pre-tool", "--json").stdout)
    assert (told["event"], told["exit_code"], len(told["bindings"])) == ("PreToolUse", 0, 3)
    assert json.loads(told["stdout"])["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_payload_from_a_file_or_stdin(run_cli, project):
    """A captured payload is fired as it is, the folder added when it has none."""
    project.handlers(HANDLERS)
    payload = project.folder / "p.json"
    payload.write_text('{"tool_name": "Edit"}')
    assert "called   .hookwright/handlers.py:other" in run_cli("fire", "PreToolUse", "--payload", str(payload)).stdout
    told = run_cli("fire", "PreToolUse", "--payload", "-", stdin='{"tool_name": "Edit"}').stdout
    assert "called   .hookwright/handlers.py:other" in told


@pytest.mark.parametrize(
    ("words", "exit_code", "told"),
    [
        (["Stopp"], 64, 'did you mean "Stop"?'),
        (["Stop", "--payload", "missing.json"], 3, "cannot read missing.json"),
        (["Stop", "--input", "{"], 64, "--input is not JSON"),
        (["Stop", "--input", "[" * 100_000], 64, "--input is not JSON"),
        (["Stop", "--input", "[]"], 64, "must be a JSON object"),
        (["Stop", "--agent", "nobody"], 64, "no agent is called 'nobody'"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_input_is_told_in_one_sentence(run_cli, words, exit_code, told):
    """What is wrong, and the nearest right word."""
    answer = run_cli("fire", *words)
    assert answer.exit_code == exit_code
    assert told in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_tool_on_an_event_without_tools_is_just_a_field(run_cli):
    """Not an error: extra fields never are."""
    assert run_cli("fire", "Stop", "--tool", "Bash").exit_code == 0


def test_without_a_config_it_says_so(run_cli):
    """The commonest reason for silence is named."""
    assert "none found" in run_cli("fire", "Stop").stdout
