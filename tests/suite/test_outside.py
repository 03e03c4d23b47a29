"""Nothing outside the project is touched, whatever a repository brings along."""

import json
import os
import shutil

import pytest

SUITE = '{"tests": [{"id": "one", "action": "x"}, {"id": "two", "action": "y"}]}'


@pytest.fixture
def folder(project):
    tests = project.folder / "tests" / "functional"
    tests.mkdir(parents=True)
    (tests / "tests.json").write_text(SUITE)
    project.config("suite: {}\n")
    return project.folder


def test_runs_behind_a_link_are_left_alone(folder, run_cli, tmp_path_factory):
    """A repository that links our runs elsewhere gets no run, and loses nothing there."""
    victim = tmp_path_factory.mktemp("victim")
    for number in range(30):
        (victim / f"proj{number}").mkdir()
    (folder / ".hookwright").mkdir(exist_ok=True)
    (folder / ".hookwright" / "runs").symlink_to(victim)
    assert run_cli("suite", "init").exit_code == 3
    assert len(os.listdir(victim)) == 30


@pytest.mark.parametrize(
    "place", [".hookwright", ".hookwright/state", ".hookwright/runs/2026-01-01T00-00-00Z", ".claude"]
)
def test_a_run_is_not_kept_behind_any_link(folder, run_cli, tmp_path_factory, place):
    """Neither its state nor its evidence, whichever folder on the way is a link out of the project."""
    victim = tmp_path_factory.mktemp("victim")
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).symlink_to(victim)
    for verb in ("init", "next"):
        answer = run_cli("suite", verb)
        assert answer.exit_code != 0
        assert "Traceback" not in answer.stderr
    assert os.listdir(victim) == []


def test_a_claude_folder_linked_within_the_project_is_used(folder, run_cli):
    """`.claude -> .agents` leads nowhere else."""
    (folder / ".agents").mkdir()
    (folder / ".claude").symlink_to(".agents")
    assert run_cli("suite", "init").exit_code == 0
    assert (folder / ".agents" / "test-state.json").exists()


def test_only_our_own_runs_are_forgotten(folder, run_cli):
    """A folder of the user's beside them stays."""
    for number in range(30):
        (folder / ".hookwright" / "runs" / f"mine{number}").mkdir(parents=True)
    assert run_cli("suite", "init").exit_code == 0
    assert sum(name.startswith("mine") for name in os.listdir(folder / ".hookwright" / "runs")) == 30


def test_a_report_is_written_behind_a_link_and_into_a_pipe(folder, run_cli):
    """Neither is replaced by a file."""
    run_cli("suite", "init")
    target = folder / "target.md"
    target.write_text("")
    (folder / "link.md").symlink_to(target)
    assert run_cli("suite", "report", "--output", "link.md").exit_code == 0
    assert (folder / "link.md").is_symlink() and "one" in target.read_text()
    assert run_cli("suite", "report", "--output", "/dev/stderr").exit_code == 0
    assert os.path.exists("/dev/stderr")


def test_a_link_in_the_reports_place_is_left_alone(folder, run_cli, tmp_path_factory):
    """Whether or not it leads to a file: nobody has asked for a report there."""
    victim = tmp_path_factory.mktemp("victim") / "created"
    (folder / "tests/functional/report.md").symlink_to(victim)
    run_cli("suite", "init")
    assert "is no report of ours and stays as it is" in run_cli("suite", "abort").stdout
    assert not victim.exists()


def test_evidence_follows_no_link(folder, run_cli, tmp_path_factory):
    """A run's folder that somebody prepared cannot make us write elsewhere."""
    victim = tmp_path_factory.mktemp("victim") / "kept"
    victim.write_text("as it was")
    run_cli("suite", "init")
    (run,) = (folder / ".hookwright/runs").iterdir()
    (run / "0001.jsonl").symlink_to(victim)
    assert run_cli("suite", "next").exit_code == 3
    assert victim.read_text() == "as it was"


def test_a_lost_plan_is_not_guessed(folder, run_cli):
    """A run of one test by its id cannot be rebuilt from the suite: better no report than one that names another."""
    run_cli("suite", "init", "--id", "two")
    run_cli("suite", "next")
    run_cli("suite", "skip")
    assert "| two |" in run_cli("suite", "report").stdout
    shutil.rmtree(folder / ".hookwright")
    answer = run_cli("suite", "report")
    assert answer.exit_code == 3 and "planned for this run is lost" in answer.stderr


def test_results_are_joined_by_id(folder, run_cli):
    """A state that somebody else wrote, in another order than the suite's."""
    results = [{"id": "two", "status": "fail", "failures": ["no"]}, {"id": "one", "status": "pass"}]
    state = {"mode": "completed", "total_tests": 2, "current_index": 2, "current_test": None, "results": results}
    extra = {"saved_vars": {}, "filter_category": None, "filter_tag": None, "started_at": "2024-01-20T12:00:00Z"}
    (folder / ".claude").mkdir()
    (folder / ".claude" / "test-state.json").write_text(json.dumps({**state, **extra, "completed_at": None}))
    told = json.loads(run_cli("suite", "report", "--format", "json").stdout)
    assert {row["id"]: row["status"] for row in told["results"]} == {"one": "pass", "two": "fail"}
