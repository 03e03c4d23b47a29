"""`protectOwnFiles`: the agent cannot change what watches it, and nothing else is in its way."""

import json

import pytest

from hookwright.setup.settings import FORMAT, MARK
from hookwright.testing import fire

OURS = {"type": "command", "command": "hookwright-launcher", MARK: FORMAT}
SETTINGS = {"permissions": {"allow": []}, "hooks": {"Stop": [{"hooks": [OURS]}]}}


@pytest.fixture
def protected(project):
    project.handlers("").config('protectOwnFiles: true\nhandlers: [".hookwright/handlers.py"]\n')
    (project.folder / ".claude").mkdir()
    (project.folder / ".claude/settings.json").write_text(json.dumps(SETTINGS, indent=2))
    return project


def decision(project, tool, **given):
    answer = fire("PreToolUse", project=project.folder, tool_name=tool, tool_input=given, cwd=str(project.folder))
    assert "failed" not in answer.stderr
    return answer.decision


@pytest.mark.parametrize(
    "path",
    [".hookwright.yaml", ".hookwright/handlers.py", ".hookwright/journal.jsonl", ".hookwright/state/x", ".hookwright.yml",
     "src/../.hookwright.yaml", ".hookwright/handlers/new.py", ".hookwright.yaml ", "src/.hookwright.yaml"],
)  # fmt: skip
def test_our_files_are_not_edited(protected, path):
    """Our config, handlers, journal and state are closed to every editing tool."""
    assert decision(protected, "Write", file_path=path, content="") == "deny"
    assert decision(protected, "Edit", file_path=str(protected.folder / path), old_string="a", new_string="b") == "deny"


def test_a_link_is_seen_through(protected):
    """A file that leads to ours by another name is ours."""
    (protected.folder / "notes.txt").symlink_to(".hookwright.yaml")
    (protected.folder / "elsewhere").symlink_to(".hookwright")
    (protected.folder / "hard.txt").hardlink_to(protected.folder / ".hookwright.yaml")
    assert decision(protected, "Write", file_path="hard.txt", content="") == "deny"
    assert decision(protected, "Write", file_path="notes.txt", content="") == "deny"
    assert decision(protected, "Write", file_path="elsewhere/handlers.py", content="") == "deny"


@pytest.mark.parametrize(
    "path", ["src/a.py", "docs/.hookwright.md", "hookwright/x.py", ".claude/agents/a.md", "a/.hookwright.yaml.j2"]
)
def test_other_files_are_free(protected, path):
    """What is not ours is not our business."""
    assert decision(protected, "Write", file_path=path, content="") is None


def test_settings_may_change_around_our_entries(protected):
    """The agent may edit its settings so long as our entries stay, and stay switched on."""
    place = str(protected.folder / ".claude/settings.json")
    more = SETTINGS | {"model": "opus"}
    assert decision(protected, "Write", file_path=place, content=json.dumps(more)) is None
    assert (
        decision(protected, "Edit", file_path=place, old_string='"allow": []', new_string='"allow": ["Read"]') is None
    )
    assert decision(protected, "Write", file_path=place, content="{}") == "deny"
    assert decision(protected, "Write", file_path=place, content="{not json") == "deny"
    assert (
        decision(protected, "Write", file_path=place, content=json.dumps(SETTINGS | {"disableAllHooks": True}))
        == "deny"
    )
    assert decision(protected, "Edit", file_path=place, old_string="hookwright-launcher", new_string="true") == "deny"
    assert (
        decision(
            protected,
            "MultiEdit",
            file_path=place,
            edits=[{"old_string": MARK, "new_string": "x", "replace_all": True}],
        )
        == "deny"
    )


@pytest.mark.parametrize(
    "command",
    [
        "rm .hookwright.yaml",
        "echo '{}' > .hookwright.yaml",
        "cat x >> ./.hookwright/handlers.py",
        "sed -i s/deny/allow/ .hookwright/handlers.py",
        "ls && rm -rf .hookwright",
        "cd .hookwright && rm journal.jsonl",
        "python -c \"open('.hookwright.yaml','w')\"",
        "bash -c 'rm .hookwright.yaml'",
        "mv .hookwright .h",
        "rm -rf .hook*",
        "git checkout HEAD~3 -- .hookwright.yaml",
        "echo '{}' > .claude/settings.json",
        "cd .claude; rm settings.json",
        "cat $(rm .hookwright.yaml)",
        "cp /tmp/x .claude/settings.local.json",
        "tee .hookwright.yaml < /tmp/x",
        "hookwright uninstall",
        "hookwright  trust --yes",
        "echo 'open quote > .hookwright.yaml",
    ],
)
def test_commands_that_may_change_our_files_are_denied(protected, command):
    """A shell command that names our files and may write is refused."""
    assert decision(protected, "Bash", command=command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "cat .hookwright.yaml",
        "grep -r deny .hookwright 2>/dev/null | head",
        "git diff .hookwright.yaml && git add .hookwright.yaml",
        "cat .hookwright/journal.jsonl > /tmp/copy",
        "jq . .claude/settings.json",
        "rm -rf build/*",
        "rm .vscode/settings.json",
        "hookwright check && hookwright doctor",
        "cd /home/me/hookwright && make test",
        "sed -n 1,5p .hookwright.yaml",
    ],
)
def test_looking_is_free(protected, command):
    """Reading our files, and using hookwright, needs nobody's leave."""
    assert decision(protected, "Bash", command=command) is None


