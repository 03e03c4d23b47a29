"""The readers of test reports and of compilers' words: one row each, as in `decoders`."""

from __future__ import annotations

from collections.abc import Callable

from hookwright.affected import junit
from hookwright.affected.gotest import Stream
from hookwright.affected.javascript.reports import read_jest, read_mocha, read_node
from hookwright.affected.languages import csharp, dart, elixir, jvm, php, ruby, swift
from hookwright.affected.libtest import Output
from hookwright.affected.python.report import Reading as PytestReport
from hookwright.affected.reading import complaints
from stress.decoder import ROOT, Decoder, project, written

RECORDED = ROOT / "tests/affected/languages/recorded"

_JUNIT = b"""\
<?xml version="1.0"?><testsuites><testsuite name="s" tests="2"><testcase classname="a.B" name="t" time="0.1">
<failure message="no" type="E">at a.B(B.java:3)</failure></testcase><testcase name="u"><skipped/></testcase>
</testsuite></testsuites>
"""
_JEST = b"""\
{"success": false, "testResults": [{"name": "/p/a.test.js", "status": "failed", "message": "m", "assertionResults":
[{"fullName": "a b", "status": "failed", "failureMessages": ["Error: x\\n    at f (/p/a.js:3:5)"]}]}]}
"""
_MOCHA = b"""\
{"stats": {"tests": 1}, "passes": [{"fullTitle": "a", "file": "/p/t.js"}], "pending": [], "failures":
[{"fullTitle": "b", "file": "/p/t.js", "err": {"message": "no", "stack": "Error: no\\n at /p/a.js:1:2"}}]}
"""
_GO = b"""\
{"Action":"run","Package":"m/a","Test":"TestX"}
{"Action":"output","Package":"m/a","Test":"TestX","Output":"    a_test.go:7: got 1\\n"}
{"Action":"fail","Package":"m/a","Test":"TestX","Elapsed":0.01}
{"Action":"fail","Package":"m/a","Elapsed":0.2,"FailedBuild":"m/a"}
"""
_CARGO = b"""\
{"reason":"compiler-artifact","executable":"/t/a-1","package_id":"path+file:///p#a@0.1.0"}
{"reason":"compiler-message","message":{"level":"error","spans":[{"file_name":"src/l.rs","line_start":1}]}}
{"reason":"build-finished","success":true}
running 2 tests
test a::t ... ok
test a::u ... FAILED

failures:

---- a::u stdout ----
thread 'a::u' panicked at src/lib.rs:3:5:
assertion failed

test result: FAILED. 1 passed; 1 failed; 0 ignored
"""
_PYTEST = b"""\
{"kind": "unit", "n": 1, "path": "a.py", "name": "f"}
{"kind": "ran", "id": "t.py::t", "units": [1], "files": []}
{"kind": "test", "id": "t.py::t", "outcome": "failed", "seconds": 0.1, "text": ["assert 0"]}
{"kind": "end", "collected": 1}
"""
_MAVEN = b"""\
[ERROR] /p/src/main/java/a/B.java:[3,5] cannot find symbol
e: file:///p/src/main/kotlin/C.kt:7:9 Unresolved reference: x
* What went wrong:
Execution failed for task ':compileJava'.
* Try:
> Run with --stacktrace
"""
COMPLAINTS = [
    *(language.COMPLAINT for language in (ruby, php, elixir, swift, dart, csharp)),
    elixir.NEW_COMPLAINT,
]


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _cargo(text: str) -> None:
    output = Output(text, text)
    output.errors("/p")


def _go(text: str) -> None:
    stream = Stream(text)
    for action in ("pass", "fail", "skip"):
        stream.tests(action)


def _pytest(data: bytes) -> None:
    PytestReport(written("report", data), str(project()))


def _swift(text: str) -> None:
    swift.read_xunit([text], text, "/p")


def _surefire(text: str) -> None:
    if cases := list(junit.cases(text)):
        junit.report_of(cases, "/p", jvm.PLACE)


def _compilers(text: str) -> None:
    """What is looked for when no report was written; the patterns must also come to an end."""
    for pattern in COMPLAINTS:
        complaints("/p", text, pattern)
    jvm.COMPILER.findall(text)
    jvm._complaint(text)


def _recorded(*names: str) -> Callable[[], list[bytes]]:
    """What real runners wrote, by the folder's name and the file's."""
    return lambda: [path.read_bytes() for name in names for path in sorted(RECORDED.glob(name))]


_DART = _recorded("dart/*/stdout", "flutter/*/stdout")
REPORTS = [
    Decoder("pytest report", _pytest, lambda: [_PYTEST]),
    Decoder("JUnit report", _text(junit.cases), lambda: [_JUNIT]),
    Decoder("jest report", _text(lambda text: read_jest(text, "/p")), lambda: [_JEST]),
    Decoder("mocha report", _text(lambda text: read_mocha(text, "/p")), lambda: [_MOCHA]),
    Decoder("node report", _text(lambda text: read_node(text, "/p")), lambda: [_JUNIT]),
    Decoder("go test report", _text(_go), lambda: [_GO]),
    Decoder("cargo test report", _text(_cargo), lambda: [_CARGO]),
    Decoder("Maven and Gradle report", _text(_surefire), lambda: [_JUNIT]),
    Decoder("rspec report", _text(lambda text: ruby.read_rspec(text, "/p")), _recorded("rspec/*/report")),
    Decoder("minitest report", _text(lambda text: ruby.read_minitest(text, "/p")), _recorded("minitest/*/report")),
    Decoder("phpunit report", _text(lambda text: php.read_phpunit(text, "/p")), _recorded("phpunit/*/report")),
    Decoder("mix test report", _text(lambda text: elixir.read_exunit(text, "/p")), _recorded("mix/*/report")),
    Decoder("swift test report", _text(_swift), _recorded("swift/*/report*")),
    Decoder(
        "dart test report",
        _text(lambda text: dart.read_events(text, "/p")),
        _recorded("dart/*/stdout", "flutter/*/stdout"),
    ),
    Decoder("dotnet test report", _text(lambda text: csharp.read_trx([text], "/p")), _recorded("dotnet/*/report")),
    Decoder("compilers' words", _text(_compilers), lambda: [_MAVEN, *_recorded("*/broken/std*")()]),
]
