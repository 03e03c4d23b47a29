"""Conversation suites under the real client: a model that follows the instructions it is handed, a real MCP server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from client.claude import ClaudeProject, ClientRun
from client.scripted_model import ScriptedModel, said, text
from suite.follower import follow, turns

import hookwright
from hookwright.setup import changes
from hookwright.setup.plugin import to_build

SOURCE = Path(hookwright.__file__).parent.parent
DRIVEN = ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"]
TWELVE = """
version: "1.0"
description: Twelve tests of the demo server
tests:
  - {id: echo, category: basic, action: "Call echo with text: hello", expect: [{contains: hello}], tags: [smoke]}
  - {id: add, category: basic, action: "Call add with a: 2, b: 3", expect: [{equals: "5", on: tool}, {latency_ms: 60000}]}
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
  - {id: search, category: crud, action: "Call search_notes with query: milk", expect: [{json_path: {path: "$.notes[*]", count: 1}}]}
  - {id: planned_failure, category: crud, action: "Call list_notes", expect: [{contains: no such text}, {not_contains: Milk}]}
  - {id: dependent, category: crud, action: "Call list_notes", depends_on: planned_failure, expect: [{contains: Milk}]}
  - {id: tool_error, category: errors, action: "Call fail with message: boom", expect: [{tool_error: boom}]}
  - {id: delete, category: crud, action: "Call delete_note with id: ${note_id}", expect: [{contains: "Deleted the note ${note_id}"}]}
  - {id: gone, category: errors, action: "Call get_note with id: ${note_id}", expect: [{tool_error: true}, {icontains: "there is NO note"}]}
  - {id: words, category: answers, action: "Say ready", expect: [{starts_with: ready, on: answer}, {tool_not_called: "*"}]}
  - {id: never_called, category: answers, action: "Say it was called", expect: [{tool_called: echo}], retries: 1}
"""
VERDICTS = {
    **dict.fromkeys(("echo", "add", "create", "get", "search", "tool_error", "delete", "gone", "words"), "pass"),
    **dict.fromkeys(("planned_failure", "never_called"), "fail"),
    "dependent": "skip",
}


def with_suite(project: ClaudeProject, suite: str, section: str = "drive: self") -> list[str]:
    """Give a project a suite and the demo server; the arguments by which the client loads the server."""
    project.configure(f"suite: {{{section}}}\n")
    folder = project.path / "tests/functional"
    folder.mkdir(parents=True)
    (folder / "tests.yaml").write_text(suite, encoding="utf-8")
    server = {"command": sys.executable, "args": ["-m", "hookwright.demo"], "env": {"PYTHONPATH": str(SOURCE)}}
    servers = project.home / "mcp.json"
    servers.write_text(json.dumps({"mcpServers": {"demo": server}}))
    return ["--mcp-config", str(servers)]


def state_of(project: ClaudeProject) -> dict[str, Any]:
    file, journal = project.path / ".claude/test-state.json", project.path / ".hookwright/journal.jsonl"
    assert file.exists(), journal.read_text() if journal.exists() else "no hook has run here"
    return dict(json.loads(file.read_text()))


def run_folder(project: ClaudeProject) -> Path:
    (folder,) = (project.path / ".hookwright/runs").iterdir()
    return folder


def shown_to_person(run: ClientRun) -> str:
    """What hooks told the person, as the client streams it."""
    return "\n".join(str(event.get("stdout") or event.get("output") or "") for event in run.hook_responses)


def test_one_prompt_drives_twelve_tests_to_the_end(claude_project: ClaudeProject) -> None:
    """One prompt, twelve tests, planned failures, a skip, a saved variable, a tool error; state and reports agree."""
    arguments = with_suite(claude_project, TWELVE)
    with ScriptedModel(turns(60)) as model:
        run = claude_project.run(model, hooks=DRIVEN, prompt="/run-tests", extra_args=arguments, timeout_s=120)
    state = state_of(claude_project)
    assert {result["id"]: result["status"] for result in state["results"]} == VERDICTS, state["results"]
    assert (state["mode"], state["current_test"]) == ("completed", None)
    failures = {result["id"]: result["failures"] for result in state["results"] if result["failures"]}
    assert failures == {
        "planned_failure": ["Missing: 'no such text'", "Unexpected: 'Milk'"],
        "dependent": ["Depends on 'planned_failure', which failed"],
        "never_called": ["Tool not called: 'echo'"],
    }
    assert state["saved_vars"] == {"note_id": "note-0001"}
    assert "Call get_note with id: note-0001" in said(model.requests[-1])
    assert "Twelve tests of the demo server: Test Report" in shown_to_person(run)
    _agree(run_folder(claude_project), claude_project)


def _agree(folder: Path, project: ClaudeProject) -> None:
    markdown = (folder / "report.md").read_text()
    assert "**Total:** 12 | **Passed:** 9 | **Failed:** 2 | **Skipped:** 1\n" in markdown
    assert (project.path / "tests/functional/report.md").read_text() == markdown
    rows = re.findall(r"^\| \d+ \| (\w+) \| \w+ \| \S+ (\w+) \|", markdown, re.MULTILINE)
    assert dict(rows) == VERDICTS
    document = json.loads((folder / "report.json").read_text())
    assert {row["id"]: row["status"] for row in document["results"]} == VERDICTS
    assert document["summary"] == {"total": 12, "passed": 9, "failed": 2, "skipped": 1, "not_run": 0}
    cases = ElementTree.parse(folder / "report.xml").getroot().findall(".//testcase")
    kinds = {"failure": "fail", "skipped": "skip"}
    marks = {case.get("name"): [kinds[part.tag] for part in case if part.tag in kinds] for case in cases}
    assert {name: (found or ["pass"])[0] for name, found in marks.items()} == VERDICTS
    page = (folder / "report.html").read_text()
    words = {"passed": "pass", "failed": "fail", "skipped": "skip"}
    shown = re.findall(r'<b class="[\w-]+">(\w+)</b><span><span class="id">(\w+)</span>', page)
    assert {name: words[word] for word, name in shown} == VERDICTS


def test_evidence_is_what_the_tools_really_said(claude_project: ClaudeProject) -> None:
    """The report has each call with its input, its result or error, and its duration."""
    suite = """
