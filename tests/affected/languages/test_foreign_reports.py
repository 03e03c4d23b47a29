"""Readers of reports: whatever a killed or strange tool left behind, and the ends that a test can come to."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.affected import junit
from hookwright.affected.contract import Report
from hookwright.affected.languages import csharp, dart, elixir, php, ruby, swift
from hookwright.affected.reading import not_run
from hookwright.affected.verdict import judged
from hookwright.output import Captured
from hookwright.process import Outcome

from .standins import RECORDED

ROOT = "/nowhere"
READERS = {
    "rspec": lambda text: ruby.read_rspec(text, ROOT),
    "minitest": lambda text: ruby.read_minitest(text, ROOT),
    "phpunit": lambda text: php.read_phpunit(text, ROOT),
    "mix": lambda text: elixir.read_exunit(text, ROOT),
    "swift": lambda text: swift.read_xunit([text], "", ROOT),
    "dart": lambda text: dart.read_events(text, ROOT),
    "flutter": lambda text: dart.read_events(text, ROOT),
    "dotnet": lambda text: csharp.read_trx([text], ROOT),
}
FILES = {"dart": "stdout", "flutter": "stdout", ("swift", "passing"): "report-swift-testing"}
RECORDINGS = {
    (folder, scene): (RECORDED / folder / scene / FILES.get((folder, scene), FILES.get(folder, "report"))).read_text(
        encoding="utf-8"
    )
    for folder in READERS
    for scene in ("passing", "failing")
}
ANYTHING = st.binary(max_size=400).map(lambda raw: raw.decode("utf-8", "replace"))
KEYS = st.sampled_from(
    [
        *("type", "test", "testID", "suite", "suiteID", "id", "name", "path", "result", "hidden", "skipped", "error"),
        *("stackTrace", "success", "examples", "summary", "status", "example_count", "exception", "backtrace"),
        *("message", "messages", "errors_outside_of_examples_count", "how", "said", "file", "line"),
    ]
)
ODD_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["start", "testDone", "error", "end", "failed", "x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


def outcome(code: int, stdout: str = "") -> Outcome:
    streams = Captured(1 << 20), Captured(1 << 20)
    streams[0].take(stdout.encode())
    return Outcome(code, streams, None, 0)


def word(report: Report, code: int = 0) -> str:
    return judged(report, outcome(code), "it")[0]


@pytest.mark.parametrize("folder", READERS)
@given(text=ANYTHING)
def test_any_text(folder, text):
    """No text makes a reader fail, and none that is no report makes a pass."""
    report = READERS[folder](text)
    assert report.failures == [] and (not report.found or word(report) == "error")


@pytest.mark.parametrize("folder", ["rspec", "minitest", "dart"])
@given(values=st.lists(ODD_JSON, max_size=6))
def test_any_json(folder, values):
    """Nor does JSON of any other shape."""
    READERS[folder]("\n".join(map(json.dumps, values)))
    READERS[folder](json.dumps({"summary": {"example_count": 1}, "examples": values, "messages": values}))


@pytest.mark.parametrize("folder", READERS)
@given(data=st.data())
def test_damaged_report(folder, data):
    """A real report with a piece cut out or put in is read, or refused."""
    text = RECORDINGS[folder, "failing"]
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 60)))
    READERS[folder](text[:begin] + data.draw(st.text(max_size=20)) + text[end:])


@pytest.mark.parametrize(("folder", "scene"), RECORDINGS)
@given(part=st.floats(0, 1, exclude_max=True))
def test_report_without_its_end(folder, scene, part):
    """What breaks off is no pass, wherever it does."""
    text = RECORDINGS[folder, scene].rstrip()
    report = READERS[folder](text[: int(len(text) * part)])
    assert not report.found or word(report) in ("error", "failed")


@pytest.mark.parametrize(("folder", "scene"), RECORDINGS)
def test_whole_report(folder, scene):
    """The report as it is."""
    report = READERS[folder](RECORDINGS[folder, scene])
    assert word(report, int(scene == "failing")) == {"passing": "passed", "failing": "failed"}[scene]


def test_suites_in_suites():
    """Suites may lie in one another deeper than our stack."""
    deep = "<testsuite>" * 3000 + '<testcase name="a"/>' + "</testsuite>" * 3000
    assert [case.name for case in junit.cases(deep)] == ["a"]


def test_encoding_of_its_own():
    """An encoding that nobody knows is no document."""
    assert junit.cases('<?xml version="1.0" encoding="klingon"?><testsuite/>') == []


def test_rspec_pending():
    examples = [
        {"status": status, "file_path": "./spec/a_spec.rb", "line_number": 1} for status in ("pending", "passed")
    ]
    report = ruby.read_rspec(json.dumps({"examples": examples, "summary": {"example_count": 2}}), ROOT)
    assert (report.passed, report.skipped, report.failures) == (1, 1, [])


def test_rspec_counts_more_failures_than_it_names():
    """The summary is believed, too."""
    told = {"examples": [{"status": "passed"}], "summary": {"example_count": 2, "failure_count": 1}}
    assert word(ruby.read_rspec(json.dumps(told), ROOT)) == "error"


def test_rspec_error_outside_of_examples():
    """A hook of the whole suite that fails is an error, though every example passed."""
    told = {
        "messages": ["\nAn error occurred in an `after(:suite)` hook.\nFailure/Error: raise\n# ./spec/a.rb:3:in `x'"],
        "examples": [{"status": "passed"}],
        "summary": {"example_count": 1, "errors_outside_of_examples_count": 1},
    }
    report = ruby.read_rspec(json.dumps(told), ROOT)
    assert (word(report, 1), report.broken[0].where) == ("error", "spec/a.rb:3")


def test_rspec_that_was_stopped():
    """The example that was running at the deadline has no status; without a deadline that is no pass either."""
    told = {"examples": [{"status": "passed"}, {"status": ""}], "summary": {"example_count": 2, "failure_count": 0}}
    report = ruby.read_rspec(json.dumps(told), ROOT)
    assert (report.passed, report.failures, word(report)) == (1, [], "error")
    streams = Captured(9), Captured(9)
    assert judged(report, Outcome(None, streams, 1, 0), "rspec") == ("timeout", "")


def test_minitest_skip():
    told = '{"how":"skipped","test":"a","said":"later"}\n{"how":"passed","test":"b"}\n{"how":"end"}\n'
    report = ruby.read_minitest(told, ROOT)
    assert (report.passed, report.skipped, word(report)) == (1, 1, "passed")


def test_phpunit_skipped_warned_and_erred():
    """PHPUnit tells an unexpected exception as an error, and a skipped test as such."""
    told = """<testsuites><testsuite name="x">
      <testcase name="testA" class="A" classname="A" file="/nowhere/A.php" line="3"><skipped/></testcase>
      <testcase name="testB" class="A" classname="Shop.A" file="/nowhere/A.php" line="7">
        <error type="RuntimeException">Shop\\A::testB
