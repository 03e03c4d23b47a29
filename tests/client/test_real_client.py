"""hookwright under the real Claude Code client: what the model is told after a handler has answered."""

from __future__ import annotations

import re
from pathlib import Path

from client.claude import ClaudeProject, ClientRun
from client.scripted_model import ScriptedModel, Turn, said, text, tool, tool_results

from hookwright.events import BY_NAME

# Hooking WorktreeCreate at all replaces git, so "no opinion" cannot leave that event as it was.
HARMLESS_EVENTS = sorted(BY_NAME.keys() - {"WorktreeCreate"})
SESSION_ID = "6f1c2d3e-0000-4000-8000-000000000001"
VARIES_BY_RUN = r"duration_ms: \d+|\ba[0-9a-f]{16}\b|\d{4}-\d\d-\d\d"  # times, agent ids, dates


def test_denied_tool_does_not_run(claude_project: ClaudeProject) -> None:
    """A denied tool call does not run, and its result tells the model the reason."""
    claude_project.write_handlers("""
        from hookwright import deny, on

        @on.PreToolUse(tool="Bash")
        def no_marks(event):
            if "touch" in event.tool_input["command"]:
                return deny("This project wants no marks.")
    """)
    with ScriptedModel([[tool("Bash", {"command": "touch mark"})]]) as model:
        claude_project.run(model, hooks=["PreToolUse"])
    assert "This project wants no marks." in tool_results(model.requests[1])[0]
    assert not (claude_project.path / "mark").exists()


def test_prompt_gets_context(claude_project: ClaudeProject) -> None:
    """Context given on UserPromptSubmit reaches the model together with the prompt."""
    claude_project.write_handlers("""
        from hookwright import context, on

        @on.UserPromptSubmit()
        def say_branch(event):
            return context(f"asked: {event.prompt}; the branch is topic-7")
    """)
    with ScriptedModel() as model:
        claude_project.run(model, hooks=["UserPromptSubmit"], prompt="Where are we?")
    assert "asked: Where are we?; the branch is topic-7" in said(model.requests[0])


def test_tool_result_gets_context(claude_project: ClaudeProject) -> None:
    """Context given on PostToolUse reaches the model beside the tool's untouched result."""
    claude_project.write_handlers("""
        from hookwright import context, on

        @on.PostToolUse(tool="Bash")
        def remark(event):
            return context("remark on " + event.tool_response["stdout"])
    """)
    with ScriptedModel([[tool("Bash", {"command": "echo tea"})]]) as model:
        claude_project.run(model, hooks=["PostToolUse"])
    assert tool_results(model.requests[1])[0].startswith("tea")
    assert "remark on tea" in said(model.requests[1])


def test_stop_is_blocked_once(claude_project: ClaudeProject) -> None:
    """A blocked Stop sends the model on with the reason, and the same reason does not block a second time."""
    claude_project.write_handlers("""
        from hookwright import block, on

        @on.Stop()
        def want_notes(event):
            return block("Write the release notes first.")
    """)
    with ScriptedModel([[text("Finished.")]], last_words="Notes are written.") as model:
        run = claude_project.run(model, hooks=["Stop"])
    assert len(model.requests) == 2
    assert "Write the release notes first." in said(model.requests[1])
    assert run.result == "Notes are written."


def test_a_left_over_child_does_not_spoil_the_answer(claude_project: ClaudeProject) -> None:
    """A handler's background child holds none of the client's pipes, so the client believes the answer."""
    claude_project.write_handlers("""
        import subprocess
        from hookwright import on, rewrite

        @on.PreToolUse(tool="Bash")
        def leave_a_child(event):
            subprocess.Popen(["sleep", "5"])
            return rewrite({"command": "echo rewritten"})
    """)
    with ScriptedModel([[tool("Bash", {"command": "echo original"})]]) as model:
        claude_project.run(model, hooks=["PreToolUse"])
    assert tool_results(model.requests[1]) == ["rewritten"]


