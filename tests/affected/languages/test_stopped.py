"""Runs that we stop at the deadline: what a runner says because of it fails nothing; a test that failed before does."""

from __future__ import annotations

import json
import sys

import pytest

from hookwright.affected.contract import Failure, Report, Runner
from hookwright.affected.gotest import read_report
from hookwright.affected.javascript.reports import read_jest, read_node
from hookwright.affected.languages import csharp, dart, rust, swift
from hookwright.affected.message import message
from hookwright.affected.verdict import before_the_end, judged
from hookwright.output import Captured
from hookwright.process import Outcome

ROOT = "/nowhere"
KILLED = "signal: terminated"


def stopped(stdout: str = "", stderr: str = "") -> Outcome:
    streams = Captured(1 << 20), Captured(1 << 20)
    streams[0].take(stdout.encode())
    streams[1].take(stderr.encode())
    return Outcome(None, streams, 4.0, 4000)


def go(failed: bool) -> Report:
    test = {"Package": "shop/till", "Test": "TestPay"}
    events = [{"Action": "run", **test}, {"Action": "fail", **test}] if failed else [{"Action": "run", **test}]
    events += [{"Action": "output", "Package": "shop/till", "Output": f"{KILLED}\n"}]
    events += [{"Action": "fail", "Package": "shop/till"}, {"Action": "fail", "Package": "shop/unbuilt"}]
    return _go("\n".join(map(json.dumps, events)))


def _go(stream: str) -> Report:
    class Shop:
        root = ROOT

    return read_report(Shop, Runner("go test", ("go",)), stopped(stream))


def cargo(failed: bool) -> Report:
    ended = "test tests::sum ... FAILED\n" if failed else ""
    said = f'{{"reason":"build-finished","success":true}}\nrunning 2 tests\n{ended}'
    return _rust("cargo test", stopped(said, f"error: test failed, to rerun pass `-p till`\n{KILLED}"))


def cargo_while_compiling(failed: bool) -> Report:
    return _rust("cargo test", stopped('{"reason":"build-finished","success":false}\n' if not failed else FAILED_TEST))


FAILED_TEST = '{"reason":"build-finished","success":true}\nrunning 1 test\ntest sum ... FAILED\n'


def _rust(name: str, outcome: Outcome) -> Report:
    class Shop:
        root, command = ROOT, ()

        @staticmethod
        def file(_name: str) -> str:
            return f"{ROOT}/no file"

    return rust.report(Shop, Runner(name, ("cargo",), {"workspace": ROOT}), None, outcome)


def jest(failed: bool) -> Report:
    test = {"status": "failed" if failed else "passed", "title": "pay", "failureMessages": ["Error: no"]}
    killed = "A jest worker process (pid=7) was terminated by another process: signal=SIGTERM, exitCode=null."
    suites = [
        {"name": f"{ROOT}/a.test.js", "status": "failed", "message": killed, "assertionResults": [test]},
        {"name": f"{ROOT}/b.test.js", "status": "failed", "message": killed, "assertionResults": []},
    ]
    return read_jest(json.dumps({"testResults": suites}), ROOT)


def node(failed: bool) -> Report:
    fault = '<failure type="testCodeFailure" message="no">Error: no</failure>' if failed else ""
    return read_node(f'<testsuites><testcase name="pay" classname="test">{fault}</testcase></testsuites>', ROOT)


def dotnet(failed: bool) -> Report:
    ended = f'<UnitTestResult testName="Pay" outcome="{"Failed" if failed else "Passed"}"/>'
    aborted = '<UnitTestResult testName="Slow" outcome="Aborted"/><UnitTestResult testName="Late" outcome="Timeout"/>'
    told = f'<TestRun><Results>{ended}{aborted}</Results><ResultSummary outcome="Aborted"/></TestRun>'
    return csharp.read_trx([told], ROOT, stopped=True)


def swift_test(failed: bool) -> Report:
    told = '<testsuites><testcase classname="T.Till" name="testPay"><failure message="failed"/></testcase></testsuites>'
    said = f"{ROOT}/Till.swift:3: error: Till.testPay : XCTAssertEqual failed" if failed else ""
    return swift.read_xunit([told], said, ROOT, stopped=True)


