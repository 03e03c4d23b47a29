"""What a suite costs an event that has nothing to do with it: counted in imports, which is what it pays."""

import sys

from test_start import WITH_A_HANDLER, modules_after

ALLOWED = WITH_A_HANDLER | {"hookwright.suite", "hookwright.suite.handler", "time", "marshal", "posix", "_sre", "gc"}
HEAVY = {"json", "re", "os", "regex", "yaml", "typing", "subprocess"}


def test_without_a_run(bed):
    """A tool, a stop and a prompt load the handler and a look at one file; a prompt also the words."""
    bed.suite(section="drive: manual")
    bed.prompt("hello")  # compiles the config
    for event, fields in (("PostToolUse", {"tool_name": "Bash"}), ("Stop", {}), ("UserPromptSubmit", {"prompt": "hi"})):
        assert modules_after(bed, event, **fields) - ALLOWED <= {"hookwright.suite.words", "hookwright.loops"}


def test_with_a_run_on(bed):
    """Watching tools, and prompts that are no words, need no json, re or third party either."""
    bed.suite(section="drive: self")
    bed.prompt("/run-tests")
    for event, fields in (("PostToolUse", {"tool_name": "Bash"}), ("UserPromptSubmit", {"prompt": "hi"})):
        assert not modules_after(bed, event, **fields) & HEAVY


def test_judging_plain_texts_needs_no_third_party(bed):
    """`contains` alone does not load the regex library."""
    bed.suite({"tests": [{"id": n, "action": "x", "expect": [{"contains": "x"}]} for n in "ab"]}, "drive: self")
    bed.prompt("/run-tests")
    assert not modules_after(bed, "Stop", last_assistant_message="x") & {"json", "regex", "yaml"}
    assert bed.statuses == {"a": "pass"}


def calls_of(work):
    """How many functions are called, C's included."""
    count = 0

    def see(_frame, kind, _what):
        nonlocal count
        count += kind in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_a_late_test_costs_what_an_early_one_does(bed):
    """The results before it are neither read nor written anew."""
    bed.suite({"tests": [{"id": f"t{n}", "action": "x", "expect": [{"contains": "x"}]} for n in range(120)]}).init()
    bed.pass_one("x")
    early = calls_of(lambda: bed.pass_one("x"))
    for _ in range(110):
        bed.pass_one("x")
    assert calls_of(lambda: bed.pass_one("x")) < early * 1.2