def test_rewritten_command_runs(claude_project: ClaudeProject) -> None:
    """A rewritten tool input is what runs, and its output is what the model is told."""
    claude_project.write_handlers("""
        from hookwright import on, rewrite

        @on.PreToolUse(tool="Bash")
        def speak_up(event):
            return rewrite({"command": event.tool_input["command"].replace("whisper", "shout")})
    """)
    with ScriptedModel([[tool("Bash", {"command": "echo whisper > mark; cat mark"})]]) as model:
        claude_project.run(model, hooks=["PreToolUse"])
    assert tool_results(model.requests[1]) == ["shout"]
    assert (claude_project.path / "mark").read_text() == "shout\n"


def test_rejected_task_stays_open(claude_project: ClaudeProject) -> None:
    """A rejected TaskCompleted gives the model the reason by exit code 2, and the task is not completed."""
    claude_project.write_handlers("""
        from hookwright import on, reject_task

        @on.TaskCompleted()
        def want_review(event):
            return reject_task(f"{event.task_subject}: nobody has reviewed it.")
    """)
    turns: list[Turn] = [
        [tool("TaskCreate", {"subject": "Paint the shed", "description": "In green."})],
        [tool("TaskUpdate", {"taskId": "1", "status": "completed"})],
        [tool("TaskList", {})],
    ]
    with ScriptedModel(turns) as model:
        run = claude_project.run(model, hooks=["TaskCompleted"], env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"})
    assert "Paint the shed: nobody has reviewed it." in tool_results(model.requests[2])[1]
    assert "[pending] Paint the shed" in tool_results(model.requests[3])[2]
    assert [response["exit_code"] for response in run.hook_responses] == [2]


def test_no_opinion_changes_nothing(claude_project: ClaudeProject, tmp_path: Path) -> None:
    """With hookwright on every event and nothing bound, the model is told to the letter what it is told without."""
    claude_project.configure("handlers: []\n")
    plain_project = ClaudeProject.create(tmp_path / "plain", claude_project.hook_command)
    hooked, hooked_told = _converse(claude_project, HARMLESS_EVENTS)
    plain, plain_told = _converse(plain_project, [])
    assert hooked_told == plain_told
    assert (hooked.result, hooked.exit_code, hooked.stderr) == (plain.result, plain.exit_code, plain.stderr)
    assert [response for response in hooked.hook_responses if response["outcome"] != "success"] == []
    assert {response["stdout"].strip() for response in hooked.hook_responses} <= {"", "{}"}
    assert {response["hook_event"] for response in hooked.hook_responses} >= {"SessionStart", "PostToolUse", "Stop"}


def _converse(project: ClaudeProject, hooks: list[str]) -> tuple[ClientRun, list[str]]:
    """A run that meets many events, and what the model was told in each of its requests."""
    (project.path / "CLAUDE.md").write_text("We write poems.\n")
    file = str(project.path / "poem.txt")
    turns: list[Turn] = [
        [text("I write."), tool("Write", {"file_path": file, "content": "roses\n"})],
        [tool("Bash", {"command": "cat poem.txt"})],
        [tool("Bash", {"command": "false"})],
        [tool("Agent", {"description": "judge it", "prompt": "Is it good?", "run_in_background": False})],
        [text("The judge likes it.")],
        [tool("Read", {"file_path": file})],
    ]
    with ScriptedModel(turns, last_words="The poem is done.") as model:
        run = project.run(model, hooks=hooks, extra_args=["--init", "--session-id", SESSION_ID])
    return run, [_comparable(said(request), project) for request in model.requests]


def _comparable(words: str, project: ClaudeProject) -> str:
    """The same words, whenever said and wherever the project lies (the client also spells a path as one name)."""
    place = str(project.path.parent)
    words = words.replace(place, "PLACE").replace(re.sub(r"[^A-Za-z0-9]", "-", place), "PLACE")
    return re.sub(VARIES_BY_RUN, "VARIES", words)
