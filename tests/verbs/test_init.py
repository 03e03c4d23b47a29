"""`hookwright init` and `sync`, as a user meets them."""

import json
import os
import re
import subprocess
import sys

import pytest
import yaml
from setup.running import verb

from hookwright.affected.languages import table
from hookwright.config import check
from hookwright.paths import GITIGNORE
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
    assert "registered  PreToolUse(^(?:Bash|Edit|Write|NotebookEdit|MultiEdit|apply_patch|mcp__.*)$)" in said.out
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
    for word in ("init", "sync"):
        said = run(here, word).out
        assert "nothing had to change" in said and "wrote" not in said
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
    ours = {str(path.relative_to(here)) for path in here.rglob("*") if path.is_file()}
    assert {name for name in ours if name not in said.out} == set()
    assert {name for name in ours if f"write {name} (" in said.out or f"+++ {name}\n" in said.out} == ours
    assert run(here, "init", "--dry-run").out.endswith("nothing would change\n")
    assert "-" in run(here, "uninstall", "--dry-run").out
    assert settings(here)["hooks"]


def test_our_folder_is_closed_to_others_and_kept_out_of_git(here):
    """As a hook would make it; a .gitignore that is there stays."""
    run(here, "init")
    assert {oct((here / name).stat().st_mode & 0o777) for name in (".hookwright", ".hookwright/state")} == {"0o700"}
    assert (here / ".hookwright/.gitignore").read_bytes() == GITIGNORE
    run(here, "uninstall", "--purge")
    (here / ".hookwright").mkdir(exist_ok=True)
    (here / ".hookwright/.gitignore").write_text("mine\n")
    run(here, "init")
    assert (here / ".hookwright/.gitignore").read_text() == "mine\n"


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


