"""A model that says what a test wrote: the Anthropic Messages API on a free port of 127.0.0.1.

Only requests that offer tools (the main loop) take a turn of the script; titles, probes and token counts do not.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]
Blocks = list[Json]
Turn = Blocks | Callable[[Json], Blocks]

USAGE = {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def tool(name: str, tool_input: Json) -> Json:
    return {"type": "tool_use", "name": name, "input": tool_input}


def said(request: Json) -> str:
    """All that one request tells the model: system prompt, texts and tool results, without the model's own words."""
    told = [request.get("system"), *(m["content"] for m in request["messages"] if m["role"] != "assistant")]
    return "\n".join(words for content in told for words in _texts(content))


def tool_results(request: Json) -> list[str]:
    """The text of every tool result in one request, in the order of the calls (parallel ones end in any order)."""
    blocks = [b for m in request["messages"] if isinstance(m["content"], list) for b in m["content"]]
    results = [b for b in blocks if b["type"] == "tool_result"]
    return ["\n".join(_texts(b.get("content"))) for b in sorted(results, key=lambda b: b["tool_use_id"])]


def _texts(content: str | Blocks | None) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        yield from _texts(block.get("text") if block["type"] == "text" else block.get("content"))


class ScriptedModel:
    """`with ScriptedModel([[tool("Bash", {...})], [text("done")]]) as model:` then point an agent at `model.url`."""

    def __init__(self, turns: Sequence[Turn] = (), *, last_words: str = "Nothing more to say.") -> None:
        self.requests: list[Json] = []
        self.side_requests: list[Json] = []
        self._turns = list(turns)
        self._last_words = last_words
        self._lock = threading.Lock()
        self._broken_turns: list[Exception] = []
        self._tool_calls = 0

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()
        if self._broken_turns and error_type is None:
            raise self._broken_turns[0]

    def answer(self, request: Json) -> Json:
        """The whole message that answers a request."""
        with self._lock:
            blocks = self._next_blocks(request) if request.get("tools") else self._aside(request)
            blocks = [self._with_id(block) for block in blocks]
            return _message(request, blocks, f"msg_{len(self.requests):04}_{len(self.side_requests):04}")

    def _next_blocks(self, request: Json) -> Blocks:
        self.requests.append(request)
        turn = self._turns.pop(0) if self._turns else [text(self._last_words)]
        if not callable(turn):
            return turn
        try:
            return turn(request)
        except Exception as error:
            self._broken_turns.append(error)
            raise

    def _aside(self, request: Json) -> Blocks:
        self.side_requests.append(request)
        return [text("ok")]

    def _with_id(self, block: Json) -> Json:
        if block["type"] != "tool_use":
            return block
        self._tool_calls += 1
        return {**block, "id": f"toolu_{self._tool_calls:04}"}


def _message(request: Json, blocks: Blocks, message_id: str) -> Json:
    calls_a_tool = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": blocks,
        "stop_reason": "tool_use" if calls_a_tool else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def _stream(message: Json) -> Iterator[Json]:
    """The events by which the API streams a message."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        start, delta = _opening(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": USAGE}
    yield {"type": "message_stop"}


def _opening(block: Json) -> tuple[Json, Json]:
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


def _as_sse(events: Iterable[Json]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that server_close joins them

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End the connections on which an agent is silent, or their threads would wait for it for ever."""
        for connection in tuple(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path == "/v1/messages":
            self._answer_messages(json.loads(body))
        elif path == "/v1/messages/count_tokens":
            self._send_json(200, {"input_tokens": 10})
        else:
            self._send_not_found()

    def do_GET(self) -> None:
        self._send_not_found()

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", b"")

    def log_message(self, *_: object) -> None:
        """Say nothing: what was asked is in `requests`."""

    def _answer_messages(self, request: Json) -> None:
        try:
            message = self.server.model.answer(request)
        except Exception as error:  # any flaw of a test's own turn; raised again when the model is left
            error_body = {"type": "invalid_request_error", "message": f"broken turn: {error!r}"}
            self._send_json(400, {"type": "error", "error": error_body})
            return
        if request.get("stream"):
            self._send(200, "text/event-stream", _as_sse(_stream(message)))
        else:
            self._send_json(200, message)

    def _send_not_found(self) -> None:
        self._send_json(404, {"type": "error", "error": {"type": "not_found_error", "message": self.path}})

    def _send_json(self, status: int, document: Json) -> None:
        self._send(status, "application/json", json.dumps(document).encode())

    def _send(self, status: int, content_type: str, body: bytes) -> None:
        with suppress(ConnectionError):  # an agent that is being stopped need not listen
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
