"""Rust beyond the matrix: the crate graph, test binaries, harnesses of their own, offline, nextest by a stand-in."""

from __future__ import annotations

import sys

import pytest
from conftest import need

from hookwright.affected.languages import rust
from hookwright.affected.libtest import Output, failure, printed_errors
from hookwright.affected.message import message


@pytest.fixture
def shop(workshop, without_nextest):
    need("cargo")
    return workshop("rust", "rust")


def reasons(shop, *paths, inside="."):
    project = shop.project(inside)
    return rust.select(project, rust.runner(project), list(paths)).reasons


def test_nearest_crates_first(shop):
    """Over two steps, also from within a crate's own folder; a crate without tests is not run."""
    wanted = {"cart": "imports price", "till": "imports cart -> price"}
    assert reasons(shop, "price/src/lib.rs") == wanted
    assert reasons(shop, "src/lib.rs", inside="price") == wanted
    assert reasons(shop, "lonely/src/lib.rs") == {}


@pytest.mark.parametrize("table", ["dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"])
def test_every_kind_of_need(shop, table):
    """Whatever a crate needs another for, under whatever name."""
    text = (shop.top / "till" / "Cargo.toml").read_text()
    shop.write("till/Cargo.toml", f'{text}\n[{table}]\nalone = {{ path = "../lonely", package = "lonely" }}\n')
    assert reasons(shop, "lonely/src/lib.rs") == {"till": "imports lonely"}


def test_edited_tests_run_alone(shop):
    """By hand, one binary instead of the crate."""
    verdict = shop.edited("till/tests/pay.rs")
    assert verdict.command[-4:] == ["-p", "till", "--test", "pay"]
    assert (verdict.word, verdict.report.ran) == ("passed", ["till::change"]), message(verdict)
    assert reasons(shop, "till/tests/pay.rs", "price/src/lib.rs").keys() == {"cart", "till"}


@pytest.mark.parametrize(("code", "word"), [(0, "passed"), (7, "failed")])
def test_harness_of_its_own(shop, code, word):
    """Its exit code decides; what it prints does not."""
    text = (shop.top / "lonely" / "Cargo.toml").read_text()
    shop.write("lonely/Cargo.toml", f'{text}\n[[test]]\nname = "own"\nharness = false\n')
    shop.write("lonely/tests/own.rs", f'fn main() {{ println!("test a ... FAILED"); std::process::exit({code}) }}\n')
    verdict = shop.edited("lonely/src/lib.rs")
    assert (verdict.word, verdict.runner) == (word, "cargo test"), message(verdict)


def test_nothing_is_downloaded(shop, monkeypatch, tmp_path):
    """A crate that is not here yet is said to be missing."""
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "empty"))
    text = (shop.top / "till" / "Cargo.toml").read_text()
    shop.write("till/Cargo.toml", f'{text}\nserde = "1"\n')
    verdict = shop.edited("price/src/lib.rs")
    assert verdict.word == "error", message(verdict)
    assert "serde" in message(verdict) and "offline" in message(verdict)