def test_sync_takes_out_what_the_config_does_not_ask_for_any_more(here):
    """To the last entry: a settings file that only we filled is gone, not left as `{}`."""
    (here / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    run(here, "init", "--scope", "local")
    assert (here / ".claude/settings.local.json").exists()
    (here / ".hookwright.yaml").write_text("handlers: []\n")
    said = run(here, "sync")
    assert said.code == 0 and "removed     .claude/settings.local.json" in said.out
    assert not (here / ".claude").exists()


STRANGERS = {
    "launcher": (".claude/hookwright.sh", "#!/bin/sh\necho mine\n", "was not written by hookwright"),
    "schema": (".hookwright/schema.json", '{"title": "mine"}', "was not written by hookwright"),
    "linked launcher": (".claude/hookwright.sh", None, "is a link"),
    "linked schema": (".hookwright/schema.json", None, "is a link"),
    "dangling config": (".hookwright.yaml", None, "is not a file that can be read"),
}


@pytest.mark.parametrize("name, text, told", STRANGERS.values(), ids=STRANGERS.keys())
def test_files_of_others_in_the_place_of_ours_are_left_alone(here, name, text, told):
    """One sentence, nothing written anywhere, nothing through a link."""
    path = here / name
    path.parent.mkdir(exist_ok=True)
    if text is None:
        path.symlink_to(here.parent / "outside")
    else:
        path.write_text(text)
    before = sorted(here.rglob("*"))
    said = run(here, "init")
    assert said.code == 3 and told in said.err and said.err.count("\n") == 1
    assert sorted(here.rglob("*")) == before and not (here.parent / "outside").exists()
    assert path.is_symlink() if text is None else path.read_text() == text


def test_a_config_that_is_a_folder_is_told(here):
    """It is neither a config nor a place for one."""
    (here / ".hookwright.yaml").mkdir()
    said = run(here, "init")
    assert said.code == 3 and "is not a file that can be read" in said.err and said.err.count("\n") == 1
    assert os.listdir(here) == [".hookwright.yaml"]


@pytest.mark.parametrize("words", [("init",), ("init", "--dry-run"), ("sync",), ("uninstall",), ("doctor",)])
def test_settings_that_are_no_file_are_not_waited_for(here, words):
    """A FIFO would keep a reader for ever; it is told and left alone."""
    (here / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    (here / ".claude").mkdir()
    os.mkfifo(here / ".claude/settings.json")
    said = run(here, *words)
    assert said.code == (1 if words == ("doctor",) else 3)
    assert "hookwright is not registered" in said.err or "settings.json: not a regular file" in said.out + said.err
    assert os.listdir(here / ".claude") == ["settings.json"]


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
    "words, env, told, code",
    [
        (["--agent", "vim"], {}, "no agent is called 'vim' here. Known: claude-code.", 64),
        (["--scope", "user"], {"HOME": ""}, "there is no HOME", 3),
    ],
)
def test_what_cannot_be_done_is_one_sentence(here, words, env, told, code):
    """Nothing is written; wrong words leave with 64, as with every verb."""
    said = verb("init", *words, cwd=here, **{"home": here, **({"home": env["HOME"]} if env else {})})
    assert said.code == code and told in said.err and said.err.count("\n") == 1
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
        ({"package.json": '{"devDependencies": {"vitest": "1"}}'}, "javascript (vitest)"),
        ({"package.json": '{"description": "not jest"}', "go.mod": ""}, "javascript, go (go test)"),
        ({"package.json": "{"}, "javascript"),
        ({"package.json": "[1]"}, "javascript"),
        ({"package.json": '{"scripts": {"test": "node --test"}}'}, "javascript (node --test)"),
        ({"Gemfile": "", "spec/a": ""}, "ruby (rspec)"),
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


@pytest.mark.parametrize(
    "files, runners",
    [
        ({"pyproject.toml": "pytest"}, "pytest"),
        ({"package.json": '{"devDependencies": {"vitest": "1"}}', "go.mod": ""}, "vitest, go test"),
        ({"setup.py": ""}, None),  # no tests show
        ({"Gemfile": "", "spec/a": ""}, "rspec"),
        ({"Shop.sln": ""}, "dotnet test"),
        ({}, None),
    ],
)
def test_affected_tests_are_switched_on_where_they_can_be_run(here, files, runners):
    """Elsewhere the section is there as a comment to try."""
    for name, text in files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    text = starter.config(detection.detected(here))
    assert yaml.safe_load(text).get("autoTest") == ({"enabled": True} if runners else None)
    assert "autoTest:" in text and (runners is None or f"(here: {runners})" in text)


def test_the_generated_config_tests_an_edit_at_once(here):
    """An edit that breaks a test is told to the model; the first conversation after `init` has that."""
    (here / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (here / "shop.py").write_text("def total(prices):\n    return sum(prices) + 1\n")
    (here / "test_shop.py").write_text("from shop import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n")
    said = run(here, "init")
    assert "PostToolBatch" in said.out
    edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{here}/shop.py"}, "tool_use_id": "t1"}
    payload = {"hook_event_name": "PostToolBatch", "cwd": str(here), "tool_calls": [edit]}
    command = settings(here)["hooks"]["PostToolBatch"][0]["hooks"][0]["command"]
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(payload).encode(),
        capture_output=True,
        cwd=here,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(here), "VIRTUAL_ENV": sys.prefix},
        check=False,
    )
    answer = json.loads(done.stdout)
    assert "decision" not in answer
    told = answer["hookSpecificOutput"]["additionalContext"]
    assert "test_total" in told and "assert 4 == 3" in told


SHOWN = {
    "python": ["pytest", "unittest"],
    "go": ["go test"],
    "rust": ["cargo test"],
    "java": ["mvn test", "gradle test"],
    "ruby": ["rspec", "minitest"],
    "php": ["phpunit"],
    "swift": ["swift test"],
    "dart": ["dart test", "flutter test"],
    "csharp": ["dotnet test"],
    "elixir": ["mix test"],
}


def test_every_runner_that_is_told_is_one_that_we_run():
    """The signs of a runner name it as the language's own module does; every module is told by its first language."""
    for name, runners in SHOWN.items():
        spoken = table.language(name)
        assert all(runner in (*spoken.LIVE, *spoken.FORMAT_TESTED) for runner in runners)
    covered = [table.MODULES[language.name] for language in detection.LANGUAGES]
    assert covered == list(dict.fromkeys(table.MODULES.values()))
    for language in detection.LANGUAGES:
        assert {runner for _, runner in language.module.SIGNS} == set(SHOWN.get(language.name, ()))


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
