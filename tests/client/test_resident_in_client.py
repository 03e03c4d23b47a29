"""The resident server under the real client: events arrive over http, and a killed server costs a conversation nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client.claude import HEADLESS, UNATTENDED, ClaudeProject, client_path, isolated_environment
from client.scripted_model import ScriptedModel, said, tool, tool_results
from setup.running import verb

from hookwright.resident import start, state
from hookwright.resident.upkeep import CRASHED

HANDLERS = """
from hookwright import context, deny, on

@on.PreToolUse(tool="Bash")
def no_marks(event):
    if "mark" in event.tool_input["command"]:
        return deny("This project wants no marks.")

@on.PostToolUse(tool="Bash")
def seen(event):
    return context(f"seen: {event.tool_input['command']}")
"""
MARK = tool("Bash", {"command": "touch mark"})


class Conversation:
    """One client that is told several prompts."""

    def __init__(self, project: ClaudeProject, model: ScriptedModel) -> None:
        words = [str(client_path()), "-p", "--input-format", "stream-json", *HEADLESS, *UNATTENDED]
        self.client = subprocess.Popen(
            words,
            cwd=project.path,
            env=isolated_environment(model, project.home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def say(self, prompt: str) -> list[dict[str, Any]]:
        """What the client reports of one turn."""
        assert self.client.stdin and self.client.stdout
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self.client.stdin.write(json.dumps(message) + "\n")
        self.client.stdin.flush()
        events = []
        for line in self.client.stdout:
            events.append(json.loads(line))
            if events[-1]["type"] == "result":
                return events
        raise AssertionError("the client ended")

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.client.stdin and self.client.stdout
        self.client.stdin.close()
        try:
            self.client.wait(60)
        finally:
            self.client.kill()
            self.client.wait()
            self.client.stdout.close()


@pytest.fixture
def served(claude_project: ClaudeProject) -> Iterator[ClaudeProject]:
    """A project in which a resident server was chosen."""
    claude_project.write_handlers(HANDLERS)
    done = verb("init", "--resident", cwd=claude_project.path, home=claude_project.home)
    assert done.code == 0, done.err
    yield claude_project
    start.stop(str(claude_project.path))


def responses(events: list[dict[str, Any]], event: str) -> list[dict[str, Any]]:
    return [each for each in events if each.get("subtype") == "hook_response" and each["hook_event"] == event]


def kill_server(project: Path) -> None:
    os.kill(state.running(str(project))["pid"], signal.SIGKILL)


def test_a_killed_server_is_back_at_the_next_prompt(served: ClaudeProject) -> None:
    """Events come over http; without the server the conversation goes on unguarded; the next prompt has it back."""
    turns = [
        [MARK],
        lambda _: (kill_server(served.path), [tool("Bash", {"command": "touch unguarded"})])[1],
        [{"type": "text", "text": "ok"}],
        [MARK],
    ]
    with ScriptedModel(turns) as model, Conversation(served, model) as conversation:
        first = conversation.say("Go.")
        second = conversation.say("On.")
    denied, unheard = responses(first, "PreToolUse")
    assert (denied["exit_code"], unheard["outcome"]) == (200, "error")
    assert "This project wants no marks." in tool_results(model.requests[1])[0]
    assert (served.path / "unguarded").exists()
    assert CRASHED in responses(second, "UserPromptSubmit")[0]["output"]
    assert responses(second, "PreToolUse")[0]["exit_code"] == 200
    assert "This project wants no marks." in tool_results(model.requests[-1])[-1]
    assert not (served.path / "mark").exists()


def test_a_stop_in_mid_conversation_loses_nothing(served: ClaudeProject) -> None:
    """The client has taken up the commands before the server ends: the next call is refused all the same."""

    def stop(_: object) -> list[dict[str, Any]]:
        assert verb("resident", "stop", cwd=served.path, home=served.home).out == "stopped\n"
        return [MARK]

    with ScriptedModel([[MARK], stop]) as model, Conversation(served, model) as conversation:
        events = conversation.say("Go.")
    assert [each["exit_code"] for each in responses(events, "PreToolUse")] == [200, 0]
    assert all("This project wants no marks." in result for result in tool_results(model.requests[-1]))
    assert not (served.path / "mark").exists()


def test_a_handlers_context_reaches_the_model_over_http(served: ClaudeProject) -> None:
    """And the client finds nothing to complain about in what it is answered."""
    with ScriptedModel([[tool("Bash", {"command": "echo hi"})]]) as model, Conversation(served, model) as conversation:
        events = conversation.say("Go.")
    assert "seen: echo hi" in said(model.requests[1])
    assert [each["exit_code"] for each in responses(events, "PreToolUse") + responses(events, "PostToolUse")] == [
        204,
        200,
    ]


def test_fail_closed_handlers_block_while_the_server_is_gone(served: ClaudeProject) -> None:
    """`on_error="block"` in the config is `onFailure: block` in the settings."""
    served.write_handlers(HANDLERS.replace('PreToolUse(tool="Bash")', 'PreToolUse(tool="Bash", on_error="block")'))
    assert verb("sync", cwd=served.path, home=served.home).code == 0
    turn = lambda _: (kill_server(served.path), [tool("Bash", {"command": "touch unguarded"})])[1]  # noqa: E731
    with ScriptedModel([turn]) as model, Conversation(served, model) as conversation:
        conversation.say("Go.")
    assert 'onFailure is "block"' in tool_results(model.requests[-1])[0]
    assert not (served.path / "unguarded").exists()