RuntimeException: no

/nowhere/src/B.php:4
/nowhere/A.php:9
</error></testcase></testsuite></testsuites>"""
    report = php.read_phpunit(told, ROOT)
    assert (report.skipped, report.passed) == (1, 0)
    failure = report.failures[0]
    assert (failure.test, failure.text, failure.where) == ("Shop\\A::testB", ("RuntimeException: no",), "A.php:9")


def exunit_line(how: str, *fields: str) -> str:
    return " ".join([how, *(base64.b64encode(field.encode()).decode() for field in fields)]) + "\n"


def test_exunit_excluded():
    told = exunit_line("skipped", "a", "t.exs", "1", "due to slow filter") + exunit_line(
        "passed", "b", "t.exs", "2", ""
    )
    report = elixir.read_exunit(told + "end\n", ROOT)
    assert (report.passed, report.skipped, word(report)) == (1, 1, "passed")


def test_newer_elixir_compile_error():
    """Since Elixir 1.15 the place stands below the words."""
    said = (
        '    error: undefined variable "nett"\n    │\n  2 │   def gross(net), do: nett * 2\n    │      ^^^^\n    │\n'
        "    └─ lib/shop/price.ex:2:23: Shop.Price.gross/1\n\n== Compilation error in file lib/shop/price.ex ==\n"
    )
    report = not_run(ROOT, "mix test", outcome(1, said), elixir.NEW_COMPLAINT)
    assert (report.problem, report.broken[0].where) == ("lib/shop/price.ex does not compile", "lib/shop/price.ex:2")
    assert report.broken[0].text == ('undefined variable "nett"',)


def events(*rows: dict) -> str:
    return "\n".join(map(json.dumps, [{"type": "start"}, *rows]))


STARTED = {"type": "testStart", "test": {"id": 3, "name": "late", "suiteID": 0}}
DONE = {"type": "testDone", "testID": 3, "result": "success", "hidden": False, "skipped": False}


def test_dart_failure_after_the_end():
    """A test that fails after it was done has failed."""
    late = {"type": "error", "testID": 3, "error": "oh no", "stackTrace": "", "isFailure": False}
    report = dart.read_events(events(STARTED, DONE, late, {"type": "done", "success": False}), ROOT)
    assert (report.passed, [failure.text for failure in report.failures]) == (0, [("oh no",)])


def test_dart_run_that_was_stopped():
    """Its last event then has null for success."""
    assert word(dart.read_events(events(STARTED, DONE, {"type": "done", "success": None}), ROOT)) == "error"


def test_dart_failure_without_a_name():
    assert word(dart.read_events(events(STARTED, DONE, {"type": "done", "success": False}), ROOT)) == "error"


def test_dart_without_tests():
    """Exit code 79 is its word for it."""
    report = dart.read_events(events({"type": "done", "success": True}), ROOT)
    assert judged(report, outcome(79), "dart test") == ("nothing", "")


def test_swift_testing_failure():
    """Its own file has the words, and the newer library's tests are named with their brackets."""
    told = """<testsuites><testsuite name="TestResults"><testcase classname="ShopTests.Cart" name="total()" time="0.1">
      <failure message="Expectation failed: (total &#8594; 20) == 19" /></testcase>
      <testcase classname="ShopTests" name="later()"><skipped /></testcase></testsuite></testsuites>"""
    report = swift.read_xunit([told], "", ROOT)
    assert (report.skipped, report.failures[0].test) == (1, "ShopTests.Cart/total()")
    assert report.failures[0].text == ("Expectation failed: (total → 20) == 19",)


