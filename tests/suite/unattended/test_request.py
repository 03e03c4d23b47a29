"""Runs as they are asked for: exit codes, reports, rounds, baselines, shards, order."""

import json

import pytest
from suite.unattended.bed import call, echo

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
