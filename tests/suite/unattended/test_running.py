"""Runs as a whole: exit codes, rounds, baselines, shards, order, and how they end."""

import contextlib
import io
import json
import os
import pty
import signal
import subprocess
import time

import pytest
from suite.unattended.bed import BAD_SERVER, call, echo

from hookwright.errors import Misuse, Refusal

FAILS = {"expect": [{"contains": "nothing of the kind"}]}


def test_exit_codes_and_reports(bed):
    """0 all passed, 1 some failed; every form that was asked for is there, the markdown beside the suite."""
    bed.suite(echo("a", tags=["smoke"], category="x"), echo("b", **FAILS))
    files = {form: str(bed.folder / f"out.{form}") for form in ("junit", "html", "json")}
    came = bed.run(**files)
    assert (came.code, came.statuses) == (1, {"a": "pass", "b": "fail"})
    assert "✅ PASS a (" in came.out and "❌ FAIL b (" in came.out and "    Missing: 'nothing of the kind'" in came.out
    assert json.loads((bed.folder / "out.json").read_text()) == came.report
    assert "Total:** 2" in (bed.file.parent / "report.md").read_text()
    assert bed.run(tag="smoke").code == bed.run(category="x").code == bed.run(id=["a"]).code == 0
    assert "\x1b" not in came.out and "\r" not in came.out  # no terminal, no drawing


def test_what_cannot_begin_says_why(bed):
    """Before anything runs: filters, shards, outputs, baselines."""
    bed.suite(echo("a"))
    wrong = bed.folder / "wrong.json"
    wrong.write_text('{"tests": []}')
    for options, why in (
        ({"id": ["z"]}, "no test of .*tests.json has id 'z'"),
        ({"baseline": "nowhere.json"}, "there is no nowhere.json."),
        ({"baseline": str(wrong)}, "is not a report of a suite; `hookwright suite run --json FILE` writes one"),
        ({"baseline": str(bed.file.parent)}, "report.json"),
        ({"junit": "no/such/folder/j.xml"}, "--junit no/such/folder/j.xml: there is no folder"),
        ({"suite": "none.yaml"}, "there is no suite"),
        ({"mcp_config": "none.json"}, "there is no none.json"),
    ):
        with pytest.raises(Refusal, match=why):
            bed.run(**options)
    for shard in ("0/2", "3/2", "x", "1/0", "-1/2"):
        with pytest.raises(Misuse, match="--shard takes K/N"):
            bed.run(shard=shard)
    assert not (bed.folder / ".hookwright").exists()


def test_rounds_are_independent_and_counted(bed, tmp_path):
    """Each round has new servers and variables; pass@k and pass^k come from what each test did in each."""
    bed.suite(
        {"id": "fresh", "call": call("first_call"), "expect": [{"equals": "call 1"}]},
        {"id": "flaky", "call": call("flaky", file=str(tmp_path / "f"), after=2), "expect": [{"contains": "good"}]},
    )
    came = bed.run(repeat=3)
    assert (came.code, came.statuses) == (1, {"fresh": "pass", "flaky": "fail"})
    assert came.row("flaky")["rounds"] == ["fail", "pass", "pass"]
    assert came.row("flaky")["failures"] == ["Passed 2 of 3 rounds", "Round 1: Missing: 'good'"]
    assert came.row("flaky")["repeats"]["pass_at"] == {"1": 0.6667, "2": 1.0, "3": 1.0}
    assert came.row("flaky")["repeats"]["pass_all"] == {"1": 0.6667, "2": 0.3333, "3": 0.0}
    assert "| flaky | 2/3 | 67% | 100% | 100% | 67% | 33% | 0% |" in (came.path / "report.md").read_text()
    assert {path.name for path in came.path.glob("0002*")} == {"0002.jsonl", "0002-round-2.jsonl", "0002-round-3.jsonl"}


def test_a_baseline_forgives_what_failed_before(bed):
    """Only a test that did not fail then makes the run fail; it is named."""
    bed.suite(echo("good"), echo("known", **FAILS))
    base = str(bed.folder / "base.json")
    assert bed.run(json=base).code == 1
    came = bed.run(baseline=base, fail_fast=True)
    assert (came.code, came.statuses) == (0, {"good": "pass", "known": "fail"})
    assert "Against the baseline: 0 regressions, 1 known failures" in came.told
    bed.suite(echo("good", **FAILS), echo("known", **FAILS), echo("new", **FAILS))
    came = bed.run(baseline=base)
    assert came.code == 1 and "  regression: good" in came.told and "  regression: new" in came.told


def test_failed_runs_what_failed_last_and_what_it_needs(bed):
    """The latest verdict of each test counts; without an earlier run, or a failure, all tests run, and it is said."""
    create = {"id": "create", "call": call("create_note", "demo", title="x"), "save": {"note": r"ID: (\S+)"}}
    get = {"id": "get", "call": call("get_note", "demo", id="${note}"), **FAILS}
    bed.suite(create, get, echo("other"), echo("bad", **FAILS))
    came = bed.run(failed=True)
    assert (
        len(came.statuses) == 4 and came.told[0] == "--failed: no earlier run of this suite is kept, so all tests run"
    )
    assert bed.run(id=["other"]).code == 0
    assert list(bed.run(failed=True).statuses) == ["create", "get", "bad"]
    bed.suite(create, {**get, "expect": []}, echo("other"), echo("bad"))
    assert bed.run(failed=True).code == 0
    came = bed.run(failed=True)
    assert len(came.statuses) == 4 and came.told[0] == "--failed: nothing failed last, so all tests run"


