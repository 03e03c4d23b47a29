"""One headless conversation of the client: a prompt goes in, what its hooks and its stream told comes out."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hookwright.suite import evidence
from hookwright.suite.evidence import Evidence
from hookwright.suite.unattended.children import Children

Json = dict[str, Any]
EVENTS = ("PostToolUse", "PostToolUseFailure", "Stop")  # what our recorder is told of
KEPT_TRANSCRIPT = 1_000_000  # bytes of one test
KEPT_STDERR = 2_000
MOST_USD = 1e9  # a conversation that costs more was not counted, but made up
CLOSING_S = 5.0  # for a client whose input has ended
OVER_BUDGET = "error_max_budget_usd"
NO_HOOKS = (
    "The client did not run our hooks, so nothing is known of its tool calls; "
    "are hooks switched off in its settings (disableAllHooks, allowManagedHooksOnly) or by --bare?"
)


@dataclass
class Turn:
    """What came of one prompt."""

    evidence: Evidence
    transcript: list[bytes]
    cost_usd: float | None
    fault: str | None = None
    over_budget: bool = False


@dataclass
class Gone(Exception):
    """The client ended, or had to be ended, before it was done with a prompt."""

    text: str
    evidence: Evidence = field(default_factory=Evidence)
    transcript: list[bytes] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text


class Conversation:
    """A client that waits for prompts."""

    def __init__(self, command: Sequence[str], folder: str, children: Children, record: str) -> None:
        self._children = children
        self._record = record
        self._read_lines = 0
        self._cost_usd = 0.0
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self._process = children.start(command, cwd=folder, **pipes)
        self._said: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr = bytearray()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._listen, self._drain)]
        for thread in self._threads:
            thread.start()

    def ask(self, prompt: str, timeout_s: float) -> Turn:
        """Hand over a prompt and wait until the client is done with it. Raises Gone."""
        message = {"role": "user", "content": [{"type": "text", "text": prompt}]}
        transcript: list[bytes] = []
        until = time.monotonic() + timeout_s
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps({"type": "user", "message": message}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended; why, is told below
        size = 0
        while True:
            try:
                line = self._said.get(timeout=max(until - time.monotonic(), 0))
            except queue.Empty:
                raise Gone(f"Timed out: no answer within {timeout_s:g} s", self._seen(""), transcript) from None
            if line is None:
                raise Gone(self._why_ended(), self._seen(""), transcript)
            size += len(line)
            if size <= KEPT_TRANSCRIPT:
                transcript.append(line)
            ending = _result(line)
            if ending is not None:
                return self._turn(ending, transcript)

    def close(self, at_once: bool = False) -> None:
        """End the client: its input first, then its group."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(0 if at_once or self._children.ended else CLOSING_S)
        except subprocess.TimeoutExpired:
            pass
        self._children.stop(self._process)
        for thread in self._threads:
            thread.join(CLOSING_S)

    def _turn(self, ending: Json, transcript: list[bytes]) -> Turn:
        total = ending.get("total_cost_usd")
        cost_usd = None
        if isinstance(total, int | float) and 0 <= total < MOST_USD:
            cost_usd = max(total - self._cost_usd, 0.0)  # the client counts the whole conversation
            self._cost_usd = float(total)
        before = self._read_lines
        seen = self._seen(str(ending.get("result") or ""))
        fault = None
        if ending.get("is_error") or str(ending.get("subtype")).startswith("error"):
            errors = ending.get("errors")
            why = ending.get("result") or (errors if isinstance(errors, str) else json.dumps(errors) if errors else "")
            fault = f"The client gave up ({ending.get('subtype')}): {why or 'no reason given'}"
        elif self._read_lines == before:
            fault = NO_HOOKS
        return Turn(seen, transcript, cost_usd, fault, ending.get("subtype") == OVER_BUDGET)

    def _seen(self, said: str) -> Evidence:
        """What our hooks wrote down since the last prompt."""
        lines = evidence.lines(self._record)
        new, self._read_lines = lines[self._read_lines :], len(lines)
        answers = [line["text"] for line in new if line.get("kind") == "answer" and isinstance(line.get("text"), str)]
        return Evidence(answers[-1] if answers else said, evidence.calls_in(new))

    def _why_ended(self) -> str:
        try:
            code: object = self._process.wait(CLOSING_S)
        except subprocess.TimeoutExpired:
            code = "unknown"
        said = self._stderr.decode("utf-8", "replace").strip()
        return f"The client ended with exit code {code}" + (f": {said}" if said else "")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in _lines(stream):
                self._said.put(line)
        self._said.put(None)

    def _drain(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            while piece := stream.read1(1 << 16):  # type: ignore[attr-defined]
                self._stderr += piece
                del self._stderr[:-KEPT_STDERR]


def _lines(stream: Iterable[bytes]) -> Iterable[bytes]:
    try:
        yield from stream
    except ValueError:  # closed under us
        return


def _result(line: bytes) -> Json | None:
    """The event that ends a prompt; None for every other."""
    if b'"result"' not in line:
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and event.get("type") == "result" else None
