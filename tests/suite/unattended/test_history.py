"""Runs that are kept: listed, shown, compared."""

import pytest
from suite.unattended.bed import call, echo

from hookwright.errors import Refusal
from hookwright.suite.unattended import history


def test_runs_show_and_diff(bed, run_cli):
    """Two runs of a suite that changed in between: who changed the verdict, and the first evidence that differs."""
    bed.suite(
        echo("same"), echo("worse"), echo("gone"), {"id": "slow", "call": call("pid"), "expect": [{"contains": "pid"}]}
    )
    first = bed.run().path.name
    bed.suite(echo("same"), echo("worse", call=call("fail", "demo", message="boom")), echo("new"),
              {"id": "slow", "call": call("pid"), "expect": [{"contains": "pid"}]})  # fmt: skip
    second = bed.run().path.name
    listed = run_cli("suite", "runs").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [second, first]
    assert (
        "direct" in listed[0]
        and "3 passed, 1 failed, 0 skipped" in listed[0]
        and "tests/functional/tests.json" in listed[0]
    )
    told = run_cli("suite", "diff", first, "last")
    assert told.exit_code == 1
    assert told.stdout == (
        "worse: pass -> fail\n  call 1 (mcp__demo__echo): tool\n    - mcp__demo__echo\n    + mcp__demo__fail\n"
        "gone: pass -> absent\n  tool calls\n    - [\"mcp__demo__echo\"]\n    + []\n"
        "new: absent -> pass\n  tool calls\n    - []\n    + [\"mcp__demo__echo\"]\n"
    )  # fmt: skip
    same = run_cli("suite", "diff", "last", second)
    assert (same.exit_code, same.stdout) == (0, "no test changed its verdict (4 tests)\n")
    assert "| 2 | worse |  | ❌ fail |" in run_cli("suite", "show").stdout
    shown = run_cli("suite", "show", "last", "worse").stdout
    assert "## Call 1: mcp__demo__fail (" in shown and "error: boom" in shown and '{"message": "boom"}' in shown
    wrong = run_cli("suite", "show", "last", "wors")
    assert (wrong.exit_code, wrong.stderr) == (3, 'hookwright: this run has no test "wors"; did you mean "worse"?\n')


def test_runs_that_are_not_there(tmp_path, bed):
    """By name, by the beginning of a name, unfinished."""
    with pytest.raises(Refusal, match="there is no run last here; `hookwright suite runs` lists them"):
        history.path_of(str(tmp_path), "last")
    for name in ("2026-01-01T00-00-00Z", "2026-01-02T00-00-00Z"):
        (tmp_path / ".hookwright/runs" / name).mkdir(parents=True)
    with pytest.raises(Refusal, match="2026-01 can be any of 2 runs"):
        history.path_of(str(tmp_path), "2026-01")
    with pytest.raises(Refusal, match="was its run ended before it was done"):
        history.load(history.path_of(str(tmp_path), "2026-01-02"))
    assert [report for _, report in history.reports(str(tmp_path))] == [None, None]


def test_a_report_that_is_none(tmp_path):
    """Whatever is in it."""
    for number, text in enumerate(("", "[]", "{}", '{"results": 1}', '{"results": [{}]}', '{"results": ["x"]}')):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        with pytest.raises(Refusal, match=str(path)):
            history.load(str(path))


def test_the_first_difference_is_found_in_order():
    """Calls before the answer, the answer before the reasons."""
    one = {"calls": [{"tool": "a", "input": {}, "result": "x"}], "answer": "1", "failures": ["f"]}
    assert history.first_difference(one, one) == "the same evidence in both"
    assert history.first_difference(one, {**one, "answer": "2"}).startswith("answer")
    assert history.first_difference(one, {**one, "failures": []}).startswith("failures")
    longer = {**one, "answer": "2", "calls": [{"tool": "a", "input": {}, "result": "y" * 999}]}
    assert history.first_difference(one, longer).startswith("call 1 (a): result\n    - x\n    + yyy")
    assert len(history.first_difference(one, longer)) < 400