tests:
  - {id: add, action: "Call add with a: 2, b: 3", expect: [{contains: "5"}]}
  - {id: fail, action: "Call fail with message: boom", expect: [{tool_error: true}]}
"""
    arguments = with_suite(claude_project, suite)
    with ScriptedModel(turns(10)) as model:
        claude_project.run(model, hooks=DRIVEN, prompt="/run-tests", extra_args=arguments)
    rows = json.loads((run_folder(claude_project) / "report.json").read_text())["results"]
    (added,), (failed,) = rows[0]["calls"], rows[1]["calls"]
    assert (added["tool"], added["input"], added["result"]) == ("mcp__demo__add", {"a": 2, "b": 3}, "5")
    assert isinstance(added["ms"], int | float)
    assert (failed["error"], failed["result"]) == ("boom", None)
    assert rows[0]["answer"] == "The tool said: 5"


def test_a_run_pauses_before_the_client_loses_patience(claude_project: ClaudeProject) -> None:
    """Tests without a tool call: after the client's eight blocks the run pauses by itself and says how to go on."""
    listed = "\n".join(f'  - {{id: t{n}, action: "Say {n}", expect: [{{contains: "{n}"}}]}}' for n in range(12))
    arguments = with_suite(claude_project, f"tests:\n{listed}\n")
    with ScriptedModel(turns(30)) as model:
        run = claude_project.run(model, hooks=DRIVEN, prompt="/run-tests", extra_args=arguments)
    state = state_of(claude_project)
    assert (state["mode"], len(state["results"]), state["current_test"]["id"]) == ("running", 9, "t9")
    assert "The run pauses at 10/12" in shown_to_person(run)
    with ScriptedModel(turns(30)) as model:
        claude_project.run(model, hooks=DRIVEN, prompt="next", extra_args=arguments)
    state = state_of(claude_project)
    assert (state["mode"], {result["status"] for result in state["results"]}) == ("completed", {"pass"})


def test_display_words_cost_no_model_turn(claude_project: ClaudeProject) -> None:
    """Without self-driving, /run-tests and status answer the person; next reaches the model; another prompt is itself."""
    suite = 'description: Two words\ntests:\n  - {id: a, action: "Say ready", expect: [{contains: ready}]}\n'
    with_suite(claude_project, suite, "drive: manual")
    hooks = ["UserPromptSubmit"]
    with ScriptedModel() as model:
        opened = claude_project.run(model, hooks=hooks, prompt="  /RUN-tests ")
        status = claude_project.run(model, hooks=hooks, prompt="Status")
        assert model.requests == []
    assert "**Total tests:** 1\nType **next** to begin testing." in opened.result
    assert "**Progress:** 0/1" in status.result
    with ScriptedModel([follow, [text("said it's $(here)")]]) as model:
        answered = claude_project.run(model, hooks=hooks, prompt="N")
        assert "### Action\nSay ready" in said(model.requests[0])
        claude_project.run(model, hooks=hooks, prompt='what\'s next? `$(id)` "quotes"')
    assert answered.result == "ready"
    assert "hookwright" not in said(model.requests[1]).partition("what's next?")[2][:300]
    with ScriptedModel() as model:
        judged = claude_project.run(model, hooks=hooks, prompt='v ready, it\'s "so" $(touch mark) `x`\nand more')
    assert "✅ PASS: a" in judged.result and not (claude_project.path / "mark").exists()


