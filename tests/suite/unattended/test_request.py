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


def test_somebody_elses_report_is_left_alone(bed):
    """A report.md beside the suite that is none of ours stays, and that is said; ours is replaced."""
    bed.suite(echo("a"))
    own = bed.file.parent / "report.md"
    own.write_text("# What I found out\n")
    came = bed.run()
    assert (came.code, own.read_text()) == (0, "# What I found out\n")
    assert any("report.md is no report of ours and stays as it is" in line for line in came.told)
    assert "Total:** 1" in (came.path / "report.md").read_text()
    own.unlink()
    bed.run()
    bed.suite(echo("a"), echo("b"))
    bed.run()
    assert "Total:** 2" in own.read_text()


def test_what_cannot_begin_says_why(bed):
    """Before anything runs: filters, shards, outputs, baselines."""
    bed.suite(echo("a"))
    wrong = bed.folder / "wrong.json"
    wrong.write_text('{"tests": []}')
    no_mapping = bed.folder / "no_mapping.json"
    no_mapping.write_text("[]")
    for options, why in (
        ({"id": ["z"]}, "no test of .*tests.json has id 'z'"),
        ({"baseline": "nowhere.json"}, "there is no nowhere.json."),
        ({"baseline": str(wrong)}, "is not a report of a suite; `hookwright suite run --json FILE` writes one"),
        ({"baseline": str(bed.file.parent)}, "report.json"),
        ({"junit": "no/such/folder/j.xml"}, "--junit no/such/folder/j.xml: there is no folder"),
        ({"suite": "none.yaml"}, "there is no suite"),
        ({"mcp_config": "none.json"}, "there is no none.json"),
        ({"mcp_config": str(no_mapping)}, 'no_mapping.json has no "mcpServers"'),
        ({"via": "codex"}, "--via codex is not supported yet; use --via direct or --via claude-code."),
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
    bed.suite(echo("renamed", **FAILS))
    assert bed.run().code == 1
    bed.suite(echo("mended"))
    assert bed.run(failed=True).statuses == {"mended": "pass"}


def test_shards_are_the_whole(bed):
    """Every test is in exactly one shard, with those that it needs."""
    bed.suite(echo("a"), echo("b", depends_on="a"), echo("c"), echo("d", depends_on=["b"]), echo("e"))
    seen = [name for shard in ("1/2", "2/2") for name in bed.run(shard=shard).statuses]
    assert sorted(seen) == ["a", "b", "c", "d", "e"]
    ending = bed.run(shard="3/3")
    assert (ending.code, list(ending.statuses)) == (0, ["e"])


def test_a_shard_in_which_nothing_ran(bed):
    """Is no failure while another shard has something to run, and has its reports; else nothing ran at all."""
    bed.suite(echo("a"), echo("b", skip="not today"), echo("c", skip=True))
    empty = bed.run(shard="9/9", junit=str(bed.folder / "j.xml"))
    assert (empty.code, empty.statuses, empty.told[-1]) == (0, {}, "No test ran: shard 9/9 has none.")
    assert 'tests="0"' in (bed.folder / "j.xml").read_text()
    assert [bed.run(shard=f"{number}/3").code for number in (1, 2, 3)] == [0, 0, 0]
    assert bed.run(shard="1/1", id=["b"]).code == bed.run(shard="1/2", id=["b", "c"]).code == 3


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
