"""An MCP server that does what servers should not: each tool is one way to go wrong. `python bad_server.py`."""

import json
import os
import signal
import sys
import time

GARBAGE = "x" * 200


def reply(id, result):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)


def text(words):
    return {"content": [{"type": "text", "text": words}], "isError": False}


def crash(id, arguments):
    print("about to die: token=abcdef123456", file=sys.stderr, flush=True)
    os._exit(7)


def killed(id, arguments):
    os.kill(os.getpid(), signal.SIGKILL)


def hang(id, arguments):
    print("thinking ...", file=sys.stderr, flush=True)
    time.sleep(600)


def malformed(id, arguments):
    print('{"jsonrpc": "2.0", "id": 3, "result": ', flush=True)


def wrong_shape(id, arguments):
    reply(id, {"content": "not a list"})


def stray_lines(id, arguments):
    print("Server is up!\nand chatty", flush=True)
    reply(id, text("ok"))


def flood(id, arguments):
    while True:
        print(GARBAGE, flush=True)


def endless_line(id, arguments):
    while True:
        sys.stdout.write(GARBAGE * 1000)


def noisy(id, arguments):
    for _ in range(int(arguments.get("mb", 1)) * 16):
        os.write(2, b"e" * 65535 + b"\n")
    print("the last word", file=sys.stderr, flush=True)
    reply(id, text("ok"))


def refuse(id, arguments):
    error = {"code": -32602, "message": "no such thing"}
    print(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}), flush=True)


def twice(id, arguments):
    reply(id, text("first"))
    reply(id, text("second"))


def empty(id, arguments):
    reply(id, {"content": []})


def pid(id, arguments):
    reply(id, text(f"pid: {os.getpid()}"))


def env(id, arguments):
    reply(id, text(f"the value is {os.environ.get(arguments['name'])}"))


def structured(id, arguments):
    reply(id, {**text("no JSON here"), "structuredContent": {"title": "Milk", "count": 2}})


def flaky(id, arguments):
    """Fails until a file has grown to so many bytes."""
    with open(arguments["file"], "a") as file:
        file.write("x")
        size = file.tell()
    reply(id, text("good" if size >= arguments["after"] else "bad"))


def first_call(id, arguments):
    """Only the first call of a server is good."""
    first_call.seen = getattr(first_call, "seen", 0) + 1
    reply(id, text(f"call {first_call.seen}"))


TOOLS = {
    name: tool
    for name, tool in list(globals().items())
    if callable(tool) and name not in ("reply", "text") and getattr(tool, "__module__", "") == "__main__"
}


def main():
    if "stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "mute" in sys.argv:
        time.sleep(600)
    if "early" in sys.argv:
        sys.exit("cannot start: no database")
    for line in sys.stdin:
        message = json.loads(line)
        method, id = message.get("method"), message.get("id")
        if id is None:
            continue
        if method == "initialize":
            about = {"name": "bad", "version": "1"}
            reply(id, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about})
        elif method == "tools/list":
            schema = {"type": "object", "properties": {}}
            reply(id, {"tools": [{"name": name, "inputSchema": schema} for name in TOOLS]})
        elif method == "tools/call":
            TOOLS[message["params"]["name"]](id, message["params"].get("arguments") or {})
        else:
            reply(id, {})
    if "stubborn" in sys.argv:
        time.sleep(600)


main()
