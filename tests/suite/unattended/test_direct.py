"""Direct runs against servers that go wrong: one failed test with the evidence, and the run goes on."""

import os
import subprocess
import sys
import time

import pytest
from suite.unattended.bed import BAD_SERVER, DEMO_SERVER, call, echo

AFTER = {"id": "after", "call": call("stray_lines"), "expect": [{"contains": "ok"}]}


@pytest.mark.parametrize(
    ("tool", "why", "noise"),
    [
        ("crash", "The server ended with exit code 7 before it answered", "stderr: about to die: token=***"),
        ("killed", "The server was killed by signal 9 before it answered", None),
        ("hang", "The server bad did not answer the call of hang within 1 s", "stderr: thinking ..."),
        ("malformed", "The server's reply is not valid JSON-RPC: {", None),
        ("wrong_shape", "The server's answer is not as it should be: ", None),
        ("flood", "The server wrote over 1,000 lines to stdout that are no messages", "stdout: xxx"),
        ("endless_line", "The server wrote a line of over 16 MB", None),
    ],
)
def test_a_server_that_breaks_down_fails_one_test(bed, tool, why, noise):
    """The reason and what the server last wrote are kept, and the next test meets a new server."""
    bed.suite({"id": "broken", "call": call(tool), "timeout": 1 if tool == "hang" else 20}, AFTER)
    came = bed.run()
    row = came.row("broken")
    assert (came.code, came.statuses) == (1, {"broken": "fail", "after": "pass"})
    assert row["failures"][0].startswith(why) and len(row["failures"]) == 1
    assert (row["noise"] or "").startswith(noise or "")


def test_noise_is_no_fault(bed):
    """Lines on stdout that are no messages, and megabytes on stderr, are kept as the beginning and the end of them."""
    bed.suite(AFTER, {"id": "noisy", "call": call("noisy", mb=20), "expect": [{"contains": "ok"}]})
    came = bed.run()
    assert came.code == 0
    assert came.row("after")["noise"] == "stdout: Server is up!\nstdout: and chatty"
    assert came.row("noisy")["noise"].endswith("the last word")
    assert sum(file.stat().st_size for file in came.path.iterdir()) < 100_000


@pytest.mark.parametrize(
    ("server", "why"),
    [
        (
            {**BAD_SERVER, "args": [*BAD_SERVER["args"], "early"]},
            "The server ended with exit code 1 before it answered",
        ),
        ({"command": "no-such-program"}, "The server cannot be started: No such file or directory: no-such-program"),
        ({**BAD_SERVER, "args": [*BAD_SERVER["args"], "mute"]}, "The server bad did not shake hands within 1 s"),
        ({"type": "http", "url": "http://127.0.0.1:9/mcp"}, "The server cannot be talked to: "),
    ],
)
def test_a_server_that_does_not_start_fails_its_tests_only(bed, server, why):
    """The tests of other servers run."""
    bed.suite({"id": "a", "call": call("pid"), "timeout": 1}, echo("b"), servers={"bad": server, "demo": DEMO_SERVER})
    came = bed.run()
    assert came.statuses == {"a": "fail", "b": "pass"}
    assert came.row("a")["failures"][0].startswith(why)


def test_a_failed_call_cannot_pass_unseen(bed):
    """Refused by the protocol, or answered with `isError`: the test must say what it expects of the error."""
    bed.suite(
        {"id": "refused", "call": call("refuse"), "expect": [{"not_contains": "x"}]},
        {"id": "expected", "call": call("refuse"), "expect": [{"tool_error": "no such thing"}]},
        {"id": "said", "call": call("refuse"), "expect": [{"contains": "no such thing"}]},
        {"id": "unknown", "call": call("nonesuch", "demo"), "expect": [{"not_contains": "x"}]},
        {"id": "failed", "call": call("fail", "demo", message="boom"), "expect": [{"tool_error": "boom"}]},
        {"id": "nothing_expected", "call": call("create_note", "demo")},
        {"id": "empty_list", "call": call("fail", "demo", message="boom"), "expect": []},
        {"id": "unrelated", "call": call("fail", "demo", message="boom"), "expect": [{"not_contains": "x"}]},
        {"id": "its_shape", "call": call("fail", "demo", message="boom"), "expect": [{"json_path": "$.content"}]},
    )
    came = bed.run()
    passed = ["expected", "said", "failed"]
    assert came.statuses == {row["id"]: "pass" if row["id"] in passed else "fail" for row in came.report["results"]}
    assert came.row("refused")["failures"] == ["The server refused the call: no such thing"]
    assert came.row("nothing_expected")["failures"] == ["The tool failed: create_note needs title."]


def test_a_second_answer_is_not_judged(bed):
    """Neither for its own test nor for the next, whose own answer may well be empty."""
    bed.suite(
        {"id": "twice", "call": call("twice"), "expect": [{"equals": "first"}]},
        {"id": "next", "call": call("empty"), "expect": [{"not_contains": "second"}, {"not": {"min_length": 1}}]},
        {"id": "needs", "call": call("pid"), "expect": [{"regex": "^pid: "}], "depends_on": "next"},
    )
    assert bed.run().statuses == {"twice": "pass", "next": "pass", "needs": "pass"}


