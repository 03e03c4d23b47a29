"""A small real MCP server over stdio: JSON-RPC, a message a line.

By hand, because it is also the fixture of tests and benches: the official SDK takes twenty times as long to start.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from hookwright import __version__
from hookwright.demo.notes import TOOLS, Notes, ToolFailed, call

NEWEST = "2025-06-18"
KNOWN = ("2024-11-05", "2025-03-26", NEWEST)
PARSE_ERROR, INVALID_REQUEST, NO_SUCH_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602

Json = dict[str, Any]


class WrongRequest(Exception):
    """A request that the protocol answers with an error of its own."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def serve() -> None:
    """Answer line after line until the input ends."""
    notes = Notes()
    for line in sys.stdin.buffer:
        if line.strip() and (reply := answer(line, notes)) is not None:
            sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
            sys.stdout.buffer.flush()


def answer(line: bytes, notes: Notes) -> Json | None:
    """The reply to one message; None to a notification."""
    try:
        message = json.loads(line)
    except ValueError:
        return _error(None, WrongRequest(PARSE_ERROR, "not JSON"))
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _error(None, WrongRequest(INVALID_REQUEST, "not a request"))
    if "id" not in message:
        return None
    params = message.get("params")
    try:
        result = _method(message["method"])(params if isinstance(params, dict) else {}, notes)
    except WrongRequest as error:
        return _error(message["id"], error)
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _error(id: Any, error: WrongRequest) -> Json:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": error.code, "message": str(error)}}


def _method(name: str) -> Any:
    if name not in METHODS:
        raise WrongRequest(NO_SUCH_METHOD, f"there is no method {name}")
    return METHODS[name]


def _initialize(params: Json, _notes: Notes) -> Json:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in KNOWN else NEWEST,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "hookwright-demo", "version": __version__},
    }


def _ping(_params: Json, _notes: Notes) -> Json:
    return {}


def _list(_params: Json, _notes: Notes) -> Json:
    listed = [
        {"name": name, "description": tool.description, "inputSchema": tool.schema} for name, tool in TOOLS.items()
    ]
    return {"tools": listed}


def _call(params: Json, notes: Notes) -> Json:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise WrongRequest(INVALID_PARAMS, "tools/call takes a name and arguments")
    try:
        text, failed = call(notes, name, arguments), False
    except ToolFailed as error:
        text, failed = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


METHODS = {"initialize": _initialize, "ping": _ping, "tools/list": _list, "tools/call": _call}