def test_a_way_up_through_a_link_is_followed_as_the_system_does(protected):
    """`away/..` is where the link leads, not where it lies, to a client that leaves paths as they are."""
    (protected.folder / "src").mkdir()
    (protected.folder / "docs").mkdir()
    (protected.folder / "docs/away").symlink_to("../src")
    assert decision(protected, "Write", file_path="docs/away/../.hookwright/state/x", content="") == "deny"


def test_the_users_decisions_are_not_the_agents(protected, tmp_path_factory, monkeypatch):
    """The agent cannot approve a config by writing the approval, by an edit or by a command."""
    monkeypatch.setenv("HOME", home := str(tmp_path_factory.mktemp("home")))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for path in (f"{home}/.config/hookwright/trust.json", "~/.config/hookwright/trust.json"):
        assert decision(protected, "Write", file_path=path, content="") == "deny"
        assert decision(protected, "Bash", command=f"cp /tmp/x {path}") == "deny"
    assert decision(protected, "Bash", command="cd ~/.config/hookwright; rm trust.json") == "deny"
    assert decision(protected, "Write", file_path="~/.config/other.json", content="") is None


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("write_file", {"path": ".hookwright.yaml", "content": ""}, "deny"),
        ("edit_file", {"path": ".claude/settings.json", "edits": []}, "deny"),
        ("move_file", {"source": ".hookwright", "destination": "x"}, "deny"),
        ("createFiles", {"files": [{"uri": "file://.hookwright/handlers.py"}]}, "deny"),
        ("read_file", {"path": ".hookwright.yaml"}, None),
        ("write_file", {"path": "notes.md", "content": "see\n.hookwright.yaml"}, None),
    ],
)
def test_tools_of_servers_are_judged_by_their_names_and_paths(protected, tool, given, expected):
    """A filesystem server is one more way to write; reading through it is free."""
    assert decision(protected, f"mcp__filesystem__{tool}", **given) == expected


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "echo " + " ".join(f".hookx/{n}*" for n in range(20_000)) + "; rm .hookwright.yaml"}),
        ("Bash", {"command": "echo .hook " + "$(" * 20_000}),
        ("mcp__files__write", {"paths": [f"hookwright/{n}" for n in range(20_000)]}),
    ],
)
def test_what_takes_too_long_to_look_at_is_refused(protected, tool, given):
    """The client goes on without a hook that it has waited for too long: a guard is not to be kept busy."""
    assert decision(protected, tool, **given) == "deny"


@pytest.mark.parametrize("path", ["a\0b", "x/" * 50_000 + "y", "~nobody/x", "\ud800"])
def test_no_path_is_too_odd(protected, path):
    """A path that no system takes is nobody's file."""
    assert decision(protected, "Write", file_path=path, content="") is None


def test_the_reason_is_short(protected):
    """However long the path is that leads to our file."""
    answer = fire(
        "PreToolUse",
        project=protected.folder,
        tool_name="Write",
        tool_input={"file_path": "x/../" * 20_000 + ".hookwright.yaml", "content": ""},
    )
    assert answer.decision == "deny"
    assert len(answer.reason) < 1_000


def test_a_large_text_for_another_file_is_free(protected):
    """A here-document of a megabyte, stars and all, is looked through at once."""
    text = "* a *point* of [many](x.md) in src/*.py, what?\n" * 20_000
    assert decision(protected, "Bash", command=f"cat > notes.md <<'EOF'\n{text}EOF\n") is None


def test_an_edit_that_we_cannot_follow_is_refused(protected):
    """A client finds text by other quotation marks than ours: what cannot be found here may be found there."""
    place = str(protected.folder / ".claude/settings.json")
    assert decision(protected, "Edit", file_path=place, old_string="“Stop”", new_string='"Stopp"') == "deny"


def test_the_plugin_is_not_switched_off(protected):
    """Who has us as a plugin keeps us as long as the person does; other plugins are the agent's business."""
    place = str(protected.folder / ".claude/settings.local.json")
    for name, expected in (("hookwright@market", "deny"), ("other@market", None)):
        content = json.dumps({"enabledPlugins": {name: False}})
        assert decision(protected, "Write", file_path=place, content=content) == expected


def test_it_is_off_unless_asked_for(project):
    """Without the key the agent may edit our files as any other."""
    project.config("postToolUse: {commands: []}\n")
    assert decision(project, "Write", file_path=".hookwright.yaml", content="") is None


def test_a_handler_elsewhere_is_protected_too(project):
    """Wherever the config finds its handlers, the agent may not rewrite them, by an edit or by a command."""
    (project.folder / "tools").mkdir()
    (project.folder / "tools/guards.py").write_text("")
    project.config('protectOwnFiles: true\nhandlers: ["tools/guards.py"]\n')
    assert decision(project, "Write", file_path="tools/guards.py", content="") == "deny"
    assert decision(project, "Bash", command="sed -i d tools/guards.py") == "deny"
    assert decision(project, "Bash", command="rm guards.py") is None  # another file of that name
    for command in ("cd tools && rm guards.py", "rm -rf tools", "rm tools/*.py", "find tools -name '*.py' -delete"):
        assert decision(project, "Bash", command=command) == "deny", command
    for command in ("pytest tools", "cp x.py tools/", "ruff check tools *.py", "git add tools"):
        assert decision(project, "Bash", command=command) is None, command
    assert decision(project, "Write", file_path="tools/other.py", content="") is None
