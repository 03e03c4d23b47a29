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
from suite.follower import turns
from suite.junit import problems

import hookwright

SOURCE = Path(hookwright.__file__).parent.parent
TWELVE = """
description: Twelve tests for two lanes
servers: {demo: {command: "PYTHON", args: [-m, hookwright.demo], env: {PYTHONPATH: "SOURCE"}}}
tests:
  - {id: echo, category: basic, action: "Call echo with text: hello", expect: [{contains: hello}], tags: [smoke]}
  - {id: add, category: basic, call: {server: demo, tool: add, arguments: {a: 2, b: 3}}, expect: [{equals: "5", on: tool}]}
  - id: create
    category: crud
    action: "Call create_note with title: Milk, body: two litres"
    expect: [{tool_called: create_note, tool_args: {title: Milk}}, {regex: 'ID: note-\\d+'}]
    save: {note_id: 'ID: (\\S+)'}
  - id: get
    category: crud
    action: "Call get_note with id: ${note_id}"
    expect: [{json_path: {path: "$.id", equals: "${note_id}"}}, {contains: two litres, on: tool}]
    depends_on: create
  - {id: search, category: crud, action: "Call search_notes with query: milk", depends_on: create, expect: [{json_path: {path: "$.notes[*]", count: 1}}]}
  - {id: planned_failure, category: basic, action: "Call echo with text: Milk", expect: [{contains: no such text}, {not_contains: Milk}]}
  - {id: dependent, category: basic, action: "Call list_notes", depends_on: planned_failure, expect: [{contains: Milk}]}
  - {id: tool_error, category: errors, action: "Call fail with message: boom", expect: [{tool_error: boom}]}
  - {id: delete, category: crud, action: "Call delete_note with id: ${note_id}", expect: [{contains: "Deleted the note ${note_id}"}]}
  - {id: gone, category: errors, action: "Call get_note with id: ${note_id}", depends_on: delete, expect: [{tool_error: true}]}
  - {id: words, category: answers, action: "Say ready", expect: [{starts_with: ready, on: answer}, {tool_not_called: "*"}]}
  - {id: never_called, category: answers, action: "Say it was called", expect: [{tool_called: echo}], retries: 1}
"""
VERDICTS = {
    **dict.fromkeys(("echo", "add", "create", "get", "search", "tool_error", "delete", "gone", "words"), "pass"),
    **dict.fromkeys(("planned_failure", "never_called"), "fail"),
    "dependent": "skip",
}


@pytest.fixture
def prepared(claude_project: ClaudeProject) -> ClaudeProject:
    folder = claude_project.path / "tests/functional"
    folder.mkdir(parents=True)
    (folder / "tests.yaml").write_text(TWELVE.replace("PYTHON", sys.executable).replace("SOURCE", str(SOURCE)))
    return claude_project


def suite_run(project: ClaudeProject, model: ScriptedModel, *words: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from hookwright.cli import main; sys.exit(main())"
    command = [
        sys.executable,
        "-c",
        code,
        "suite",
        "run",
        "--via",
        "claude-code",
        "--claude",
        str(client_path()),
        *words,
    ]
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
    assert done.returncode == 1, done.stdout + done.stderr
    for request in model.requests:
        assert said(request).count("### Action") == 1
        assert "Be brief!" in said(request)
    report, _ = report_of(prepared)
    assert [row["status"] for row in report["results"]] == ["pass", "pass", "fail", "skip"]


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