def test_shards_are_the_whole(bed):
    """Every test is in exactly one shard, with those that it needs; an empty one is no failure."""
    bed.suite(echo("a"), echo("b", depends_on="a"), echo("c"), echo("d", depends_on=["b"]), echo("e"))
    seen = [name for shard in ("1/2", "2/2") for name in bed.run(shard=shard).statuses]
    assert sorted(seen) == ["a", "b", "c", "d", "e"]
    ending = bed.run(shard="3/3")
    assert (ending.code, list(ending.statuses)) == (0, ["e"])
    from hookwright.suite.unattended.options import Options
    from hookwright.suite.unattended.request import Request

    empty = Request(Options(shard="9/9"), str(bed.folder)).run(None)
    assert (empty.exit_code, empty.told) == (0, ["Shard 9/9 has no tests."])


def test_fail_fast_leaves_the_rest_not_run(bed):
    """Neither passed nor skipped."""
    bed.suite(echo("a"), echo("b", **FAILS), echo("c"))
    came = bed.run(fail_fast=True)
    assert (came.code, came.statuses) == (1, {"a": "pass", "b": "fail", "c": "not run"})
    assert 'message="not run: completed"' in (came.path / "report.xml").read_text()


def test_a_seed_mixes_the_order_always_alike(bed):
    """Another seed, another order; what depends on each other stays in order."""
    bed.suite(*[echo(f"t{n}") for n in range(8)], echo("last", depends_on="t0"))

    def order(seed):
        lines = bed.run(seed=seed).out.splitlines()
        return [line.split()[2] for line in lines if "PASS" in line]

    first = order(1)
    assert first == order(1) != order(2)
    assert first.index("t0") < first.index("last")


def test_jobs_run_side_by_side(bed):
    """Two servers, two lanes, the same report; --isolate gives each test a server of its own."""
    tests = [{"id": f"t{n}", "call": call("pid"), "expect": [{"contains": "pid"}]} for n in range(6)]
    bed.suite(*tests)
    for options, servers in (({}, {1}), ({"jobs": 2}, {1, 2}), ({"isolate": True}, {6})):
        came = bed.run(**options)
        assert came.code == 0 and list(came.statuses) == [f"t{n}" for n in range(6)]
        assert len({row["calls"][0]["result"] for row in came.report["results"]}) in servers


def test_the_evidence_has_a_limit(bed):
    """What is over it is not kept; verdicts are."""
    bed.suite(*[echo(f"t{n}", call=call("echo", "demo", text=f"t{n} " + "word " * 700)) for n in range(6)])
    came = bed.run(evidence_mb=0.01)
    kept = [row["id"] for row in came.report["results"] if row["calls"]]
    assert came.code == 0 and 0 < len(kept) < 6
    assert "not kept: the evidence of this run has reached" in came.row("t5")["noise"]


def test_a_read_only_project_is_tested_all_the_same(bed, monkeypatch):
    """The evidence goes to a temporary folder, and that is said."""
    bed.suite(echo("a"))
    (bed.folder / ".hookwright").write_text("in the way")
    from hookwright.suite.unattended.options import Options
    from hookwright.suite.unattended.request import Request

    ending = Request(Options(), str(bed.folder)).run(io.StringIO())
    note = next(line for line in ending.told if "nothing can be kept in" in line)
    assert ending.exit_code == 0 and os.path.exists(note.rpartition(" ")[2] + "/report.json")


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
    out, err = process.communicate(timeout=30)
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
    until = time.monotonic() + 10
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
    assert process.wait(timeout=30) == 1
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
    assert process.wait(timeout=30) == 0
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


def test_two_runs_at_once_keep_apart(bed):
    """Each has a folder of its own."""
    bed.suite(echo("a"))
    both = [bed.start("run"), bed.start("run")]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert len(list((bed.folder / ".hookwright/runs").glob("*/report.json"))) == 2


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
    out, err = process.communicate(timeout=30)
    assert (err, bed.report()["results"][0]["status"]) == ("", "pass")
    assert process.returncode == 130 and "Total: 1 | Passed: 1" in out
    assert _is_gone(server)


def test_a_conversation_that_is_on_is_not_forgotten(bed, run_cli):
    """However many runs go by."""
    bed.suite(echo("a"))
    run_cli("suite", "init")
    (on,) = (bed.folder / ".hookwright/runs").iterdir()
    for day in range(10, 32):
        (on.parent / f"2099-01-{day}T00-00-00Z").mkdir()
    bed.run(markdown=str(bed.folder / "r.md"))
    assert (on / "plan.jsonl").exists()
    assert run_cli("suite", "status").exit_code == 0
