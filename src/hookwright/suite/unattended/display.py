"""How a run looks while it goes: a line for each verdict; on a terminal also what is under way, redrawn in place."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from typing import Any, TextIO

from hookwright.screen import bare
from hookwright.suite.unattended.one_test import Outcome
from hookwright.suite.unattended.running import Watcher

Json = dict[str, Any]
MARKS = {"pass": "✅ PASS", "fail": "❌ FAIL", "skip": "⏭️ SKIP"}
COUNTED = (("pass", "passed"), ("fail", "failed"), ("skip", "skipped"))
REDRAW_S = 0.1
NOISE_LINES, LONGEST = 3, 300  # of what a server wrote beside its answers
CLEAR = "\r\x1b[K"


class Display(Watcher):
    """Writes to a stream; lines only where that is no terminal."""

    def __init__(
        self, stream: TextIO, total: int, rounds: int, quiet: bool = False, clean: Callable[[str], str] = str
    ) -> None:
        self._stream = stream
        self._total = total * rounds
        self._rounds = rounds
        self._quiet = quiet
        self._clean = clean  # a terminal's lines end up in CI logs
        self.live = stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")
        self._under_way: dict[int, tuple[str, float]] = {}
        self._counts = dict.fromkeys(("pass", "fail", "skip"), 0)
        self._drawn_at = 0.0

    def began(self, lane: int, round: int, case: Json) -> None:
        self._under_way[lane] = (self._name(case["id"], round), time.monotonic())
        self.tick()

    def ended(self, lane: int, outcome: Outcome) -> None:
        _, began = self._under_way.pop(lane, ("", time.monotonic()))
        self._counts[outcome.status] += 1
        if self._quiet and outcome.status == "pass" and not outcome.unsaved:
            return
        name = self._name(outcome.case["id"], outcome.round)
        extra = f" (attempt {outcome.attempts})" if outcome.attempts > 1 else ""
        cost = f", ${outcome.seen.cost_usd:.4f}" if outcome.seen.cost_usd else ""
        lines = [f"{MARKS[outcome.status]} {name}{extra} ({_time(time.monotonic() - began)}{cost})"]
        lines += [f"    {reason}" for failure in outcome.failures for reason in failure.split("\n")]
        lines += [f"    not saved: '{name}' (nothing in the response fits)" for name in outcome.unsaved]
        if outcome.status == "fail":
            lines += [f"    {line[:LONGEST]}" for line in outcome.seen.noise.splitlines()[-NOISE_LINES:]]
        lines += [f"    after the test: {outcome.after}"] if outcome.after else []
        self._write(self._clean("\n".join(lines)) + "\n")

    def tick(self) -> None:
        if self.live and time.monotonic() - self._drawn_at >= REDRAW_S:
            self._drawn_at = time.monotonic()
            self._write(self._status())

    def close(self) -> None:
        """Take away what is redrawn."""
        self._write("")

    def _write(self, text: str) -> None:
        if self.live:
            tell(bare(self._stream), CLEAR)
        tell(self._stream, text)  # names and reasons are the suite's and the server's: they move nothing

    def _status(self) -> str:
        done = sum(self._counts.values())
        counted = ", ".join(f"{self._counts[status]} {word}" for status, word in COUNTED if self._counts[status])
        now = time.monotonic()
        under_way = "  ".join(f"{name} {_time(now - began)}" for name, began in self._under_way.values())
        text = f"[{done}/{self._total}] {counted}{'  | ' if counted and under_way else ''}{under_way}"
        return text[: shutil.get_terminal_size().columns - 1]

    def _name(self, test_id: str, round: int) -> str:
        return test_id if self._rounds == 1 else f"{test_id} [round {round}]"


def tell(stream: TextIO, text: str) -> None:
    """Write at once. Nobody may be listening any more (`| head`): the run goes on, its exit code stands."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # also for what is still in the stream's own buffer
        os.close(nowhere)


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
