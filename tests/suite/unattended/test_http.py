"""A server behind a URL."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from suite.unattended.bed import call


class Web:
    """A running server."""

    def __init__(self, process):
        self.heard = process.stdout
        self.url = f"http://127.0.0.1:{self.heard.readline().strip()}/mcp"


@pytest.fixture
def web():
    command = [sys.executable, str(Path(__file__).with_name("web_server.py"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield Web(process)
        process.kill()


def test_streamable_http(bed, web):
    """Its headers are sent, and are in no report."""
    bed.suite(
        {"id": "a", "call": call("shout", "web", text="hi"), "expect": [{"equals": "HI sesame"}]},
        {"id": "b", "action": "Call shout with text: 12", "expect": [{"equals": "12 sesame"}]},
        servers={"web": {"type": "http", "url": web.url, "headers": {"X-Door": "sesame"}}},
    )
    came = bed.run()
    assert came.statuses == {"a": "pass", "b": "pass"}
    assert "sesame" not in (came.path / "report.json").read_text()


def test_ctrl_c_does_not_wait_for_a_server_behind_a_url(bed, web):
    """It is no child that could be ended; the run ends without its answer."""
    bed.suite({"id": "a", "call": call("shout", "web", text="wait"), "timeout": 600}, servers={"web": {"url": web.url}})
    process = bed.start("run")
    assert web.heard.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err, bed.report()["results"][0]["status"]) == (130, "", "not run")


def test_a_web_server_that_answers_in_place_of_the_tool_fails_one_test(bed, web):
    """Whatever is expected of errors: the tool did not run. The next test meets a new connection."""
    wrong = {
        "500": "The server answered with HTTP status 500 Internal Server Error",
        "page": "The server answered with text/html, not with a message",
        "empty": "The server answered with nothing, not with a message",
        "drop": "The server cannot be talked to: ",
    }
    tests = [
        ({"id": text, "call": call("shout", "web", text=text), "expect": [{"tool_error": True}], "timeout": 5},
         {"id": f"after_{text}", "call": call("shout", "web", text="hi"), "expect": [{"contains": "HI"}]})
        for text in wrong
    ]  # fmt: skip
    bed.suite(*(one for pair in tests for one in pair), servers={"web": {"url": web.url}})
    done = bed.start("run")
    _, err = done.communicate(timeout=60)
    rows = {row["id"]: row for row in bed.report()["results"]}
    for text, why in wrong.items():
        assert rows[text]["status"] == "fail" and rows[text]["failures"][0].startswith(why), rows[text]
        assert rows[f"after_{text}"]["status"] == "pass", rows[f"after_{text}"]
    assert (done.returncode, err) == (1, "")
