"""Nothing outside the project is touched, whatever a repository brings along."""

import os

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


def test_a_report_names_each_result_by_its_id(folder, run_cli):
    """Also when our own files about the run are gone."""
    run_cli("suite", "init", "--id", "two")
    run_cli("suite", "next")
    run_cli("suite", "skip")
    told = run_cli("suite", "report").stdout
    assert "two" in told and "skip" in told
