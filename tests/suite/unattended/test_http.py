"""A server behind a URL."""

import signal
import subprocess
import sys

from suite.unattended.bed import call

HTTP_SERVER = """
import json
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": "1"}},
            "tools/list": {"tools": [{"name": "shout", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}]},
        }
        if message.get("method") == "tools/call" and message["params"]["arguments"]["text"] == "wait":
            import time
            print("waiting", flush=True)
            time.sleep(600)
        if message.get("method") == "tools/call":
            words = message["params"]["arguments"]["text"].upper() + " " + str(self.headers["X-Door"])
            results["tools/call"] = {"content": [{"type": "text", "text": words}], "isError": False}
        body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": results.get(message["method"], {})}).encode()
        self.send_response(200 if "id" in message else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if "id" in message else 0))
        self.end_headers()
        if "id" in message:
            self.wfile.write(body)
    def do_GET(self):
        self.send_error(405)
    do_DELETE = do_GET
    def log_message(self, *args): ...

server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_streamable_http(bed):
    """A server behind a URL, with headers; a dead one fails its tests only."""
    server = subprocess.Popen([sys.executable, "-c", HTTP_SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        bed.suite(
            {"id": "a", "call": call("shout", "web", text="hi"), "expect": [{"equals": "HI sesame"}]},
            {"id": "b", "action": "Call shout with text: 12", "expect": [{"equals": "12 sesame"}]},
            servers={"web": {"type": "http", "url": f"http://127.0.0.1:{port}/mcp", "headers": {"X-Door": "sesame"}}},
        )
        came = bed.run()
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    assert came.statuses == {"a": "pass", "b": "pass"}
    assert "sesame" not in (came.path / "report.json").read_text()


def test_ctrl_c_does_not_wait_for_a_server_behind_a_url(bed):
    """It is no child that could be ended; the run ends without its answer."""
    server = subprocess.Popen([sys.executable, "-c", HTTP_SERVER], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/mcp"
        bed.suite({"id": "a", "call": call("shout", "web", text="wait"), "timeout": 600}, servers={"web": {"url": url}})
        process = bed.start("run")
        assert server.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    assert (process.returncode, err, bed.report()["results"][0]["status"]) == (130, "", "not run")
