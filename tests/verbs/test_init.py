"""`hookwright init` and `sync`, as a user meets them."""

import json
import os
import re

import pytest
import yaml
from setup.running import verb

from hookwright.config import check
from hookwright.setup import detection, starter
from hookwright.testing import fire


@pytest.fixture
def here(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "home").mkdir()
    return folder


def run(here, *words, **env):
    return verb(*words, cwd=here, home=here.parent / "home", **env)


def settings(here, name="settings.json"):
    return json.loads((here / ".claude" / name).read_bytes())


def test_one_word_and_the_project_is_covered(here):
    """A config, its handlers and the registration are there, and `check` has nothing to say."""
    (here / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    said = run(here, "init")
    assert said.code == 0
    assert said.out.startswith("found       python (pytest)\nwrote       .hookwright.yaml\n")
    assert "registered  PreToolUse(Bash|Edit|Write|NotebookEdit)" in said.out
    assert "PreToolUse" in settings(here)["hooks"]
    assert run(here, "check").code == 0
    assert (
        (here / ".hookwright.yaml").read_text().startswith("# yaml-language-server: $schema=.hookwright/schema.json\n")
    )
    assert json.loads((here / ".hookwright/schema.json").read_bytes())["title"] == "hookwright config"


def test_a_second_run_changes_no_byte(here):
    """Nor a time stamp: nothing is written at all."""
    run(here, "init")
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    assert "wrote" not in run(here, "init").out
    assert "nothing had to change" in run(here, "sync").out
    assert {path: path.stat().st_mtime_ns for path in here.rglob("*")} == before


def test_dry_run_shows_a_diff_and_writes_nothing(here):
    """Every file, and a line for those that are generated."""
    (here / ".claude").mkdir()
    (here / ".claude/settings.json").write_text('{"model": "opus"}')
    said = run(here, "init", "--dry-run")
    assert '-{"model": "opus"}\n\\ No newline at end of file\n+{"model": "opus", "hooks": ' in said.out
    assert "+++ .hookwright.yaml" in said.out and "write .hookwright/schema.json" in said.out
    assert sorted(os.listdir(here)) == [".claude"] and os.listdir(here / ".claude") == ["settings.json"]
    run(here, "init")
    assert run(here, "init", "--dry-run").out.endswith("nothing would change\n")
    assert "-" in run(here, "uninstall", "--dry-run").out
    assert settings(here)["hooks"]


def test_an_existing_config_is_never_touched(here):
    """Only the registration is made for it."""
    (here / ".hookwright.yml").write_text("stop: {commands: [{run: 'true'}]}\n")
    run(here, "init")
    assert "Stop" in settings(here)["hooks"]
    assert (here / ".hookwright.yml").read_text() == "stop: {commands: [{run: 'true'}]}\n"
    assert not (here / ".hookwright.yaml").exists() and not (here / ".hookwright/handlers.py").exists()


def test_a_conclaude_config_is_read_as_it_is(here):
    """It is not replaced by one of ours."""
    (here / ".conclaude.yaml").write_text("stop:\n  commands:\n    - run: 'true'\n")
    said = run(here, "init")
    assert ".conclaude.yaml is read as it is" in said.out
    assert not (here / ".hookwright.yaml").exists()
    assert "Stop" in settings(here)["hooks"]


def test_handlers_that_are_there_stay(here):
    """A config that was lost is written again, and uses them."""
    (here / ".hookwright").mkdir()
    (here / ".hookwright/handlers.py").write_text("from hookwright import on\n@on.Setup\ndef f(e): pass\n")
    assert run(here, "init").code == 0
    assert "Setup" in settings(here)["hooks"]
    assert "@on.Setup" in (here / ".hookwright/handlers.py").read_text()


def test_sync_follows_the_config(here):
    """A new section is registered by `sync`, which writes no config and registers nowhere new."""
    assert run(here, "sync").code == 3
    (here / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    said = run(here, "sync")
    assert (said.code, said.err.count("\n")) == (3, 1) and "hookwright init" in said.err
    run(here, "init", "--scope", "local")
    (here / ".hookwright.yaml").write_text("setup: {commands: [{run: 'true'}]}\n")
    assert "Setup" in run(here, "sync").out
    hooks = settings(here, "settings.local.json")["hooks"]
    assert "Setup" in hooks and "Stop" not in hooks
    assert not (here / ".claude/settings.json").exists()


def test_two_scopes_are_told(here):
    """Each event would be answered twice."""
    run(here, "init", "--scope", "local")
    assert "twice" not in run(here, "init", "--scope", "user").out  # one command line in both: the client runs it once
    run(here, "uninstall", "--scope", "user")
    said = run(here, "init", "--scope", "project")
    assert "fire twice: hookwright uninstall --scope local" in said.out


def test_foreign_hooks_are_counted(here):
    """And stay."""
    (here / ".claude").mkdir()
    theirs = {"Stop": [{"hooks": [{"type": "http", "url": "http://127.0.0.1/"}]}]}
    (here / ".claude/settings.json").write_text(json.dumps({"hooks": theirs}))
    assert "1 other hook stays as it is" in run(here, "init").out
    assert settings(here)["hooks"]["Stop"][0] == theirs["Stop"][0]


@pytest.mark.parametrize(
    "words, env, told",
    [
        (["--agent", "vim"], {}, "no agent is called 'vim' here. Known: claude-code."),
        (["--scope", "user"], {"HOME": ""}, "there is no HOME"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(here, words, env, told):
    """Exit 3, nothing written."""
    said = verb("init", *words, cwd=here, **{"home": here, **({"home": env["HOME"]} if env else {})})
    assert said.code == 3 and told in said.err and said.err.count("\n") == 1
    assert os.listdir(here) == []


def test_init_from_a_folder_inside_the_checkout(here):
    """The checkout is the project."""
    (here / ".git").mkdir()
    (here / "src").mkdir()
    said = verb("init", cwd=here / "src", home=here.parent / "home")
    assert said.code == 0
    assert (here / ".hookwright.yaml").exists() and not (here / "src/.hookwright.yaml").exists()


@pytest.mark.parametrize(
    "command, decision",
    [
        ("git push --force", "deny"),
        ("git -C x push -f origin main", "deny"),
        ("cd a && git push origin +main", "deny"),
        ("make; git push --mirror", "deny"),
        ("git push --force-with-lease", None),
        ("git push", None),
        ("git fetch --force; git push", None),
        ("echo git", None),
        ("rm -f push", None),
    ],
)
def test_the_generated_guard_of_pushes(here, command, decision):
    """Nobody's work is overwritten; the safe form stays possible."""
    written(here)
    assert fire("PreToolUse", here, tool_name="Bash", tool_input={"command": command}).decision == decision


@pytest.mark.parametrize(
    "name, decision",
    [
        (".env", "ask"),
        (".env.local", "ask"),
        (".env.example", None),
        ("Cargo.lock", "ask"),
        ("package-lock.json", "ask"),
        ("app.py", None),
        ("environment.py", None),
    ],
)
def test_the_generated_guard_of_files(here, name, decision):
    """The person is asked; in a project of unknown language, about any lock file."""
    written(here)
    answer = fire("PreToolUse", here, tool_name="Write", tool_input={"file_path": f"{here}/{name}", "content": ""})
    assert answer.decision == decision


def written(here):
    (here / ".hookwright").mkdir()
    for path, data in starter.files(here, detection.detected(here)).items():
        path.write_bytes(data)


@pytest.mark.parametrize(
    "files, expected",
    [
        ({"pyproject.toml": "pytest"}, "python (pytest)"),
        ({"setup.py": "", "tests/test_a.py": ""}, "python (unittest)"),
        ({"package.json": '{"devDependencies": {"vitest": "1"}}'}, "node (vitest)"),
        ({"package.json": '{"description": "not jest"}', "go.mod": ""}, "node, go (go test)"),
        ({"package.json": "{"}, "node"),
        ({"Cargo.toml": "", "build.gradle": ""}, "rust (cargo test), java (gradle test)"),
        ({}, ""),
    ],
)
def test_what_a_project_is_told_by(here, files, expected):
    """Files at its root, and words in them."""
    for name, text in files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    assert detection.described(detection.detected(here)) == expected


def test_affected_tests_are_switched_on_where_there_are_tests(monkeypatch):
    """Once the feature is there; a project of unknown language keeps it as a comment."""
    monkeypatch.setattr(starter, "AFFECTED_TESTS_READY", True)
    found = [detection.Found(detection.LANGUAGES[0], "pytest")]
    assert yaml.safe_load(starter.config(found))["autoTest"] == {"enabled": True}
    assert "(here: pytest)" in starter.config(found)
    assert "autoTest" not in yaml.safe_load(starter.config([]))


def test_generated_files_fit_every_language(here):
    """Each config checks, each handler file is clean Python that locks the files of its language only."""
    for language in detection.LANGUAGES:
        found = [detection.Found(language, "")]
        compile(starter.handlers(found), "handlers.py", "exec")
        assert all(name in starter.handlers(found) for name in language.locks)
        text = re.sub(r"^# (autoTest|postToolUse|  )", r"\1", starter.config(found), flags=re.M)
        (here / ".hookwright.yaml").write_text(text)
        assert [
            str(problem) for problem in check(str(here / ".hookwright.yaml")) if "no such file" not in str(problem)
        ] == []
        assert "postToolUse" in yaml.safe_load(text)
        assert max(map(len, starter.handlers(found).splitlines())) <= 120
    assert "Cargo.lock" not in starter.handlers([detection.Found(detection.LANGUAGES[0], "")])