def test_swift_of_macos():
    """XCTest of macOS names a test as Objective-C does."""
    told = '<testsuites><testsuite><testcase classname="A.B" name="testC"><failure message="failed"/></testcase></testsuite></testsuites>'
    said = "/nowhere/Tests/A/B.swift:3: error: -[A.B testC] : XCTAssertTrue failed"
    failure = swift.read_xunit([told], said, ROOT).failures[0]
    assert (failure.text, failure.where) == (("XCTAssertTrue failed",), "Tests/A/B.swift:3")


TRX = '<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>{}</Results>{}</TestRun>'


@pytest.mark.parametrize(
    ("how", "verdict"),
    [("Passed", "passed"), ("NotExecuted", "nothing"), ("Timeout", "failed"), ("Aborted", "failed"), ("", "failed")],
)
def test_trx_outcomes(how, verdict):
    told = TRX.format(f'<UnitTestResult testName="a" outcome="{how}"/>', '<ResultSummary outcome="Completed"/>')
    assert word(csharp.read_trx([told], ROOT)) == verdict


def test_trx_of_a_host_that_crashed():
    """The tests before the crash passed; the run did not."""
    summary = (
        '<ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error">'
        "<Text>The active test run was aborted. Reason: Test host process crashed</Text></RunInfo></RunInfos></ResultSummary>"
    )
    report = csharp.read_trx([TRX.format('<UnitTestResult testName="a" outcome="Passed"/>', summary)], ROOT)
    assert word(report) == "error"
    assert "Test host process crashed" in report.problem


def test_trx_of_two_projects():
    """One that broke off spoils a pass, not a failure."""
    whole = RECORDINGS["dotnet", "passing"]
    assert word(csharp.read_trx([whole, whole[:300]], ROOT)) == "error"
    assert word(csharp.read_trx([RECORDINGS["dotnet", "failing"], ""], ROOT)) == "failed"
