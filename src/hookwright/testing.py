"""For users' own tests: fire an event at a project and look at the answer.

from hookwright.testing import fire

def test_force_push_is_denied():
    result = fire("PreToolUse", project=".", tool_name="Bash", tool_input={"command": "git push --force"})
    assert result.decision == "deny"
"""

from __future__ import annotations

import json
import os
from typing import Any

from hookwright import handlers
from hookwright.agents import dialect
from hookwright.errors import BLOCK
from hookwright.events import canonical, event_of
from hookwright.hook import Response, respond
from hookwright.samples import sample

__all__ = ["Result", "fire"]


class Result:
    """What the agent would get, and what it means."""

    def __init__(self, response: Response) -> None:
        reply = response.reply
        self.response = response
        self.decision = _decision(response)
        self.reason = reply.reason if reply else ""
        self.context = reply.context if reply else ""
        self.stdout = response.written.stdout
        self.stderr = response.stderr
        self.exit_code = response.written.exit_code
        self.notes = list(response.notes)

    def __str__(self) -> str:
        parts = self.response.reply.said() if self.response.reply else {}
        answer = ", ".join(f"{name}={value!r}" for name, value in parts.items()) or "no opinion"
        notes = "".join(f"\n  note: {note}" for note in self.notes)
        return f"{self.response.event_name}: {answer}\n  stdout: {self.stdout}\n  exit code: {self.exit_code}{notes}"

    __repr__ = __str__


def fire(event: str, project: str | os.PathLike[str] = ".", **fields: Any) -> Result:
    """Fire an event at a project's config, as its agent would. Fields you leave out come from a captured sample."""
    name = canonical(event)
    folder = os.path.abspath(project)
    payload = {**sample(name, folder), **fields}
    handlers.forget()  # each event is a new process in real life: nothing is left over from the last one
    return Result(respond(json.dumps(payload).encode(), name, rehearsal=True))


def _decision(response: Response) -> str | None:
    """The agent's own word, read from what it would get: a permission is denied, everything else is blocked."""
    if response.written.exit_code == BLOCK:
        return "block"
    if not response.written.stdout.startswith("{"):
        return None
    event = event_of(response.event_name, response.raw)
    spoken = dialect(response.agent)
    assert spoken is not None  # it has just written the answer
    decision = spoken.understand(event, json.loads(response.written.stdout)).decision
    permission = "permissionDecision" in event.specific or event.specific == "decision"
    return (decision if permission or decision != "deny" else "block") or None