# Recorded from cargo 1.95 with --no-fail-fast: one binary ends by a signal in the middle, the next goes on.
CRASHED = """
running 2 tests
test tests::first ... ok
{"reason":"build-finished","success":true}

running 1 test
test tests::second ... FAILED

failures:

---- tests::second stdout ----

thread 'tests::second' (4711) panicked at b/src/lib.rs:9:9:
assertion `left == right` failed
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

failures:
    tests::second

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
STARTED = "     Running unittests src/lib.rs (target/debug/deps/a-1)\nerror: test failed\n     Running unittests src/lib.rs (target/debug/deps/b-2)\n"


def test_output_of_a_crash():
    """What was begun and never ended did not pass."""
    output = Output(CRASHED, STARTED)
    assert [(each.name, each.tests, each.ended) for each in output.binaries] == [
        ("a-1", 2, {"tests::first": "ok"}),
        ("b-2", 1, {"tests::second": "FAILED"}),
    ]
    told = failure("b::tests::second", output.binaries[1].details["tests::second"], "/nowhere")
    assert (told.where, told.text) == ("b/src/lib.rs:9", ("assertion `left == right` failed", "left: 1", "right: 2"))


def test_printed_errors():
    text = "error[E0277]: cannot multiply `i64` by `&str`\n --> price/src/lib.rs:2:9\n  |\nerror: could not compile `price`\n"
    assert [(each.where, each.text) for each in printed_errors(text, "/nowhere")] == [
        ("price/src/lib.rs:2", ("cannot multiply `i64` by `&str`",))
    ]


def test_build_messages_of_a_test():
    """A test may print what cargo does: the build was over before."""
    built = '{"reason":"build-finished","success":true}\nrunning 1 test\n'
    assert Output(built + '{"reason":"build-finished","success":false}\n', "").was_built is True


# Format-tested: a script in the place of cargo-nextest. It writes the JUnit that the tool documents, where its
# configuration sends it, and ends with the exit codes that the tool documents.
NEXTEST = """#!{python}
import os, re, sys
assert sys.argv[1:3] == ["nextest", "run"] and os.environ["CARGO_NET_OFFLINE"] == "true"
settings = sys.argv[sys.argv.index("--tool-config-file") + 1].removeprefix("hookwright:")
output = re.search("'''(.+)'''", open(settings).read())[1]
if {code} in (0, 100):
    open(output, "w").write('''<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="2" failures="{bad}" errors="0" uuid="x" timestamp="2026-01-01T00:00:00.000+00:00" time="0.01">
  <testsuite name="cart" tests="2" disabled="0" errors="0" failures="{bad}">
    <testcase name="sums" classname="cart::sums" timestamp="2026-01-01T00:00:00.000+00:00" time="0.003"></testcase>
    <testcase name="tests::discount" classname="cart" timestamp="2026-01-01T00:00:00.000+00:00" time="0.003">{fault}</testcase>
  </testsuite>
</testsuites>''')
else:
    print("error[E0277]: cannot multiply\\n --> price/src/lib.rs:2:9", file=sys.stderr)
sys.exit({code})
"""
FAULT = """<failure message="thread 'tests::discount' panicked at cart/src/lib.rs:17:9" type="test failure with exit code 101">thread 'tests::discount' panicked at cart/src/lib.rs:17:9:
assertion `left == right` failed: in €</failure>"""


@pytest.mark.parametrize(
    ("code", "word", "told"),
    [
        (0, "passed", "✅ Tests passed (cargo nextest)\n   2 passed"),
        (100, "failed", "❌ Tests failed (cargo nextest)\n   1 failed, 1 passed\n   cart::tests::discount"),
        (101, "error", "⚠️ Test execution error: price/src/lib.rs does not compile"),
    ],
)
def test_nextest(shop, monkeypatch, tmp_path, code, word, told):
    program = tmp_path / "bin" / "cargo-nextest"
    program.parent.mkdir()
    failed = code == 100
    program.write_text(NEXTEST.format(python=sys.executable, code=code, bad=int(failed), fault=FAULT if failed else ""))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    verdict = shop.edited("price/src/lib.rs")
    assert (verdict.word, verdict.runner) == (word, "cargo nextest"), message(verdict)
    assert message(verdict).startswith(told)
    assert verdict.report.ran == ["cart::sums", "cart::tests::discount"][: 0 if word == "error" else 2]
    if failed:
        assert verdict.failures[0].text == ("assertion `left == right` failed: in €",)
        assert verdict.failures[0].where == "cart/src/lib.rs:17"
        assert verdict.hint == "cargo nextest run -p cart tests::discount"


def test_real_nextest(workshop):
    """Where it is installed: it must tell what the stand-in tells."""
    need("cargo-nextest")
    verdict = workshop("rust", "rust").edited("price/src/lib.rs")
    assert message(verdict).startswith(
        "❌ Tests failed (cargo nextest)\n   1 failed, 2 passed\n   cart::tests::discount"
    )
    assert verdict.failures[0].text[0] == "assertion `left == right` failed: in €"
    assert sorted(verdict.report.ran) == ["cart::tests::discount", "cart::tests::sums", "till::change"]
