"""`init`, `uninstall`, `doctor` and the plugin under the real client: hooks fire, and are gone without a trace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from client.claude import ClaudeProject, ClientRun, client_path, isolated_environment, run_claude
from client.scripted_model import Json, ScriptedModel, Turn, said, text, tool, tool_results
from setup.running import PACKAGE, Said, verb

from hookwright.events import BY_NAME
from hookwright.setup import command_line, plugin, registration

# `git` is not started: what is tested is whether the call is refused.
PUSH = {"command": "true git push --force && touch pushed"}


def setup(project: ClaudeProject, *words: str, **options: Any) -> Said:
    """A verb, run in the project by its owner, who has the client on PATH."""
    bin_folder = project.home / "bin"
    if not bin_folder.exists():
        bin_folder.mkdir()
        (bin_folder / "claude").symlink_to(client_path())
    options = {"CLAUDE_CONFIG_DIR": str(project.home / ".claude"), **options}
    return verb(*words, cwd=project.path, home=project.home, PATH=f"{bin_folder}:{os.environ['PATH']}", **options)


def converse(project: ClaudeProject, *turns: Turn, **options: Any) -> tuple[ClientRun, ScriptedModel]:
    """One conversation with the settings as they are."""
    with ScriptedModel(list(turns)) as model:
        run = run_claude("Go.", model=model, project=project.path, home=project.home, **options)
    return run, model


def denied(model: ScriptedModel, call: int = 0) -> bool:
    return "Force-push is not allowed" in tool_results(model.requests[-1])[call]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def client_says(project: ClaudeProject, *words: str) -> subprocess.CompletedProcess[str]:
    with ScriptedModel() as model:
        environment = isolated_environment(model, project.home)
        return subprocess.run(
            [client_path(), *words],
            cwd=project.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.mark.parametrize("scope", ["project", "local", "user"])
def test_init_covers_the_next_conversation_and_uninstall_ends_it(claude_project: ClaudeProject, scope: str) -> None:
    """After init a force-push is refused; after uninstall nothing of ours is called, and the tree is what it was."""
    before = tree(claude_project.path)
    assert setup(claude_project, "init", "--scope", scope).code == 0
    _, model = converse(claude_project, [tool("Bash", PUSH)])
    assert denied(model)
    assert not (claude_project.path / "pushed").exists()
    assert setup(claude_project, "uninstall", "--purge").code == 0
    assert tree(claude_project.path) == before
    run, model = converse(claude_project, [tool("Bash", PUSH)])
    assert run.hook_responses == []
    assert (claude_project.path / "pushed").exists()


def test_foreign_hook_and_rules_stay_at_work(claude_project: ClaudeProject) -> None:
    """A user's own hook fires beside ours and their deny rule holds; uninstall gives their file back to the byte."""
    settings = claude_project.path / ".claude/settings.json"
    settings.parent.mkdir()
    own = {"type": "command", "command": "touch theirs"}
    rules = {"deny": ["Bash(touch forbidden)"]}
    original = json.dumps({"permissions": rules, "hooks": {"PreToolUse": [{"hooks": [own]}]}}, indent="\t")
    settings.write_text(original)
    assert setup(claude_project, "init").code == 0
    run, model = converse(claude_project, [tool("Bash", PUSH)], [tool("Bash", {"command": "touch forbidden"})])
    assert denied(model)
    assert len([each for each in run.hook_responses if each["hook_event"] == "PreToolUse"]) == 4
    assert (claude_project.path / "theirs").exists()
    assert not (claude_project.path / "forbidden").exists()
    setup(claude_project, "uninstall")
    assert settings.read_text() == original


@pytest.fixture
def plugged(claude_project: ClaudeProject, tmp_path: Path) -> ClaudeProject:
    """A project with a config, not registered; the plugin is installed from its marketplace."""
    assert setup(claude_project, "plugin", "build", str(tmp_path / "plugin")).code == 0
    setup(claude_project, "init", "--scope", "local")
    setup(claude_project, "uninstall", "--scope", "local")
    assert client_says(claude_project, "plugin", "marketplace", "add", str(tmp_path / "plugin")).returncode == 0
    assert client_says(claude_project, "plugin", "install", "hookwright@hookwright").returncode == 0
    return claude_project


def command(project: ClaudeProject, tmp_path: Path, prompt: str, *turns: Turn) -> ScriptedModel:
    """One of the plugin's commands, typed by a person who has allowed nothing beforehand."""
    with ScriptedModel(list(turns)) as model:
        run_claude(
            prompt,
            model=model,
            project=project.path,
            home=project.home,
            extra_args=["--permission-mode", "default"],
            env=_installed(tmp_path),
        )
    return model


def test_plugin_instead_of_settings(plugged: ClaudeProject, tmp_path: Path) -> None:
    """The plugin alone guards a project, and its status command needs no permission."""
    model = command(plugged, tmp_path, "/hookwright:status", [tool("Bash", PUSH)])
    assert "What `hookwright doctor` says of this project" in said(model.requests[0])
    assert "registered by the plugin" in said(model.requests[0])
    assert "ok   command" in said(model.requests[0])
    assert denied(model)
    report = setup(plugged, "doctor")
    assert "ok   registered   registered by the plugin hookwright@hookwright" in report.out
    assert "ok   command      the command line answers in" in report.out
    assert "ok   seen         last seen: PreToolUse" in report.out