def test_another_prompt_is_no_answer_to_the_test(claude_project: ClaudeProject) -> None:
    """A person who interrupts a self-driven run with a request of their own has it answered, and nothing is judged."""
    with_suite(claude_project, 'tests:\n  - {id: a, action: "Say ready", expect: [{contains: ready}]}\n')
    session = "6f1c2d3e-0000-4000-8000-0000000000aa"
    with ScriptedModel([[text("busy")]]) as model:
        env = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1"}
        arguments = ["--session-id", session]
        claude_project.run(model, hooks=["UserPromptSubmit"], prompt="/run-tests", extra_args=arguments, env=env)
        claude_project.run(model, hooks=DRIVEN, prompt="What time is it?", extra_args=["--resume", session])
    assert (state_of(claude_project)["mode"], state_of(claude_project)["results"]) == ("running", [])


@pytest.mark.parametrize("word", ["report", "next"])
def test_no_run_no_word(claude_project: ClaudeProject, word: str) -> None:
    """Without a run a word is a prompt like any other."""
    with_suite(claude_project, "tests: []\n")
    with ScriptedModel() as model:
        claude_project.run(model, hooks=DRIVEN, prompt=word)
    assert len(model.requests) == 1


def with_module(project: ClaudeProject) -> tuple[list[str], dict[str, str]]:
    """A plugin that carries our hooks module beside the launcher that it calls."""
    plugin = project.home / "plugin"
    for folder in (plugin / "hooks", plugin / ".claude-plugin"):
        folder.mkdir(parents=True)
    about = {"name": "hookwright", "version": "0.1.0", "description": "Hooks.", "author": {"name": "hookwright"}}
    (plugin / ".claude-plugin/plugin.json").write_text(json.dumps(about))
    (plugin / "hooks/hooks.json").write_text(json.dumps({"modules": ["./register.js"]}))
    for name, source in (("register.js", "suite/mod.js"), ("hookwright.sh", "setup/launcher.sh")):
        (plugin / "hooks" / name).write_text((SOURCE / "hookwright" / source).read_text())
    return ["--plugin-dir", str(plugin)], {"HOOKWRIGHT_PYTHON": sys.executable}


def test_hooks_module_replaces_the_word(claude_project: ClaudeProject) -> None:
    """With our hooks module the model reads the action and not the word; other prompts stay, and the run drives on."""
    suite = 'tests:\n  - {id: a, action: "Say ready", expect: [{contains: ready}]}\n  - {id: b, action: "Say so", expect: [{contains: so}]}\n'
    with_suite(claude_project, suite)
    arguments, env = with_module(claude_project)
    with ScriptedModel([[text("later")], *turns(8)]) as model:
        claude_project.run(model, hooks=["UserPromptSubmit"], prompt="/run-tests", extra_args=arguments, env=env)
        claude_project.run(model, hooks=DRIVEN, prompt=" Next ", extra_args=arguments, env=env)
    typed = [block for block in model.requests[1]["messages"][-1]["content"] if isinstance(block, dict)]
    prompt = "\n".join(block.get("text", "") for block in typed) or str(model.requests[1]["messages"][-1]["content"])
    assert "Execute the following test:" in said(model.requests[1]) and "Next" not in prompt
    state = state_of(claude_project)
    assert [(result["id"], result["status"]) for result in state["results"]] == [("a", "pass"), ("b", "pass")]


