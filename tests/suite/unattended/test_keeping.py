"""What is kept of a run, and what is not."""

import io
import os

from suite.unattended.bed import call, echo


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


def test_two_runs_at_once_keep_apart(bed):
    """Each has a folder of its own."""
    bed.suite(echo("a"))
    both = [bed.start("run"), bed.start("run")]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert len(list((bed.folder / ".hookwright/runs").glob("*/report.json"))) == 2


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