def test_the_plugins_test_command(plugged: ClaudeProject, tmp_path: Path) -> None:
    """The model is given the outcome of the tests that the changes since the last commit affect."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(plugged.path)]
    (plugged.path / "shop.py").write_text("def total(prices):\n    return sum(prices)\n")
    test = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
    (plugged.path / "test_shop.py").write_text(test)
    for words in (["init", "-q"], ["add", "--all"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], check=True)
    (plugged.path / "shop.py").write_text("def total(prices):\n    return sum(prices) + 1\n")
    model = command(plugged, tmp_path, "/hookwright:test")
    told = said(model.requests[0])
    assert "The outcome of `hookwright test --since HEAD`" in told
    assert "test_shop.py::test_total" in told and "assert 4 == 3" in told


def test_the_plugins_command_for_the_suite(plugged: ClaudeProject, tmp_path: Path) -> None:
    """It starts the project's conversation suite: the first test is in the model's context, the next when it stops."""
    plugged.configure("suite: {drive: self}\n")
    (plugged.path / "tests/functional").mkdir(parents=True)
    cases = [f'  - {{id: {word}, action: "Say {word}", expect: [{{contains: {word}}}]}}\n' for word in ("one", "two")]
    (plugged.path / "tests/functional/tests.yaml").write_text("tests:\n" + "".join(cases))
    model = command(plugged, tmp_path, "/hookwright:run-tests", [text("one")], [text("two")])
    assert "Execute the following test:" in said(model.requests[0]) and "Say one" in said(model.requests[0])
    assert "Say two" in said(model.requests[1])


def _installed(tmp_path: Path) -> dict[str, str]:
    """A `hookwright` on PATH, as pip would put it there."""
    script = tmp_path / "bin" / "hookwright"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nimport sys\nfrom hookwright.cli import main\nsys.exit(main())\n")
    script.chmod(0o755)
    return {"PATH": f"{script.parent}:{os.environ['PATH']}"}


def test_config_breaks_in_mid_conversation(claude_project: ClaudeProject) -> None:
    """When the config is broken between two calls, what was last good still guards, and nothing else is refused."""
    setup(claude_project, "init", "--scope", "local")

    def after_breaking_it(_: Json) -> list[Json]:
        (claude_project.path / ".hookwright.yaml").write_text("handlers: [\n")
        return [tool("Bash", PUSH)]

    turns: list[Turn] = [[tool("Bash", PUSH)], after_breaking_it, [tool("Bash", {"command": "echo fine"})]]
    _, model = converse(claude_project, *turns)
    results = tool_results(model.requests[-1])
    assert ["Force-push is not allowed" in result for result in results] == [True, True, False]
    assert results[2] == "fine"


def test_package_is_removed_after_init(claude_project: ClaudeProject, tmp_path: Path) -> None:
    """Without the package, without its launcher, or with a torn one, hooks do nothing and every tool call runs."""
    copy = tmp_path / "site" / "hookwright"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    setup(claude_project, "init", "--scope", "local", source=copy.parent)
    setup(claude_project, "init", "--scope", "project", source=copy.parent)
    _, model = converse(claude_project, [tool("Bash", PUSH)])
    assert denied(model)
    shutil.rmtree(copy)
    launcher = claude_project.path / ".claude" / command_line.LAUNCHER
    whole = launcher.read_bytes()

    def torn(_: Json) -> list[Json]:
        launcher.write_bytes(b"<<<<<<< HEAD\n" + whole + b"=======\nfi\n>>>>>>> topic\n")
        return [tool("Bash", {"command": "echo second"})]

    def gone(_: Json) -> list[Json]:
        launcher.unlink()
        return [tool("Bash", {"command": "echo third"})]

    run, model = converse(claude_project, [tool("Bash", {"command": "echo first"})], torn, gone)
    assert tool_results(model.requests[-1]) == ["first", "second", "third"]
    assert {response["exit_code"] for response in run.hook_responses} == {0}
    assert "hookwright uninstall" in "".join(response["stderr"] for response in run.hook_responses)


def test_doctor_agrees_with_the_conversation(claude_project: ClaudeProject) -> None:
    """All is well after a conversation in which hooks fired, and one in which they could not is told."""
    setup(claude_project, "init", "--scope", "local")
    converse(claude_project, [tool("Bash", {"command": "echo fine"})])
    report = setup(claude_project, "doctor")
    assert report.code == 0, report.out
    assert "last seen: PreToolUse just now" in report.out
    assert "valid by claude doctor" in report.out
    converse(claude_project, [tool("Bash", PUSH)], extra_args=["--setting-sources", "user"])
    report = setup(claude_project, "doctor", "--json")
    assert report.code == 1
    missed = [row["text"] for row in json.loads(report.out)["findings"] if row["level"] == "bad"]
    assert missed and all("should have fired in the last conversation" in text for text in missed)
    assert missed[0].startswith("PreToolUse")


PROVEN = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"]
PROVEN += ["SubagentStart", "Stop", "MessageDisplay"]


def test_what_the_doctor_misses_is_what_the_client_sends(claude_project: ClaudeProject) -> None:
    """A conversation of many events leaves it content; the same one without hooks, and it names each of them."""
    sections = [f"{event[0].lower()}{event[1:]}: {{commands: [{{run: 'true'}}]}}\n" for event in PROVEN]
    claude_project.configure("".join(sections))
    setup(claude_project, "init", "--scope", "local")
    turns: list[Turn] = [
        [tool("Bash", {"command": "echo fine"}), tool("Bash", {"command": "exit 3"})],
        [tool("NoSuchTool", {})],
        [tool("Agent", {"description": "d", "prompt": "go", "subagent_type": "general-purpose"})],
    ]
    converse(claude_project, *turns)
    report = setup(claude_project, "doctor")
    assert report.code == 0, report.out
    converse(claude_project, *turns, extra_args=["--setting-sources", "user"])
    found = json.loads(setup(claude_project, "doctor", "--json").out)["findings"]
    missed = [row["text"].split()[0] for row in found if row["level"] == "bad"]
    assert sorted(missed) == sorted(PROVEN)


def test_the_same_command_line_in_two_scopes_is_called_once(claude_project: ClaudeProject) -> None:
    """Which is why local and user scope together are no double registration."""
    setup(claude_project, "init", "--scope", "local")
    setup(claude_project, "init", "--scope", "user")
    run, model = converse(claude_project, [tool("Bash", PUSH)])
    assert denied(model)
    assert len([each for each in run.hook_responses if each["hook_event"] == "PreToolUse"]) == 1


def test_settings_are_read_where_the_client_is_started(claude_project: ClaudeProject) -> None:
    """In a folder below the checkout the client does not read them, which doctor tells; in a worktree it does."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(claude_project.path)]
    subprocess.run([*git, "init", "-q"], check=True)
    setup(claude_project, "init")
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=x"], check=True)
    subprocess.run([*git, "worktree", "add", "--quiet", str(claude_project.home / "tree")], check=True)
    (claude_project.path / "src").mkdir()
    for folder, guarded in ((claude_project.path / "src", False), (claude_project.home / "tree", True)):
        _, model = converse(ClaudeProject(folder, claude_project.home, ""), [tool("Bash", PUSH)])
        assert denied(model) is guarded