def test_expectations_see_the_structured_result(bed):
    """JSONPath and saved variables find what only the structured content has."""
    bed.suite(
        {
            "id": "a",
            "call": call("structured"),
            "expect": [{"json_path": {"path": "$.title", "equals": "Milk"}}, {"equals": {"title": "Milk", "count": 2}}],
            "save_as": {"count": "$.count"},
        },
        {
            "id": "b",
            "action": "Call echo with text: ${count}",
            "expect": [{"equals": "2"}, {"tool_args": {"text": "2"}}],
        },
    )
    came = bed.run()
    assert came.statuses == {"a": "pass", "b": "pass"}
    assert came.row("b")["action"] == "Call echo with text: 2"  # a report has the variables of that moment


def test_prose_is_skipped_and_nothing_run_is_no_success(bed):
    """With the reason; a run in which nothing ran could not do its work."""
    bed.suite(
        {"id": "a", "action": "Say hello"},
        {"id": "b", "call": call("pid"), "expect": [{"contains": "x", "on": "answer"}]},
    )
    came = bed.run()
    assert (came.code, came.statuses) == (3, {"a": "skip", "b": "skip"})
    assert came.row("a")["failures"][0].startswith("Has only a prose action")
    assert came.row("b")["failures"] == ["Expects something of the agent's answer; a direct run has no agent"]
    assert came.told[-1] == "No test ran: all of them were skipped."


def test_commands_variables_dependencies_and_retries(bed, tmp_path):
    """As in a conversation: `before` can fail a test, variables reach commands, a failed test is tried again."""
    bed.suite(
        {"id": "create", "call": call("create_note", "demo", title="Milk"), "save": {"note": r"ID: (\S+)"}},
        {"id": "get", "call": call("get_note", "demo", id="${note}"), "expect": [{"json_path": {"path": "$.title", "equals": "Milk"}}],
         "depends_on": ["create"], "before": 'echo "$HOOKWRIGHT_TEST_ID $HOOKWRIGHT_VAR_note" > seen', "after": "rm missing"},
        {"id": "not_ready", "call": call("pid"), "before": "echo no database >&2; exit 4"},
        {"id": "needs_it", "call": call("pid"), "depends_on": "not_ready"},
        {"id": "saves_nothing", "call": call("pid"), "save": {"none": "nothing like this"}},
        {"id": "flaky", "call": call("flaky", file=str(tmp_path / "f"), after=3), "expect": [{"contains": "good"}], "retries": 3},
    )  # fmt: skip
    came = bed.run()
    verdicts = {"create": "pass", "get": "pass", "not_ready": "fail", "needs_it": "skip"}
    assert came.statuses == {**verdicts, "saves_nothing": "pass", "flaky": "pass"}
    assert "    not saved: 'none' (nothing in the response fits)\n" in came.out
    assert (bed.folder / "seen").read_text() == "get note-0001\n"
    assert "rm:" in came.row("get")["after"]
    assert came.row("not_ready")["failures"] == ["Before the test: exit code 4: no database"]
    assert came.row("flaky")["attempts"] == 3


def test_without_the_sdk_the_command_to_get_it_is_told(bed):
    """And the exit code says that nothing was done."""
    bed.suite(echo("a"))
    code = "import sys; sys.modules['mcp'] = None; from hookwright.cli import main; sys.exit(main(['suite', 'run']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=bed.folder, env=bed.env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert "pip install 'hookwright[mcp]'" in done.stderr


def test_servers_are_gone_after_the_run(bed):
    """Also one that ignores the end of its input and SIGTERM."""
    stubborn = {**BAD_SERVER, "args": [*BAD_SERVER["args"], "stubborn"]}
    bed.suite({"id": "a", "call": call("pid"), "save": {"pid": r"pid: (\d+)"}}, servers={"bad": stubborn})
    text = bed.run().row("a")["calls"][0]["result"]
    with pytest.raises(ProcessLookupError):
        _wait_gone(int(text.removeprefix("pid: ")))


def _wait_gone(pid):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        os.kill(pid, 0)
        time.sleep(0.05)


def test_a_call_without_a_server_means_the_one_that_has_the_tool(bed):
    """A broken server beside it is none of its business; a tool that two have, or none, is told."""
    broken = {"command": "no-such-program"}
    bed.suite(
        {"id": "one", "action": "Call list_notes", "expect": [{"contains": "count"}]},
        {"id": "two", "action": "Call first_call"},
        {"id": "none", "action": "Call dance_a_waltz"},
        servers={"broken": broken, "bad": BAD_SERVER, "worse": BAD_SERVER, "demo": DEMO_SERVER},
    )
    came = bed.run()
    assert came.statuses == {"one": "pass", "two": "fail", "none": "fail"}
    assert came.row("two")["failures"] == ["bad and worse have a tool first_call; name the server in `call`"]
    assert came.row("none")["failures"][0].startswith("none of the servers (broken, bad, worse, demo) has a tool")
