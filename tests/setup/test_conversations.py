"""Events that should have come and did not: told from the client's transcript and from the journal, and nothing else."""

import json
import os
import time

import pytest
from setup.running import register

from hookwright.setup import facts, seen_check


def transcript(here, began, *messages):
    """A conversation as the client keeps it."""
    name = "".join(char if char.isalnum() else "-" for char in str(here))
    folder = here.parent / "home/.claude/projects" / name
    folder.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + began))
    lines = [json.dumps({"timestamp": stamp, **message}) for message in messages]
    (folder / "the-session.jsonl").write_text("\n".join(["not json", "[]", *lines]))


def prompt(text="Go."):
    return {"type": "user", "message": {"content": text}}


def call(tool="Bash", **given):
    block = {"type": "tool_use", "id": f"of {tool}", "name": tool, "input": given}
    return {"type": "assistant", "message": {"content": [block], "stop_reason": "tool_use"}}


def result(tool="Bash", text="fine", is_error=False):
    block = {"type": "tool_result", "tool_use_id": f"of {tool}", "content": text, "is_error": is_error}
    return {"type": "user", "message": {"content": [block]}}


def answer(text="Done."):
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}}


def arrived(here, *events, **more):
    line = {"time": "2040-01-01T00:00:00.000Z", "agent": "claude-code", "session": "the-session", **more}
    with (here / ".hookwright/journal.jsonl").open("a") as file:
        for event in events:
            file.write(json.dumps({**line, "event": event}) + "\n")


@pytest.fixture
def everywhere(homely):
    """Registered on every event about which a conversation tells something."""
    sections = {
        "sessionStart": "", "userPromptSubmit": "", "preToolUse": "tool: Bash", "postToolUse": "tool: Bash",
        "postToolUseFailure": "", "postToolBatch": "", "stop": "", "messageDisplay": "", "sessionEnd": "",
        "subagentStart": "match: Explore", "subagentStop": "", "preCompact": "match: auto", "postCompact": "",
    }  # fmt: skip
    lines = [f"{name}: {{commands: [{{run: 'true', {more}}}]}}\n" for name, more in sections.items()]
    register(homely, "".join(lines))
    return homely


def lost(here):
    """The events that are told to be missing; only that check is made, without a process."""
    return {finding.text.split()[0] for finding in seen_check.look(facts.Facts(here)) if finding.level == "bad"}


ALWAYS = {"SessionStart", "UserPromptSubmit"}
TOOL = {"SessionStart", "PreToolUse", "PostToolUse"}


@pytest.mark.parametrize(
    "messages, expected",
    [
        ([prompt(), answer()], ALWAYS | {"Stop", "MessageDisplay"}),
        ([prompt(), answer("")], ALWAYS | {"Stop"}),
        ([call(), result(), answer()], TOOL | {"PostToolBatch", "Stop", "MessageDisplay"}),
        ([call(), result()], TOOL),  # it goes on, or was interrupted
        ([call(), result(), prompt("No!"), call("Read")], TOOL | {"UserPromptSubmit"}),
        ([call(), result("Bash", "Exit code 3", True), prompt()], ALWAYS | {"PreToolUse", "PostToolUseFailure"}),
        ([call(), result("Bash", "denied by a hook", True), call("Read")], {"SessionStart"}),
        ([call("Read"), result("Read")], {"SessionStart"}),  # a tool that the matcher leaves out
        ([call(), call("Read"), result(), result("Read", "x", True), call("Read")], TOOL | {"PostToolBatch"}),
        ([call("Agent", subagent_type="Explore"), result("Agent")], {"SessionStart", "SubagentStart"}),
        ([call("Agent", subagent_type="Plan"), result("Agent")], {"SessionStart"}),
        ([prompt("<command-name>/clear</command-name>"), prompt("[Request interrupted by user]")], set()),
        ([prompt("/help"), {"type": "user", "isMeta": True, "message": {"content": "Go."}}], set()),
        ([{**answer(), "isSidechain": True}, {"type": "user", "message": 3}, {"type": "user"}], set()),
        ([{"type": "assistant", "message": {"model": "<synthetic>", "stop_reason": "end_turn"}}], set()),
        ([result("Nobody"), {"type": "assistant", "message": {"content": [3]}}], {"SessionStart"}),
    ],
)
def test_events_that_should_have_fired(everywhere, messages, expected):
    """Told from the transcript of a conversation after the registration, of which the journal has nothing."""
    transcript(everywhere, 60, *messages)
    assert lost(everywhere) == expected
    arrived(everywhere, *expected, tool="Bash")
    assert lost(everywhere) == set()


@pytest.mark.parametrize(
    "event, more, expected",
    [
        ("PostToolUse", {"tool": "Bash"}, {"PreToolUse"}),
        ("PostToolUseFailure", {"tool": "Read"}, set()),
        ("SubagentStop", {"about": {"agent_type": "Explore"}}, {"SubagentStart"}),
        ("SubagentStop", {"about": {"agent_type": ""}}, set()),
        ("PostCompact", {"about": {"trigger": "auto"}}, {"PreCompact"}),
        ("PostCompact", {"about": 3}, set()),
        ("Stop", {}, set()),
    ],
)
def test_events_that_another_one_cannot_come_without(everywhere, event, more, expected):
    """Without a transcript: what the journal has tells what it lacks."""
    arrived(everywhere, event, **more)
    assert lost(everywhere) == expected


@pytest.mark.parametrize("more", [{"session": None}, {"agent": "codex"}, {"time": "x"}])
def test_lines_of_nobodys_conversation_tell_nothing(everywhere, more):
    """An event that was sent by hand, one of another agent, a line that was tampered with."""
    arrived(everywhere, "PostToolUse", **{"tool": "Bash", **more})
    assert lost(everywhere) == set()


def test_what_is_no_transcript_is_passed_over(everywhere):
    """A folder, a FIFO or a dangling link of that name, and lines that no reader can take."""
    transcript(everywhere, 60, prompt())
    folder = next((everywhere.parent / "home/.claude/projects").iterdir())
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "fifo.jsonl")
    (folder / "link.jsonl").symlink_to("gone")
    with (folder / "the-session.jsonl").open("a") as file:
        file.write("\n" + "[" * 100_000 + "\n" + json.dumps(answer()))
    assert lost(everywhere) == {"UserPromptSubmit", "SessionStart", "Stop", "MessageDisplay"}


def test_a_conversation_before_the_registration_tells_nothing(everywhere):
    """It could not know of us."""
    transcript(everywhere, -3600, prompt(), call(), result(), answer())
    assert lost(everywhere) == set()
