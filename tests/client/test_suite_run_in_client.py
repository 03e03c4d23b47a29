"""`hookwright suite run --via claude-code` with the real client, a model that follows instructions, a real MCP server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from client.claude import ClaudeProject, client_path, isolated_environment
from client.scripted_model import ScriptedModel, said
from client.test_suite_in_client import TWELVE, VERDICTS
from suite.follower import turns
from suite.junit import problems

import hookwright
from hookwright.suite import suites

SOURCE = Path(hookwright.__file__).parent.parent
# What two lanes may not tear apart: in one conversation the order alone would do.
NEEDS = {"search": "create", "planned_failure": "create", "gone": "delete"}


def needed(test: dict[str, Any]) -> list[str]:
    return [NEEDS[test["id"]]] if test["id"] in NEEDS else list(test.get("depends_on", ()))


@pytest.fixture
def prepared(claude_project: ClaudeProject) -> ClaudeProject:
    folder = claude_project.path / "tests/functional"
    folder.mkdir(parents=True)
    twelve = folder / "twelve.yaml"
    twelve.write_text(TWELVE)
    tests = [{**test, "depends_on": needed(test)} for test in suites.load(str(twelve)).cases]
    server = {"command": sys.executable, "args": ["-m", "hookwright.demo"], "env": {"PYTHONPATH": str(SOURCE)}}
    (folder / "tests.json").write_text(json.dumps({"servers": {"demo": server}, "tests": tests}))
    return claude_project


def suite_run(project: ClaudeProject, model: ScriptedModel, *words: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from hookwright.cli import main; sys.exit(main())"
    how = ["--via", "claude-code", "--claude", str(client_path())]
    command = [sys.executable, "-c", code, "suite", "run", *how, *words]
    env = {**isolated_environment(model, project.home), "PYTHONPATH": str(SOURCE)}
    return subprocess.run(command, cwd=project.path, env=env, capture_output=True, text=True, timeout=180)


def report_of(project: ClaudeProject) -> tuple[dict[str, Any], Path]:
    run = max((project.path / ".hookwright/runs").iterdir())
    return dict(json.loads((run / "report.json").read_text())), run


def settings_files(project: ClaudeProject) -> list[str]:
    return sorted(str(path) for root in (project.path, project.home) for path in root.rglob("settings*.json"))


def test_twelve_tests_in_two_lanes(prepared: ClaudeProject) -> None:
    """Verdicts, evidence, costs and transcripts of each; valid JUnit; two conversations; no settings of the user's."""
    before = settings_files(prepared)
    with ScriptedModel(turns(80)) as model:
        done = suite_run(prepared, model, "--jobs", "2", "--junit", "j.xml", "--model", "claude-sonnet-5")
    assert done.returncode == 1, done.stdout + done.stderr
    report, run = report_of(prepared)
    assert {row["id"]: row["status"] for row in report["results"]} == VERDICTS, done.stdout
    rows = {row["id"]: row for row in report["results"]}
    assert rows["planned_failure"]["failures"] == ["Missing: 'no such text'", "Unexpected: 'Milk'"]
    (called,) = rows["get"]["calls"]
    assert (called["tool"], called["input"]) == ("mcp__demo__get_note", {"id": "note-0001"})
    assert isinstance(called["ms"], int | float) and rows["get"]["answer"].startswith("The tool said: ")
    assert rows["never_called"]["attempts"] == 2
    tried = [row for row in report["results"] if row["status"] != "skip"]
    assert all(row["cost_usd"] > 0 for row in tried) and report["run"]["cost_usd"] > 0
    for row in tried:
        kinds = [json.loads(line)["type"] for line in (run / row["transcript"]).read_text().splitlines()]
        assert kinds[-1] == "result" and "assistant" in kinds
    assert problems((prepared.path / "j.xml").read_text()) == []
    assert {request["model"] for request in model.requests} == {"claude-sonnet-5"}
    conversations = {json.loads((run / row["transcript"]).read_text().splitlines()[-1])["session_id"] for row in tried}
    assert len(conversations) == 2
    assert settings_files(prepared) == before
    assert not list(Path(prepared.home).glob("hookwright-run-*"))  # its TMPDIR: nothing of ours is left there


def test_each_test_a_conversation_of_its_own(prepared: ClaudeProject) -> None:
    """--isolate: no conversation has heard of another test; the client's own arguments go after --."""
    with ScriptedModel(turns(20)) as model:
        done = suite_run(
            prepared, model, "--isolate", "--category", "basic", "--", "--append-system-prompt", "Be brief!"
        )
    assert done.returncode == 0, done.stdout + done.stderr
    for request in model.requests:
        assert said(request).count("### Action") == 1
        assert "Be brief!" in said(request)
    report, _ = report_of(prepared)
    assert [row["status"] for row in report["results"]] == ["pass", "pass"]


def test_a_spent_budget_ends_the_run(prepared: ClaudeProject) -> None:
    """What it did not pay for has not run; the exit code says that the run could not be done."""
    with ScriptedModel(turns(40)) as model:
        done = suite_run(prepared, model, "--tag", "smoke", "--repeat", "3", "--budget", "0.0007")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "did not run: the budget is spent" in done.stdout
    rounds = report_of(prepared)[0]["results"][0]["rounds"]
    assert rounds[0] == "pass" and rounds[-1] == "not run"


def test_hooks_that_are_switched_off_pass_nothing(prepared: ClaudeProject) -> None:
    """Without our hooks nobody knows what was called: that is a failure with this reason."""
    with ScriptedModel(turns(4)) as model:
        done = suite_run(prepared, model, "--id", "words", "--", "--bare")
    assert done.returncode == 1
    assert "The client did not run our hooks" in done.stdout
    assert os.path.exists(prepared.path / "tests/functional/report.md")
