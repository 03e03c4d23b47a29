"""What a direct run adds to the bare SDK: for each test, for a thousand tests, for the start.

`python bench/suite_run.py [ROUNDS]`. Everything is interleaved in one run; trust the ratios, milliseconds move with the
machine. CPU is that of our process; the server's own is the same for both.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

from measure import CPU, WALL, Row, interleave, process, table

from hookwright.suite.unattended.display import Display
from hookwright.suite.unattended.options import Options
from hookwright.suite.unattended.request import Request

BLOCK = 200
MANY = 1_000
SERVER = {"command": sys.executable, "args": ["-m", "hookwright.demo"]}
COMMAND = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())"]


def project(root: Path, tests: int) -> Path:
    """A project whose suite calls the demo server so often, with what an ordinary test expects."""
    folder = root / f"of-{tests}"
    (folder / "tests/functional").mkdir(parents=True)
    listed = [
        {
            "id": f"test_{n:04}",
            "description": f"The server answers request {n}",
            "category": f"group_{n % 10}",
            "call": {"server": "demo", "tool": "echo", "arguments": {"text": f"answer {n}"}},
            "expect": [{"contains": f"answer {n}"}, {"not_contains": "error"}, {"regex": rf"answer\s+{n}\b"}],
        }
        for n in range(tests)
    ]
    suite = {"description": "Bench", "servers": {"demo": SERVER}, "tests": listed}
    (folder / "tests/functional/tests.json").write_text(json.dumps(suite))
    return folder


class Clock:
    """Wall and CPU time since it was made, for each of so many."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def each(self, count: int) -> dict[str, float]:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return {WALL: wall * 1000 / count, CPU: cpu * 1000 / count}


async def bare_block() -> dict[str, float]:
    """The SDK as its documentation shows it: so many calls on one open session."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(command=SERVER["command"], args=list(SERVER["args"]), env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.call_tool("echo", {"text": "warm"})
        clock = Clock()
        for n in range(BLOCK):
            result: Any = await session.call_tool("echo", {"text": f"answer {n}"})
            assert f"answer {n}" in result.content[0].text
        return clock.each(BLOCK)


class Timed(Display):
    """Begins to count when the first test is done: the server's start is not what is measured here."""

    clock: Clock | None = None
    measured: ClassVar[dict[str, float]] = {}
    seen = 0

    def ended(self, lane: int, outcome: Any) -> None:
        super().ended(lane, outcome)
        Timed.seen += 1
        if Timed.seen == 1:
            Timed.clock = Clock()
        elif Timed.clock is not None:
            Timed.measured = Timed.clock.each(Timed.seen - 1)


def direct_block(folder: Path) -> dict[str, float]:
    """The same calls as tests of a run: judged, shown, their evidence kept on disk."""
    from hookwright.suite.unattended import request

    Timed.seen, request.Display = 0, Timed  # type: ignore[misc]
    assert Request(Options(), str(folder)).run(io.StringIO()).exit_code == 0
    return Timed.measured


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as root:
        few, many, one = (project(Path(root), count) for count in (BLOCK, MANY, 1))
        print(f"{BLOCK} calls of the demo server, {rounds} rounds")
        show(
            Row("bare SDK call", lambda: asyncio.run(bare_block())),
            Row("direct run, each test", lambda: direct_block(few)),
            rounds=rounds,
        )
        clock = Clock()
        direct_block(many)
        wall = clock.each(1)[WALL]
        print(f"{MANY} tests in one run: {wall / 1000:.2f} s, {wall / MANY:.2f} ms each, everything included\n")
        os.chdir(one)
        print(f"start-up of a run, {rounds} rounds")
        show(
            process("import mcp", [sys.executable, "-c", "import mcp"]),
            process("a run of one test", [*COMMAND, "suite", "run"]),
            rounds=rounds,
        )


def show(base: Row, other: Row, rounds: int) -> None:
    interleave([base, other], rounds)
    print(f"{table([base, other], base)}\n")


if __name__ == "__main__":
    main()
