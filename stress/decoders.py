"""Everything that reads what others wrote: one row each. Whatever bytes come, none may raise; some may refuse.

A row's `take` gets any bytes. `seeds` are real inputs to begin from.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hookwright import config, hook, journal_view
from hookwright.affected import junit
from hookwright.affected.gotest import Stream
from hookwright.affected.javascript.reports import read_jest, read_mocha, read_node
from hookwright.affected.libtest import Output
from hookwright.affected.python.report import Reading as PytestReport
from hookwright.edits import edited_paths
from hookwright.errors import Refusal
from hookwright.events import event_of
from hookwright.setup import json_text, settings
from hookwright.suite import state, suites

ROOT = Path(__file__).resolve().parents[1]
PAYLOADS = ROOT / "tests/golden/claude-code"

_CONFIG = b"""\
postToolUse:
  commands:
    - {run: "true", tool: "Edit*", files: ["*.py", "!x.py"], timeout: 30, maxOutputLines: 3}
stop: {commands: [&a {run: "x"}, *a]}
autoTest: {when: edit, budget: 10, exclude: ["a/**"], commands: {python: [pytest, "{tests}"]}}
suite: {drive: self}
"""
_SUITE = b"""\
{"version": "1.0", "servers": {"s": {"command": "x"}}, "tests": [
{"id": "a", "action": "Call t with k: 1", "expect": [{"regex": "a+"}, {"json_path": "$.a"}], "save": {"n": "(x)"}},
{"id": "b", "action": "Use ${n}", "expect": [{"any_of": [{"contains": "x"}]}], "depends_on": ["a"], "timeout": 3}]}
"""
_PATCH = b"""\
*** Begin Patch
*** Update File: src/a.py
@@ def f():
-    return 1
+    return 2
*** Move to: src/b.py
*** Add File: c/d.txt
+x
*** End Patch
"""
_JUNIT = b"""\
<?xml version="1.0"?><testsuites><testsuite name="s" tests="2"><testcase classname="a.B" name="t" time="0.1">
<failure message="no" type="E">at a.B(B.java:3)</failure></testcase><testcase name="u"><skipped/></testcase>
</testsuite></testsuites>
"""
_JEST = b"""\
{"success": false, "testResults": [{"name": "/p/a.test.js", "status": "failed", "message": "m", "assertionResults":
[{"fullName": "a b", "status": "failed", "failureMessages": ["Error: x\\n    at f (/p/a.js:3:5)"]}]}]}
"""
_MOCHA = b"""\
{"stats": {"tests": 1}, "passes": [{"fullTitle": "a", "file": "/p/t.js"}], "pending": [], "failures":
[{"fullTitle": "b", "file": "/p/t.js", "err": {"message": "no", "stack": "Error: no\\n at /p/a.js:1:2"}}]}
"""
_GO = b"""\
{"Action":"run","Package":"m/a","Test":"TestX"}
{"Action":"output","Package":"m/a","Test":"TestX","Output":"    a_test.go:7: got 1\\n"}
{"Action":"fail","Package":"m/a","Test":"TestX","Elapsed":0.01}
{"Action":"fail","Package":"m/a","Elapsed":0.2,"FailedBuild":"m/a"}
"""
_CARGO = b"""\
{"reason":"compiler-artifact","executable":"/t/a-1","package_id":"path+file:///p#a@0.1.0"}
{"reason":"compiler-message","message":{"level":"error","spans":[{"file_name":"src/l.rs","line_start":1}]}}
{"reason":"build-finished","success":true}
running 2 tests
test a::t ... ok
test a::u ... FAILED

failures:

---- a::u stdout ----
thread 'a::u' panicked at src/lib.rs:3:5:
assertion failed

test result: FAILED. 1 passed; 1 failed; 0 ignored
"""
_PYTEST = b"""\
{"kind": "unit", "n": 1, "path": "a.py", "name": "f"}
{"kind": "ran", "id": "t.py::t", "units": [1], "files": []}
{"kind": "test", "id": "t.py::t", "outcome": "failed", "seconds": 0.1, "text": ["assert 0"]}
{"kind": "end", "collected": 1}
"""
_STATE = b"""\
{"mode": "running", "total_tests": 2, "current_index": 1, "current_test": {"id": "b"},
"results": [
{"id": "a", "status": "passed"}
],
"saved_vars": {"n": "1"}, "filter_category": null, "filter_tag": null, "started_at": "2026-01-01T00:00:00Z"}
"""


@dataclass(frozen=True)
class Decoder:
    """One reader of foreign bytes."""

    name: str
    take: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


@cache
def _project() -> Path:
    """A project for whatever wants a place: in memory where the machine has such a folder."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="hookwright-fuzz-", dir=memory))
    (folder / ".hookwright.yaml").write_text("{}\n")
    return folder