def test_every_registration_passes_the_clients_own_validation(claude_project: ClaudeProject, tmp_path: Path) -> None:
    """All 33 events with the command lines and matchers of every scope: `claude doctor` has nothing to say."""
    settings = claude_project.path / ".claude/settings.json"
    settings.parent.mkdir()
    kinds = [
        (command_line.of_this_machine(), None),
        (command_line.of_the_project(), "Bash|Edit"),
        (command_line.of_this_machine("/opt/a b/it's $HOME/python", '/x/"q"/boot.py'), r"^(?:mcp__.*|a\.b)$"),
    ]
    hooks = {event: [registration.group(*kind) for kind in kinds] for event in BY_NAME}
    settings.write_text(json.dumps({"hooks": hooks}))
    assert "Invalid settings" not in client_says(claude_project, "doctor").stdout
    log = claude_project.home / "log"
    client_says(claude_project, "--init-only", "--debug-file", str(log))
    hook_lines = [line for line in log.read_text().splitlines() if "hook" in line.lower()]
    assert any("SessionStart" in line for line in hook_lines)
    assert [line for line in hook_lines if "invalid" in line.lower() or "unrecognized" in line.lower()] == []
    settings.unlink()
    sections = [f"{event[0].lower()}{event[1:]}: {{commands: [{{run: 'true'}}]}}\n" for event in BY_NAME]
    claude_project.configure("".join(sections))
    assert setup(claude_project, "init", "--scope", "project").code == 0
    assert set(json.loads(settings.read_bytes())["hooks"]) == set(BY_NAME) and len(BY_NAME) == 33
    assert "Invalid settings" not in client_says(claude_project, "doctor").stdout
    settings.write_text(json.dumps({"hooks": {**hooks, "Bogus": []}}))
    assert "Invalid settings" in client_says(claude_project, "doctor").stdout  # it does look
    folder = tmp_path / "plugin"
    setup(claude_project, "plugin", "build", str(folder))
    for target in (folder, folder / plugin.MANIFEST):
        checked = client_says(claude_project, "plugin", "validate", "--strict", str(target))
        assert checked.returncode == 0, checked.stdout
    document = {"hooks": {event: [registration.group(command_line.of_the_plugin())] for event in BY_NAME}}
    (folder / "hooks/hooks.json").write_text(json.dumps(document))
    assert client_says(claude_project, "plugin", "validate", "--strict", str(folder / plugin.MANIFEST)).returncode == 0
