"""What a suite of 500 tests costs: the last test against the first, and an event with a suite against one without.

`python bench/suite.py [ROUNDS]`. Everything is interleaved in one run; trust the ratios, milliseconds move with the
machine.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import Row, interleave, process, table, weigh

import hookwright
from hookwright.suite import actions, state
from hookwright.suite.results import Results

BOOT = str(Path(hookwright.__file__).with_name("boot.py"))
TESTS = 500
SECTIONS = {"no suite": "", "a suite, no run": "suite: {drive: self}\n"}


def suite() -> str:
    """Five hundred tests with everything that an ordinary one has."""
    tests = [
        {
            "id": f"test_{n:03}",
            "description": f"The server answers request {n}",
            "category": f"group_{n % 10}",
            "action": f"Call echo with text: answer {n}",
            "expect": [{"contains": f"answer {n}"}, {"not_contains": "error"}, {"regex": rf"answer\s+{n}\b"}],
            "save": {f"saved_{n}": r"answer (\d+)"} if n % 10 == 0 else {},
            "tags": ["bench"],
        }
        for n in range(TESTS)
    ]
    return json.dumps({"version": "1.0", "description": "Five hundred", "tests": tests})


def project(root: Path, name: str, config: str) -> Path:
    """A project with this config and the suite; without a config of ours for it, without both."""
    folder = root / name.replace(" ", "-").replace(",", "")
    (folder / "tests/functional").mkdir(parents=True)
    if config:
        (folder / "tests/functional/tests.json").write_text(suite())
    (folder / ".hookwright.yaml").write_text(config or "handlers: []\n")
    return folder


def at_position(root: Path, done: int) -> Path:
    """A project whose run has this many tests behind it."""
    folder = project(root, f"at {done}", "suite: {drive: self}\n")
    actions.begin(str(folder))
    kept = state.read(str(folder))
    assert kept is not None
    results = Results.of(_result(n) for n in range(done))
    kept |= {
        "results": results,
        "current_index": done,
        "saved_vars": {f"saved_{n}": str(n) for n in range(0, done, 10)},
    }
    state.replace(str(folder), kept)
    return folder


def _result(n: int) -> dict[str, Any]:
    return {"id": f"test_{n:03}", "status": "pass", "failures": [], "timestamp": "2026-01-01T00:00:00Z"}


def payload(folder: Path, event: str, **fields: object) -> str:
    """A payload in a file."""
    path = folder / f"{event}.json"
    body = {"hook_event_name": event, "cwd": str(folder), "session_id": "s" * 36, "transcript_path": "/t"}
    path.write_text(json.dumps({**body, **fields}))
    return str(path)


def hook_variants(root: Path) -> list[Row]:
    """The same tool event without a suite, with one, and while a run of 500 watches."""
    tool = {
        "tool_name": "mcp__demo__echo",
        "tool_input": {"text": "x"},
        "tool_response": [{"type": "text", "text": "x" * 500}],
    }
    folders = {name: project(root, name, config) for name, config in SECTIONS.items()}
    for position in (0, TESTS - 1):
        name = f"suite run on, at test {position + 1}"
        folders[name] = at_position(root, position)
        actions.do(str(folders[name]), "next", session="s" * 36)
    argv = [sys.executable, "-I", "-S", BOOT]
    return [process(name, argv, payload(folder, "PostToolUse", **tool)) for name, folder in folders.items()]


def stop_variants(root: Path) -> list[Row]:
    """A Stop without a suite, with one, and one that judges a test and hands over the next."""
    folders = {name: project(root / "stops", name, config) for name, config in SECTIONS.items()}
    for position in (0, TESTS - 100):
        name = f"judged and handed over, from test {position + 1}"
        folders[name] = at_position(root / "stops", position)
        actions.do(str(folders[name]), "next", session="s" * 36)
    argv = [sys.executable, "-I", "-S", BOOT]
    said = {"last_assistant_message": "The tool said: answer 7", "stop_hook_active": True}
    return [process(name, argv, payload(folder, "Stop", **said)) for name, folder in folders.items()]


def step_ms(folder: Path) -> float:
    """One `next` and one `validate`, without the start of a process."""
    started = time.perf_counter()
    actions.do(str(folder), "next")
    text = state.read(str(folder))["current_test"]["action"].removeprefix("Call echo with text: ")  # type: ignore[index]
    assert actions.do(str(folder), "validate", text).good
    return (time.perf_counter() - started) * 1000


def positions(root: Path, rounds: int) -> dict[int, list[float]]:
    """Steps at the first and the last test, in turn; each position is put back after its step."""
    spots = {done: at_position(root / "steps", done) for done in (1, TESTS - 2)}  # alike: neither saves a variable
    kept = {done: state.look(str(folder)) for done, folder in spots.items()}
    marks = {done: state.our_mark(str(folder)) for done, folder in spots.items()}
    took: dict[int, list[float]] = {done: [] for done in spots}
    for number in range(rounds + 1):
        for done in random.sample(list(spots), len(spots)):
            (spots[done] / ".claude/test-state.json").write_bytes(kept[done])
            (spots[done] / ".hookwright/state/suite.mark").write_bytes(marks[done])
            ms = step_ms(spots[done])
            if number:
                took[done].append(ms)
    return took


def step_variants(root: Path) -> list[Row]:
    """`hookwright suite status`-sized processes: one `next` at the first and at the last test, as a person pays it."""
    code = "import sys; from hookwright.suite import actions; actions.do(sys.argv[1], 'next')"
    spots = [(f"process: next at test {done + 1}", at_position(root / "processes", done)) for done in (0, TESTS - 1)]
    return [process(name, [sys.executable, "-c", code, str(folder)]) for name, folder in spots]


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    os.environ["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] = "0"  # else a run without tool calls pauses after eight stops
    root = Path(tempfile.mkdtemp(prefix="hookwright-bench-"))
    try:
        took = positions(root, rounds * 5)
        (first, early), (last, late) = ((done, statistics.median(ms)) for done, ms in took.items())
        print(f"next + validate in one process, {TESTS} tests, median of {rounds * 5}")
        print(f"  test {first + 1}: {early:.2f} ms   test {last + 1}: {late:.2f} ms   ratio {late / early:.2f}\n")
        tables = {
            "next, a process each": step_variants(root),
            "PostToolUse": hook_variants(root),
            "Stop": stop_variants(root),
        }
        for title, variants in tables.items():
            interleave(variants, rounds)
            weigh(variants)
            print(f"{title} (x: against the first line)\n{table(variants, variants[0])}\n")
    finally:
        shutil.rmtree(root)


main()