def _written(name: str, data: bytes) -> str:
    path = _project() / name
    path.write_bytes(data)
    return str(path)


def _payload(data: bytes) -> None:
    os.chdir(_project())  # whatever cwd the payload claims, no config of ours is above it
    response = hook.respond(data)
    assert response.written.exit_code == 0
    assert response.written.stdout in ("", "{}")


def _config(data: bytes) -> None:
    reading = config.Reading(_written("c.yaml", data), "c.yaml")
    for problem in reading.report.problems:
        str(problem)


def _suite(data: bytes) -> None:
    for name in ("s.json", "s.yaml"):
        for problem in suites.Suite(_written(name, data)).problems:
            str(problem)


def _settings(data: bytes) -> None:
    """Put in and taken out again, a document means what it meant before."""
    text = data.decode("utf-8", "replace")
    ours = {"Stop": {"hooks": [{"type": "command", "command": "x", settings.MARK: settings.FORMAT}]}}
    try:
        without = settings.without_ours(text)
        merged = settings.with_ours(without, ours)
    except json_text.NotJson:
        return
    assert settings.with_ours(merged, ours) == merged
    after = settings.without_ours(merged)
    before = json_text.parsed(without) if without.strip() else {}
    assert settings.meaning(json_text.parsed(after)) == settings.meaning(before)


def _state(data: bytes) -> None:
    try:
        found = state.understood(data)
    except Refusal:
        return
    if found is not None:
        json.loads(state.written(found))


def _patch(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    raw = {"tool_name": "apply_patch", "tool_input": {"command": ["apply_patch", text]}, "cwd": "/p"}
    for path in edited_paths(event_of("PostToolUse", raw)):
        assert path.startswith("/")
        assert "/../" not in path


def _journal(data: bytes) -> None:
    for line in data.decode("utf-8", "replace").splitlines():
        for entry in journal_view.parsed(line):
            journal_view.failed(entry)
            journal_view.stats(iter([entry]))


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _cargo(text: str) -> None:
    output = Output(text, text)
    output.errors("/p")


def _go(text: str) -> None:
    stream = Stream(text)
    for action in ("pass", "fail", "skip"):
        stream.tests(action)


def _pytest(data: bytes) -> None:
    PytestReport(_written("report", data), str(_project()))


def _payloads() -> list[bytes]:
    return [path.read_bytes() for path in sorted(PAYLOADS.glob("*.json"))]


def _journal_lines() -> list[bytes]:
    entry = {"time": "2026-01-01T00:00:00.000Z", "event": "Stop", "ms": 1.5, "notes": ["n"], "ran": [{"binding": "b"}]}
    line = json.dumps(entry).encode()
    return [line + b"\n" + line, line[:40] + line]


DECODERS = [
    Decoder("hook payload", _payload, _payloads),
    Decoder("config", _config, lambda: [_CONFIG]),
    Decoder("suite file", _suite, lambda: [_SUITE]),
    Decoder("suite state", _state, lambda: [_STATE]),
    Decoder("settings merge", _settings, lambda: [b'{"hooks": {"Stop": [{"hooks": [{"type": "http"}]}]}, "a": [1]}']),
    Decoder("journal line", _journal, _journal_lines),
    Decoder("Codex patch", _patch, lambda: [_PATCH]),
    Decoder("pytest report", _pytest, lambda: [_PYTEST]),
    Decoder("JUnit report", _text(junit.cases), lambda: [_JUNIT]),
    Decoder("jest report", _text(lambda text: read_jest(text, "/p")), lambda: [_JEST]),
    Decoder("mocha report", _text(lambda text: read_mocha(text, "/p")), lambda: [_MOCHA]),
    Decoder("node report", _text(lambda text: read_node(text, "/p")), lambda: [_JUNIT]),
    Decoder("go test report", _text(_go), lambda: [_GO]),
    Decoder("cargo test report", _text(_cargo), lambda: [_CARGO]),
]
BY_NAME = {decoder.name: decoder for decoder in DECODERS}


def seeds_of_all() -> Iterator[tuple[str, bytes]]:
    """Every seed with its decoder's name."""
    for decoder in DECODERS:
        for seed in decoder.seeds():
            yield decoder.name, seed
