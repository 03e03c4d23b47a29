"""Runs under way: side by side, seen in a terminal, ended by Ctrl-C."""

import contextlib
import os
import pty
import signal
import subprocess
import time

import pytest
from suite.unattended.bed import BAD_SERVER, call, echo

FAILS = {"expect": [{"contains": "nothing of the kind"}]}


def test_jobs_run_side_by_side(bed):
    """Two servers, two lanes, the same report; --isolate gives each test a server of its own."""
    tests = [{"id": f"t{n}", "call": call("pid"), "expect": [{"contains": "pid"}]} for n in range(6)]
    bed.suite(*tests)
    for options, servers in (({}, {1}), ({"jobs": 2}, {1, 2}), ({"isolate": True}, {6})):
        came = bed.run(**options)
        assert came.code == 0 and list(came.statuses) == [f"t{n}" for n in range(6)]
        assert len({row["calls"][0]["result"] for row in came.report["results"]}) in servers


HANGS = {"id": "hang", "call": call("hang"), "timeout": 60}


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_every_child_and_writes_the_report(bed, times):
    """Once kindly, twice at once; what was under way is not run, and the exit code says that it was interrupted."""
    stubborn = {**BAD_SERVER, "args": [*BAD_SERVER["args"], "stubborn"]}
    bed.suite(pid("one"), HANGS, echo("never"), servers={"bad": stubborn, "demo": BAD_SERVER})
    process = bed.start("run", "--junit", "j.xml")
    server = _server_of(process)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "The run was ended before it was done." in out and err == ""
    statuses = {row["id"]: row["status"] for row in bed.report()["results"]}
    assert statuses == {"one": "pass", "hang": "not run", "never": "not run"}
    assert bed.report()["mode"] == "aborted" and (bed.folder / "j.xml").exists()
    assert _is_gone(server)


def test_kill_9_leaves_no_server(bed):
    """Not even one that ignores the end of its input: a guard outlives the run for this alone."""
    stubborn = {**BAD_SERVER, "args": [*BAD_SERVER["args"], "stubborn"]}
    bed.suite(pid("one"), HANGS, servers={"bad": stubborn})
    process = bed.start("run")
    server = _server_of(process)
    process.kill()
    process.communicate()
    assert _is_gone(server)


def pid(name):
    """A test whose failure shows the server's process id."""
    return {"id": name, "call": call("pid"), "before": f"echo {name} > began"} | {"expect": [{"contains": "pid"}]}


def _server_of(process):
    """The server of a run whose first test is done: a child that is neither the guard nor a command."""
    assert process.stdout.readline().startswith("✅ PASS one")
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return next(int(own) for own, parent, args in rows if int(parent) == process.pid and "bad_server.py" in args)


def _is_gone(pid):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_nobody_needs_to_listen(bed):
    """`suite run | head`: the run goes on to its end, and its exit code is the verdict."""
    bed.suite(echo("a"), echo("b"), echo("c", **FAILS))
    process = bed.start("run")
    assert process.stdout.readline().startswith("✅ PASS a")
    process.stdout.close()
    assert process.wait(timeout=60) == 1
    assert process.stderr.read() == ""
    process.stderr.close()
    assert [row["status"] for row in bed.report()["results"]] == ["pass", "pass", "fail"]


def test_a_terminal_sees_what_is_under_way(bed):
    """Redrawn in one line, taken away for each verdict; the same run writes plain lines to a file."""
    bed.suite(echo("a"), {"id": "slow", "call": call("wait", "demo", ms=700)})
    leader, follower = pty.openpty()
    env = {key: value for key, value in bed.env.items() if key != "CI"} | {"TERM": "xterm", "COLUMNS": "60"}
    process = subprocess.Popen(bed.command("run"), cwd=bed.folder, env=env, stdout=follower, stderr=follower)
    os.close(follower)
    seen = b""
    with contextlib.suppress(OSError):  # what a terminal says when nobody is left
        while piece := os.read(leader, 4096):
            seen += piece
    os.close(leader)
    assert process.wait(timeout=60) == 0
    text = seen.decode()
    assert "\r\x1b[K[1/2] 1 passed  | slow " in text
    assert "\r\x1b[K✅ PASS slow (" in text
    assert text.rstrip().splitlines()[-1].startswith("Evidence: ")


def test_secrets_are_not_shown_either(bed):
    """What is printed ends up in CI logs."""
    env = {"MY_TOKEN": "sesame-open"}
    bed.suite(
        {"id": "a", "call": call("env", name="MY_TOKEN"), "expect": [{"equals": "x"}]},
        servers={"bad": {**BAD_SERVER, "env": env}},
    )
    came = bed.run()
    assert "got 'the value is ***'" in came.out and "sesame" not in came.out


def test_ctrl_c_while_servers_are_being_ended(bed):
    """After the last test a stubborn server takes its time; an impatient person still gets the report."""
    stubborn = {**BAD_SERVER, "args": [*BAD_SERVER["args"], "stubborn"]}
    bed.suite(pid("one"), servers={"bad": stubborn})
    process = bed.start("run")
    server = _server_of(process)
    time.sleep(0.5)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    out, err = process.communicate(timeout=60)
    assert (err, bed.report()["results"][0]["status"]) == ("", "pass")
    assert process.returncode == 130 and "Total: 1 | Passed: 1" in out
    assert _is_gone(server)
