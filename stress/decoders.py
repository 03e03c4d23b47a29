"""Everything that reads what others wrote: one row each. Whatever bytes come, none may raise; some may refuse.

A row's `take` gets any bytes. `seeds` are real inputs to begin from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from hookwright import config, hook, journal_view, trust, wire
from hookwright.edits import edited_paths
from hookwright.errors import Refusal
from hookwright.events import event_of
from hookwright.resident import http
from hookwright.setup import json_text, settings
from hookwright.shell_changes import changed_by
from hookwright.shell_words import TooMuch
from hookwright.suite import state, suites
from hookwright.suite.unattended import stdio
from hookwright.suite.unattended.children import Children
from hookwright.suite.unattended.conversation import Conversation, _result
from hookwright.suite.unattended.servers import Servers
from stress.decoder import ROOT, Decoder, project, written
from stress.reports import REPORTS

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
_TOKEN = "f" * 64
_REQUEST = b"""\
POST /hook HTTP/1.1\r
Host: 127.0.0.1:80\r
Authorization: Bearer %s\r
Content-Type: application/json\r
Content-Length: 2\r
\r
{}GET /status HTTP/1.1\r
Host: 127.0.0.1:80\r
Authorization: Bearer %s\r
\r
""" % (_TOKEN.encode(), _TOKEN.encode())
_MCP = b"""\
{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "hi"}], "isError": false}}
{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
{"jsonrpc": "2.0", "id": 2, "error": {"code": -32601, "message": "no"}}
Listening on stdio
"""
_STREAM = b"""\
{"type": "system", "subtype": "init", "tools": ["Bash"]}
{"kind": "call", "tool": "t", "input": {"a": 1}, "result": "r", "id": "x"}
{"kind": "answer", "text": "hello"}
{"type": "result", "subtype": "success", "is_error": false, "result": "hello", "total_cost_usd": 0.01, "errors": []}
"""
_SERVERS = b"""\
{"mcpServers": {"a": {"command": "x", "args": ["${HOME}"], "env": {"API_KEY": "${NAME:-abcd}"}},
"b": {"type": "http", "url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer abcdef"}}}}
"""
_STATE = b"""\
{"mode": "running", "total_tests": 2, "current_index": 1, "current_test": {"id": "b"},
"results": [
{"id": "a", "status": "passed"}
],
"saved_vars": {"n": "1"}, "filter_category": null, "filter_tag": null, "started_at": "2026-01-01T00:00:00Z"}
"""


def _payload(data: bytes) -> None:
    os.chdir(project())  # whatever cwd the payload claims, no config of ours is above it
    response = hook.respond(data)
    assert response.written.exit_code == 0
    assert response.written.stdout in ("", "{}")


def _config(data: bytes) -> None:
    reading = config.Reading(written("c.yaml", data), "c.yaml")
    for problem in reading.report.problems:
        str(problem)


def _suite(data: bytes) -> None:
    for name in ("s.json", "s.yaml"):
        for problem in suites.Suite(written(name, data)).problems:
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


def _request(data: bytes) -> None:
    """Whatever is let in has the token and fits the limits; cut anywhere, the same comes of it."""
    assert _let_in([data]) == _let_in([data[: len(data) // 2], data[len(data) // 2 :]])


def _let_in(pieces: list[bytes]) -> list[object]:
    reader, found = http.Reader(80, _TOKEN), list[object]()
    try:
        for piece in pieces:
            reader.feed(piece)
            while request := reader.next():
                assert len(request.body) <= http.BODY_LIMIT
                found.append((request.path, request.body))
    except http.Refused as refused:
        found.append(refused.status)
    return found


@cache
def _pipes() -> stdio.Pipes:
    return stdio.Pipes({"command": "true"}, str(project()), Children(), lambda _: None)


def _mcp_message(data: bytes) -> None:
    for line in data.split(b"\n"):
        _pipes()._message(line)
    _pipes().forget_noise()


@cache
def _conversation() -> Conversation:
    return Conversation(["true"], str(project()), Children(), str(project() / "record"))


def _stream_json(data: bytes) -> None:
    """The client's output, and what our recorder wrote beside it."""
    written("record", data)
    for line in data.split(b"\n"):
        if ending := _result(line):
            _conversation()._turn(ending, [line])


def _mcp_servers(data: bytes) -> None:
    try:
        servers = Servers(suites.Suite(written("empty.json", b'{"tests": []}')), "/nowhere", written("mcp.json", data))
        servers.secrets()
        for name in servers.written:
            servers.ready(name)
    except Refusal:
        return


def _trust(data: bytes) -> None:
    """What cannot be understood never switches the asking off, and approves nothing."""
    (project() / "hookwright").mkdir(exist_ok=True)
    written("hookwright/trust.json", data)
    try:
        understood = isinstance(wire.decode(data), dict)
    except wire.NotJson:
        understood = False
    before = os.environ.get("XDG_CONFIG_HOME")
    os.environ["XDG_CONFIG_HOME"] = str(project())
    try:
        assert understood or trust.required()
        assert understood or not trust.approves("/p/.hookwright.yaml", "sha")
    finally:
        del os.environ["XDG_CONFIG_HOME"]
        os.environ.update({"XDG_CONFIG_HOME": before} if before is not None else {})


def _payloads() -> list[bytes]:
    return [path.read_bytes() for path in sorted(PAYLOADS.glob("*.json"))]


def _journal_lines() -> list[bytes]:
    entry = {"time": "2026-01-01T00:00:00.000Z", "event": "Stop", "ms": 1.5, "notes": ["n"], "ran": [{"binding": "b"}]}
    line = json.dumps(entry).encode()
    return [line + b"\n" + line, line[:40] + line]


def _shell_command(data: bytes) -> object:
    with suppress(TooMuch):
        return changed_by(data.decode("utf-8", "replace"), (".hookwright", ".claude/settings.json"), (".claude",))
    return None


DECODERS = [
    Decoder("hook payload", _payload, _payloads),
    Decoder("config", _config, lambda: [_CONFIG]),
    Decoder("suite file", _suite, lambda: [_SUITE]),
    Decoder("suite state", _state, lambda: [_STATE]),
    Decoder("settings merge", _settings, lambda: [b'{"hooks": {"Stop": [{"hooks": [{"type": "http"}]}]}, "a": [1]}']),
    Decoder("journal line", _journal, _journal_lines),
    Decoder("Codex patch", _patch, lambda: [_PATCH]),
    Decoder("resident request", _request, lambda: [_REQUEST]),
    Decoder("MCP message", _mcp_message, lambda: [_MCP]),
    Decoder("stream-json", _stream_json, lambda: [_STREAM]),
    Decoder("MCP servers", _mcp_servers, lambda: [_SERVERS]),
    Decoder("trust file", _trust, lambda: [b'{"require": true, "approved": {"/p/.hookwright.yaml": ["sha"]}}']),
    Decoder(
        "shell command", _shell_command, lambda: [b"cat <<'E' | tee \"$(x)\" >{a,.hookwright}\nit's\nE\n# b\nrm c"]
    ),
    *REPORTS,
]
BY_NAME = {decoder.name: decoder for decoder in DECODERS}


def seeds_of_all() -> Iterator[tuple[str, bytes]]:
    """Every seed with its decoder's name."""
    for decoder in DECODERS:
        for seed in decoder.seeds():
            yield decoder.name, seed
