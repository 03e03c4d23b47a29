"""`--via claude-code`: tests done by the installed client, headless, with our hooks for this run only."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hookwright.errors import Refusal
from hookwright.suite import messages
from hookwright.suite.unattended.children import Children, Ended
from hookwright.suite.unattended.conversation import EVENTS, Conversation, Gone
from hookwright.suite.unattended.options import Options
from hookwright.suite.unattended.seen import Seen
from hookwright.suite.unattended.servers import Servers

Json = dict[str, Any]
RECORDER = str(Path(__file__).with_name("recorder.py"))
HOOK_S = 30
HEADLESS = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")


class ClaudeCode:
    """Hands tests to headless conversations, one for each lane."""

    name = "claude-code"

    def __init__(self, options: Options, servers: Servers, folder: str, children: Children) -> None:
        self._program = _found(options.claude)
        self._options = options
        self._servers = servers
        self._folder = folder
        self._children = children
        self._open: dict[int, Conversation] = {}
        self._opened = 0
        self.spent_usd = 0.0
        self._scratch = tempfile.mkdtemp(prefix="hookwright-run-")

    def why_not(self, _case: Json) -> str | None:
        """An agent can be told anything."""
        return None

    def may_go_on(self) -> bool:
        """Whether the budget has anything left."""
        return self._options.budget is None or self.spent_usd < self._options.budget

    def attempt(self, lane: int, case: Json, timeout_s: float) -> Seen:
        """Tell the lane's conversation to do a test, and wait until it has."""
        began = time.monotonic()
        seen = Seen()
        try:
            conversation = self._open.get(lane) or self._begin(lane)
            turn = conversation.ask(_prompt(case), timeout_s)
            seen = Seen(turn.evidence, turn.fault, "", turn.cost_usd, turn.transcript)
            if turn.over_budget and self._options.budget is not None:
                self.spent_usd = max(self.spent_usd, self._options.budget)
                raise Ended  # cut off by our own limit: that says nothing about the test
        except Gone as gone:
            seen = Seen(gone.evidence, str(gone), "", None, gone.transcript)
        except OSError as error:
            seen.fault = f"claude cannot be started: {error.strerror}"
        if seen.fault is not None and (stale := self._open.pop(lane, None)) is not None:
            stale.close(at_once=True)
        self.spent_usd += seen.cost_usd or 0
        seen.evidence.took_ms = (time.monotonic() - began) * 1000
        return seen

    def fresh(self, lane: int) -> None:
        """The next test of this lane begins a conversation."""
        conversation = self._open.pop(lane, None)
        if conversation is not None:
            conversation.close()

    def close(self) -> None:
        """End every conversation, and take away what this run had in temporary files."""
        for lane in list(self._open):
            self.fresh(lane)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _begin(self, lane: int) -> Conversation:
        self._opened += 1
        place = Path(self._scratch, f"{lane}-{self._opened}")
        place.mkdir()
        record = place / "record.jsonl"
        settings = place / "settings.json"
        settings.write_text(json.dumps(self._settings(str(record))))
        command = [self._program, *HEADLESS, "--settings", str(settings)]
        if self._servers.written:
            servers = place / "mcp.json"
            servers.write_text(json.dumps({"mcpServers": self._servers.written}))  # the client fills in ${NAME} itself
            command += ["--mcp-config", str(servers)]
        command += ["--model", self._options.model] if self._options.model else []
        if self._options.budget is not None:
            command += ["--max-budget-usd", f"{max(self._options.budget - self.spent_usd, 0.000001):.6f}"]
        self._open[lane] = Conversation([*command, *self._options.extra], self._folder, self._children, str(record))
        return self._open[lane]

    def _settings(self, record: str) -> Json:
        command = shlex.join([sys.executable, "-I", "-S", RECORDER, record])
        hook = {"hooks": [{"type": "command", "command": command, "timeout": HOOK_S}]}
        return {
            "hooks": {event: [hook] for event in EVENTS},
            "permissions": {"allow": [f"mcp__{name}" for name in self._servers.written]},
        }


def begin(options: Options, servers: Servers, folder: str, children: Children) -> ClaudeCode:
    """Ready for tests."""
    return ClaudeCode(options, servers, folder, children)


def _prompt(case: Json) -> str:
    """The test as an instruction, in the words of a conversation run."""
    lines = [f"## Test: {case['id']}"]
    lines += [f"**Category:** {case['category']}"] if case.get("category") else []
    lines += [f"**Description:** {case['description']}"] if case.get("description") else []
    return messages.for_model("\n".join([*lines, "", "### Action", messages.to_do(case)]), driven=True)


def _found(program: str | None) -> str:
    path = shutil.which(program or "claude")
    if path is None:
        raise Refusal(
            f"there is no {program or 'claude'} on this machine; "
            "`npm install -g @anthropic-ai/claude-code` brings it, --claude PATH names another."
        )
    return os.path.abspath(path)