def test_hooks_module_is_valid_to_the_client(claude_project: ClaudeProject, claude_client: Path) -> None:
    """`claude plugin validate` reads the module, and finds one hook that goes on when it fails."""
    with_module(claude_project)
    command = [str(claude_client), "plugin", "validate", str(claude_project.home / "plugin"), "--json"]
    env = {"HOME": str(claude_project.home), "PATH": os.environ["PATH"], "DISABLE_AUTOUPDATER": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert "hooks: prompt.submit" in done.stdout and "without .catch" not in done.stdout, done.stdout
    assert done.returncode == 0, done.stdout


def test_without_its_launcher_the_module_leaves_the_word(claude_project: ClaudeProject) -> None:
    """Whatever is missing: the prompt stays as it was typed, and the hook hands over the action beside it."""
    with_suite(claude_project, 'tests:\n  - {id: a, action: "Say ready"}\n', "drive: manual")
    arguments, env = with_module(claude_project)
    (claude_project.home / "plugin/hooks/hookwright.sh").unlink()
    with ScriptedModel() as model:
        claude_project.run(model, hooks=["UserPromptSubmit"], prompt="/run-tests", extra_args=arguments, env=env)
        claude_project.run(model, hooks=["UserPromptSubmit"], prompt="Next", extra_args=arguments, env=env)
    assert "### Action\nSay ready" in said(model.requests[0]) and "Next" in said(model.requests[0])


def test_the_plugins_command_begins_a_run(claude_project: ClaudeProject) -> None:
    """`/hookwright:run-tests` with a filter: the hook sees it as it was typed, and the run drives to its end by itself."""
    suite = 'tests:\n  - {id: a, action: "Say no", tags: [x]}\n  - {id: b, action: "Say so", expect: [{contains: so}], tags: [y]}\n'
    with_suite(claude_project, suite, "drive: manual")
    arguments, env = with_module(claude_project)
    commands = claude_project.home / "plugin/commands"
    commands.mkdir()
    (commands / "run-tests.md").write_text((SOURCE / "hookwright/setup/plugin_files/commands/run-tests.md").read_text())
    with ScriptedModel(turns(5)) as model:
        claude_project.run(model, hooks=DRIVEN, prompt="/hookwright:run-tests --tag y", extra_args=arguments, env=env)
    assert "Do exactly that test" in said(model.requests[0]) and "### Action\nSay so" in said(model.requests[0])
    assert [(result["id"], result["status"]) for result in state_of(claude_project)["results"]] == [("b", "pass")]


def test_the_built_plugin_needs_no_other_registration(claude_project: ClaudeProject) -> None:
    """`plugin build` alone: its hooks, its command and its module take a suite from one prompt to the end."""
    suite = 'tests:\n  - {id: a, action: "Say ready", expect: [{contains: ready}]}\n  - {id: b, action: "Say so", expect: [{contains: so}]}\n'
    with_suite(claude_project, suite, "drive: manual")
    plugin = claude_project.home / "built"
    changes.apply(to_build(plugin))
    arguments, env = ["--plugin-dir", str(plugin)], {"HOOKWRIGHT_PYTHON": sys.executable}
    with ScriptedModel(turns(5)) as model:
        claude_project.run(model, hooks=[], prompt="/hookwright:run-tests", extra_args=arguments, env=env)
    assert [(result["id"], result["status"]) for result in state_of(claude_project)["results"]] == [
        ("a", "pass"),
        ("b", "pass"),
    ]


def test_plugin_and_settings_side_by_side(claude_project: ClaudeProject) -> None:
    """Two registrations start two hooks for each event: every test is judged once, on its own answer."""
    tests = "".join(f'  - {{id: t{n}, action: "Say word {n}", expect: [{{equals: word {n}}}]}}\n' for n in range(4))
    with_suite(claude_project, f"tests:\n{tests}")
    plugin = claude_project.home / "built"
    changes.apply(to_build(plugin))
    arguments, env = ["--plugin-dir", str(plugin)], {"HOOKWRIGHT_PYTHON": sys.executable}
    with ScriptedModel(turns(8)) as model:
        claude_project.run(model, hooks=DRIVEN, prompt="/run-tests", extra_args=arguments, env=env)
    assert [(result["id"], result["status"]) for result in state_of(claude_project)["results"]] == [
        (f"t{n}", "pass") for n in range(4)
    ]


def test_a_long_action_arrives_with_a_pointer_to_the_rest(claude_project: ClaudeProject) -> None:
    """Over the client's 10,000 characters it would hide a text behind a preview; ours arrives as we cut it."""
    suite = f'tests:\n  - {{id: a, action: "{"Read this. " * 1500}The end."}}\n'
    with_suite(claude_project, suite, "drive: manual")
    with ScriptedModel() as model:
        claude_project.run(model, hooks=["UserPromptSubmit"], prompt="/run-tests")
        claude_project.run(model, hooks=["UserPromptSubmit"], prompt="next")
    told = said(model.requests[0])
    assert told.count("Read this. ") > 800 and "The end." not in told
    whole = Path(told.partition("the whole text is in ")[2].partition(";")[0])
    assert whole.read_text().count("Read this. ") == 1500
