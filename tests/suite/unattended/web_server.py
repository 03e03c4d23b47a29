"""An MCP server behind a URL that prints its port; some texts make it go wrong. `python web_server.py`."""

import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": "1"}}
SHOUT = {"name": "shout", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
RESULTS = {"initialize": ABOUT, "tools/list": {"tools": [SHOUT]}}


def send(handler, body=b"", kind="application/json", status=200):
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def wait(handler):
    print("waiting", flush=True)
    time.sleep(600)


WRONG = {
    "wait": wait,
    "500": lambda handler: handler.send_error(500),
    "page": lambda handler: send(handler, b"<html>", "text/html"),
    "empty": send,
    "drop": lambda handler: None,
}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            return send(self, status=202)
        result = RESULTS.get(message["method"], {})
        if message["method"] == "tools/call":
            text = message["params"]["arguments"]["text"]
            if text in WRONG:
                return WRONG[text](self)
            result = {
                "content": [{"type": "text", "text": f"{text.upper()} {self.headers['X-Door']}"}],
                "isError": False,
            }
        return send(self, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def do_GET(self):
        self.send_error(405)

    do_DELETE = do_GET

    def log_message(self, *args): ...


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