def dart_test(failed: bool) -> Report:
    done = {"type": "testDone", "testID": 1, "result": "failure" if failed else "success"}
    loading = {"type": "testDone", "testID": 2, "result": "error"}
    events = [{"type": "start"}, {"type": "testStart", "test": {"id": 1, "name": "pay"}}, done]
    events += [{"type": "testStart", "test": {"id": 2, "name": "loading b_test.dart"}}, loading]
    return dart.read_events("\n".join(map(json.dumps, [*events, {"type": "done", "success": None}])), ROOT)


@pytest.mark.parametrize(
    "report",
    [go, cargo, cargo_while_compiling, jest, node, dotnet, swift_test, dart_test],
    ids=lambda each: each.__name__,
)
@pytest.mark.parametrize(("failed", "word"), [(False, "timeout"), (True, "failed")])
def test_only_tests_that_ended_count(report, failed, word):
    """Packages, workers, compilers and tests that a signal ended say nothing about the code."""
    told = before_the_end(report(failed))
    assert (judged(told, stopped(), "x")[0], len(told.failures), told.broken) == (word, int(failed), [])


def test_what_a_compiler_said_before(tmp_path):
    """A place in a file is the compiler's own word: it is kept, and the run is a timeout all the same."""
    fault = Failure("price", ("no such name",), "price.go:3")
    told = before_the_end(Report(broken=[fault, Failure("till")], found=True))
    assert (told.broken, judged(told, stopped(), "go test")[0]) == ([fault], "timeout")


# A go that is slower to die than its tests, as the real one is on a busy machine.
SLOW_GO = """#!{python} -IS
import json, os, signal, sys, time
def say(**event):
    print(json.dumps(event), flush=True)
if sys.argv[1] == "list":
    say(ImportPath="shop/till", Dir=os.getcwd() + "/till", TestGoFiles=["till_test.go"])
    sys.exit()
def die(*_):
    say(Action="output", Package="shop/till", Output="signal: terminated\\n")
    say(Action="fail", Package="shop/till")
    sys.exit(1)
signal.signal(signal.SIGTERM, die)
say(Action="run", Package="shop/till", Test="TestPay")
time.sleep(60)
"""
# nextest gives our signal to each test, and has the time to report them.
NEXTEST = """#!{python} -IS
import re, signal, sys, time
settings = sys.argv[sys.argv.index("--tool-config-file") + 1].removeprefix("hookwright:")
output = re.search("'''(.+)'''", open(settings).read())[1]
def die(*_):
    open(output, "w").write('''<testsuites><testsuite name="till">
<testcase name="sums" classname="till"></testcase>
<testcase name="pay" classname="till"><failure type="test abort">(test aborted with signal 15)</failure></testcase>
</testsuite></testsuites>''')
    sys.exit(100)
signal.signal(signal.SIGTERM, die)
time.sleep(60)
"""
METADATA = """#!{python} -IS
import json, os, sys
if sys.argv[1] == "metadata":
    package = {{"name": "till", "manifest_path": os.getcwd() + "/till/Cargo.toml", "dependencies": []}}
    print(json.dumps({{"workspace_root": os.getcwd(), "packages": [package]}}))
else:
    os.execv(os.path.dirname(sys.argv[0]) + "/cargo-nextest", sys.argv)
"""


@pytest.mark.parametrize(
    ("folder", "programs", "edited", "runner"),
    [
        ("go", {"go": SLOW_GO}, "till/till.go", "go test"),
        ("rust", {"cargo": METADATA, "cargo-nextest": NEXTEST}, "till/src/lib.rs", "cargo nextest"),
    ],
    ids=["go", "nextest"],
)
def test_runner_that_speaks_while_it_dies(workshop, monkeypatch, tmp_path, folder, programs, edited, runner):
    """What it reports of our signal is a timeout, not a failure."""
    (tmp_path / "bin").mkdir()
    for name, text in programs.items():
        (tmp_path / "bin" / name).write_text(text.format(python=sys.executable))
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    verdict = workshop(folder, folder).edited(edited, budget=2)
    assert (verdict.word, verdict.runner, verdict.cut_off) == ("timeout", runner, True), message(verdict)
    assert message(verdict).startswith("⏱️ Test execution timeout (2s exceeded)")
