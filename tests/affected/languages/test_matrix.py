"""Every runner on its real tool: verdicts follow exit code and report, and each is labelled by its own name."""

import json

import pytest
from conftest import need

from hookwright.affected import run
from hookwright.affected.languages.table import LANGUAGES, language
from hookwright.affected.message import message

from .matrix import LIVE, Live
from .standins import ROWS

BY_RUNNER = pytest.mark.parametrize("live", LIVE, ids=lambda live: f"{live.language}-{live.runner}".replace(" ", "-"))


@pytest.fixture
def at_work(workshop, request):
    def build(live: Live):
        for tool in live.tools:
            need(tool)
        if live.language == "rust":
            request.getfixturevalue("without_nextest")
        project = workshop(live.folder, live.language)
        if live.modules:
            (project.top / "node_modules").symlink_to(request.getfixturevalue("node_modules"))
        return project

    return build


@BY_RUNNER
def test_pass(at_work, live):
    """An edit that reaches only passing tests."""
    verdict = at_work(live).edited(live.passing)
    assert (verdict.word, verdict.runner, len(verdict.report.ran)) == ("passed", live.runner, 1), message(verdict)
    assert message(verdict) == f"✅ Tests passed ({live.runner})\n   1 passed"


@BY_RUNNER
def test_fail(at_work, live):
    """One failing among passing tests, two imports away from the edit: failed, with its assertion and a hint."""
    verdict = at_work(live).edited(live.failing)
    assert verdict.word == "failed", message(verdict)
    assert [failure.test for failure in verdict.failures] == [live.failed]
    lines = message(verdict).splitlines()
    assert lines[:2] == [f"❌ Tests failed ({live.runner})", f"   {live.counts}"]
    assert live.says in message(verdict)
    assert verdict.hint == live.hint


@BY_RUNNER
def test_compile_error(at_work, live):
    """What cannot be compiled is an error of its own, with the compiler's words."""
    project = at_work(live)
    project.replace(*live.broken)
    verdict = project.edited(live.broken[0])
    assert verdict.word == "error", message(verdict)
    assert live.complaint in message(verdict)


@BY_RUNNER
def test_timeout(at_work, live):
    project = at_work(live)
    project.replace(*live.slow)
    verdict = project.edited(live.passing, budget=3)
    assert (verdict.word, verdict.cut_off) == ("timeout", True), message(verdict)
    assert message(verdict).startswith("⏱️ Test execution timeout (3s exceeded)")


@BY_RUNNER
def test_exit_in_a_test(at_work, live):
    """A test that ends its process with 0 has not passed."""
    project = at_work(live)
    project.replace(*live.exits)
    verdict = project.edited(live.passing)
    assert verdict.word in ("failed", "error"), message(verdict)


@BY_RUNNER
def test_nothing_to_run(at_work, live):
    """No test depends on it: nothing is run, and nothing is said."""
    verdict = at_work(live).edited(live.untested)
    assert (verdict.word, message(verdict)) == ("nothing", "")


@BY_RUNNER
def test_runner_missing(at_work, live, monkeypatch, tmp_path, run_cli):
    """Where the tool is not installed a hook is silent; by hand it could not be run, and the tool is named."""
    project = at_work(live)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert run.affected(project.project(), [live.passing]) is None
    answer = run_cli("test", live.passing, "--json", cwd=project.top)
    told = json.loads(answer.stdout)
    assert (answer.exit_code, told["verdict"], told["language"]) == (3, "error", live.language)
    assert live.runner in told["problem"]


def test_labels_are_honest():
    """Only what this matrix runs is called live; what stand-ins play is called format-tested."""
    for live in LIVE:
        assert live.runner in language(live.language).LIVE
    for row in ROWS:
        assert row.runner in language(row.language).FORMAT_TESTED
    known = {runner for row in LANGUAGES if row.name != "python" for runner in language(row.name).LIVE}
    assert known - {live.runner for live in LIVE} == {"npm test"}  # by test_javascript.py
