"""`hookwright doctor`: each thing that can be wrong is seen, said, and mended by the command that it names."""

import contextlib
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from setup.running import PACKAGE, alter, verb

from hookwright.cli import COMMANDS
from hookwright.setup import checks, diagnosis, facts
from hookwright.verbs import doctor

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "home").mkdir()
    return folder


def run(here, *words, **env):
    return verb(*words, cwd=here, home=here.parent / "home", **{"PATH": "/usr/bin:/bin", **env})


def findings(here, check, **env):
    """(level, text) of one check."""
    said = run(here, "doctor", "--json", **env)
    rows = json.loads(said.out)["findings"]
    assert (said.code == 1) is any(row["level"] == "bad" for row in rows)
    return [(row["level"], row["text"]) for row in rows if row["check"] == check]


def fake_client(here, version="2.1.325", doctor="Claude Code doctor"):
    """A `claude` on PATH that says what we want; the real one is asked in tests/client."""
    folder = here.parent / "bin"
    folder.mkdir(exist_ok=True)
    script = folder / "claude"
    script.write_text(
        f"#!/bin/sh\ncase $1 in --version) echo '{version} (Claude Code)';; doctor) echo '{doctor}';; esac\n"
    )
    script.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def change_settings(here, **keys):
    path = here / ".claude/settings.local.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | keys))


@pytest.fixture
def ready(here):
    run(here, "init", "--scope", "local")
    return here


def test_all_is_well(ready):
    """Every line is ok, on one screen, and the exit code is 0."""
    said = run(ready, "doctor", **fake_client(ready))
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[-1] == "hooks work here"
    assert all(line.startswith("ok   ") for line in lines[:-1]) and len(lines) < 24
    assert [line.split()[1] for line in lines if line.startswith("ok   command")] == ["command"]
    assert "\033" not in said.out


def test_the_screen_of_a_person(ready):
    """In a terminal: colours, lines folded beside the margin, files of this folder by their short names."""
    alter(ready, "PreToolUse", matcher="Nope", **{"if": "Bash(a)", "shell": "powershell"})
    kept = {"PATH": "/usr/bin:/bin", "HOME": str(ready.parent / "home"), "COLUMNS": "80", "TERM": "xterm"}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from hookwright.cli import main; main()", "doctor"]
    shown = b""
    with subprocess.Popen(command, cwd=ready, env=kept, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        with contextlib.suppress(OSError):  # how a terminal says that nobody is there any more
            while part := os.read(ours, 65536):
                shown += part
    os.close(ours)
    lines = re.sub(r"\033\[\d+m", "", shown.decode()).replace("\r", "").splitlines()
    assert b"\033[31mbad \033[0m registered" in shown
    assert all(len(line) <= 80 or len(line.split()) == 1 for line in lines)  # a path is not torn
    first = next(line for line in lines if "registered" in line)
    assert first.startswith("bad  registered   .claude/settings.local.json: PreToolUse has the")
    assert lines[lines.index(first) + 1].startswith(" " * 18)


@pytest.mark.parametrize("inside", ["/", None])
def test_short_names_are_of_this_folder_only(here, inside):
    """A path that only contains the folder's keeps its beginning, and at the root nothing is short."""
    folder = Path(f"{here.parent}/x{here}")
    folder.mkdir(parents=True)
    (folder / "hookwright").touch(0o755)
    said = verb("doctor", cwd=inside or here, home=here.parent / "home", PATH=str(folder))
    assert f"hookwright is {folder}/hookwright\n" in said.out


def test_bindings_are_counted(ready):
    """In words that a person would use."""
    (ready / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    assert findings(ready, "config") == [("ok", ".hookwright.yaml: 1 binding on 1 event")]


def test_before_init(here):
    """What to do first."""
    assert findings(here, "registered") == [("bad", "no settings file has our hooks: nothing fires")]
    assert findings(here, "config")[0][0] == "warn"


def test_a_config_that_binds_nothing(here):
    """Nothing is registered for it, which is no fault; what both verbs advise leads on."""
    (here / ".hookwright.yaml").write_text("handlers: []\n")
    assert "add a section, then run `hookwright init` again" in run(here, "init").out
    assert findings(here, "registered") == [("warn", "nothing is registered: the config gives the agent nothing to do")]
    (here / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    assert run(here, "init").code == 0
    assert findings(here, "registered") == [("ok", "project scope: Stop")]


def test_the_client(ready):
    """Missing, mute, old."""
    assert findings(ready, "agent") == [("warn", "Claude Code is not on PATH")]
    assert findings(ready, "agent", **fake_client(ready, "2.0.1"))[0][1].startswith("Claude Code 2.0.1 is older")
    assert "does not tell its version" in findings(ready, "agent", **fake_client(ready, "what?"))[0][1]


def test_events_that_an_older_client_does_not_send(ready):
    """It ignores their registration without a word."""
    (ready / ".hookwright.yaml").write_text("stop: &x {commands: [{run: 'true'}]}\npostToolBatch: *x\n")
    run(ready, "sync")
    assert findings(ready, "agent", **fake_client(ready, "2.1.117"))[0] == (
        "bad",
        "Claude Code 2.1.117 never sends PostToolBatch, registered here",
    )
    assert [level for level, _ in findings(ready, "agent", **fake_client(ready, "2.1.118"))] == ["warn"]


def test_a_broken_config(ready):
    """Its first problem with line and column."""
    (ready / ".hookwright.yaml").write_text("stpo: {}\n")
    level, text = findings(ready, "config")[0]
    assert level == "bad" and text.startswith(".hookwright.yaml:1:1: stpo")


def test_a_settings_file_that_the_client_drops(ready):
    """One bad entry of anybody under PreToolUse; a comment; and what only the client itself knows."""
    (ready / ".claude/settings.json").write_text('{"hooks": {"PreToolUse": [{"hooks": [{"type": "x"}]}], "Bogus": []}}')
    found = findings(ready, "settings")
    assert [level for level, _ in found] == ["bad", "warn"]
    assert "hooks.PreToolUse.0.hooks.0.type" in found[0][1] and "WHOLE file" in found[0][1]
    (ready / ".claude/settings.json").write_text("{\n // mine\n}")
    assert "settings.json:2:2" in findings(ready, "settings")[0][1]


@pytest.mark.parametrize(
    "text", ["3", "null", "[1]", '{"hooks": 3, "enabledPlugins": []}', "", '{"hooks": {"Stop": [3]}}']
)
def test_settings_of_any_shape_are_survived(ready, text):
    """Told, not stumbled over."""
    (ready / ".claude/settings.json").write_text(text)
    assert findings(ready, "settings")[0][0] == ("ok" if text == "" else "warn" if "hooks" in text else "bad")


def test_the_clients_own_word_on_settings_counts(ready):
    """A newer one may take what our rules do not; one that does not answer is not taken for content."""
    (ready / ".claude/settings.json").write_text('{"hooks": {"PreToolUse": [{"hooks": [{"type": "new"}]}]}}')
    assert findings(ready, "settings", **fake_client(ready)) == [("ok", "2 settings files, valid by claude doctor")]
    lines = "- file > permissions: odd\n- file > hooks: x, so nothing it sits in is applied\n\nRemote\n- no"
    told = fake_client(ready, doctor=f"Claude Code doctor\n\nInvalid settings\n{lines}")
    assert [level for level, _ in findings(ready, "settings", **told)] == ["warn", "bad"]
    why = "a hook that guards, so nothing it sits in is applied"
    lines = f'- file > hooks.0: Invalid value\n- file > hooks.0: Unknown type "x" — {why}\n- file > model: odd'
    told = fake_client(ready, doctor=f"Claude Code doctor\n\nInvalid settings\n{lines}")
    assert findings(ready, "settings", **told) == [
        ("bad", 'claude doctor: file > hooks.0: Unknown type "x"; Claude Code ignores the WHOLE file'),
        ("warn", "claude doctor: file > model: odd"),
    ]
    assert findings(ready, "settings", **fake_client(ready, doctor="oops"))[0][1].endswith("ignores the WHOLE file")


def test_a_registration_that_is_older_than_the_config(ready):
    """`sync` mends it."""
    with (ready / ".hookwright.yaml").open("a") as file:
        file.write("setup: {commands: [{run: 'true'}]}\n")
    level, text = findings(ready, "registered")[0]
    assert level == "bad" and text.endswith("the config needs Setup, not registered there")
    run(ready, "sync")
    assert findings(ready, "registered")[0][0] == "ok"
    (ready / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    run(ready, "sync")
    (ready / ".hookwright.yaml").write_text("handlers: []\n")
    level, text = findings(ready, "registered")[0]
    assert level == "warn" and "Stop registered, and the config has nothing to do on it" in text


def test_a_config_that_is_gone(ready):
    """The advice is one that can be followed: `sync` would have nothing to go by."""
    (ready / ".hookwright.yaml").unlink()
    rows = json.loads(run(ready, "doctor", "--json").out)["findings"]
    advice = [row["do"] for row in rows if row["check"] == "registered"]
    assert advice == ["hookwright init, or hookwright uninstall"]
    assert run(ready, "init").code == 0 and findings(ready, "registered")[0][0] == "ok"


def test_an_event_that_is_not_registered_any_more(ready):
    """Somebody took our entry out, and left the others."""
    (ready / ".hookwright.yaml").write_text("handlers: [.hookwright/handlers.py]\nstop: {commands: [{run: 'true'}]}\n")
    run(ready, "sync")
    path = ready / ".claude/settings.local.json"
    document = json.loads(path.read_bytes())
    del document["hooks"]["PreToolUse"]
    path.write_text(json.dumps(document))
    level, text = findings(ready, "registered")[0]
    assert level == "bad" and "the config needs PreToolUse" in text


def test_another_installation_or_version_wrote_the_registration(ready):
    """Told, and brought up to date by `sync`."""
    path = ready / ".claude/settings.local.json"
    path.write_text(path.read_text().replace("boot.py", "old/boot.py"))
    assert "names another installation" in findings(ready, "registered")[0][1]
    assert findings(ready, "command")[0][1].startswith("not run, because this hookwright did not write it: ")
    run(ready, "uninstall")
    run(ready, "init", "--scope", "project")
    with (ready / ".claude/hookwright.sh").open("a") as file:
        file.write("# more\n")
    assert "hookwright.sh was written by another version" in findings(ready, "registered")[0][1]
    run(ready, "sync")
    assert findings(ready, "registered")[0][0] == "ok"


def test_a_folder_below_the_project(ready):
    """The client does not look for settings in the folders above; tests/client shows it."""
    (ready / "src").mkdir()
    said = verb("doctor", cwd=ready / "src", home=ready.parent / "home")
    assert "warn folder" in said.out and "--scope user" in said.out
    assert findings(ready, "folder") == [("ok", f"the project is {ready}")]


def test_files_that_are_never_watched(ready):
    """FileChanged takes names only."""
    with (ready / ".hookwright.yaml").open("a") as file:
        file.write("fileChanged: {commands: [{run: 'true', match: '*.env'}]}\n")
    run(ready, "sync")
    assert [level for level, _ in findings(ready, "registered")] == ["warn", "ok"]


def test_hookwright_on_path(ready):
    """Found by the registered command line without; told when that does not reach it."""
    assert findings(ready, "interpreter")[0] == (
        "ok",
        "hookwright is not on PATH; the registered command line finds it without",
    )
    path = ready / ".claude/settings.local.json"
    path.write_text(path.read_text().replace("boot.py", "gone.py"))
    assert findings(ready, "interpreter")[0][0] == "warn"
    script = ready.parent / "bin/hookwright"
    script.parent.mkdir()
    script.touch(0o755)
    assert findings(ready, "interpreter", PATH=str(script.parent)) == [("ok", f"hookwright is {script}")]


def test_registered_twice(ready):
    """In two scopes, or in settings and by the plugin."""
    run(ready, "init", "--scope", "project")
    assert findings(ready, "twice")[0][0] == "warn"
    run(ready, "uninstall", "--scope", "project")
    assert findings(ready, "twice") == [("ok", "registered in local")]
    run(ready, "init", "--scope", "user")
    assert findings(ready, "twice")[0][0] == "ok"  # one command line in both: the client runs it once
    run(ready, "uninstall", "--scope", "user")
    change_settings(ready, enabledPlugins={"hookwright@market": True, "other@market": True})
    assert "local and the plugin" in findings(ready, "twice")[0][1]
    run(ready, "uninstall", "--scope", "local")
    assert findings(ready, "registered") == [("ok", "registered by the plugin hookwright@market")]
    assert findings(ready, "seen") == [("ok", "not seen yet: PreToolUse")]
    assert "the plugin hookwright@market answers every event too" in run(ready, "init").out


def test_a_command_line_that_does_not_reach_us(ready):
    """It leaves with 0 and says nothing to the client, so only the canary can tell."""
    run(ready, "uninstall")
    run(ready, "init", "--scope", "project")
    assert findings(ready, "command")[0][0] == "ok"
    (ready / ".claude/hookwright.sh").unlink()
    level, text = findings(ready, "command")[0]
    assert level == "bad" and "hookwright.sh is missing" in text
    run(ready, "init")
    assert findings(ready, "command")[0][0] == "ok"
    (ready / ".hookwright/journal.jsonl").unlink()
    (ready / ".hookwright/journal.jsonl").mkdir()
    level, text = findings(ready, "command")[0]
    assert level == "bad" and "does not reach hookwright" in text


def test_a_command_line_that_we_did_not_write_is_not_run(ready):
    """Our mark is no proof: whoever can write a settings file can write it too."""
    alter(ready, "PreToolUse", command="touch ran; exit 2")
    assert findings(ready, "command") == [
        ("bad", "not run, because this hookwright did not write it: touch ran; exit 2")
    ]
    assert not (ready / "ran").exists()


@pytest.mark.parametrize("shape", [5, None, ["a"], {"b": 1}])
def test_a_command_of_another_shape_is_told(ready, shape):
    """Not stumbled over."""
    alter(ready, "PreToolUse", command=shape)
    assert findings(ready, "command")[0][0] == "bad"


@pytest.mark.parametrize("kind", ["changed", "link"])
def test_a_launcher_that_we_did_not_write_is_not_run(ready, kind):
    """It comes with somebody else's repository."""
    run(ready, "uninstall")
    run(ready, "init", "--scope", "project")
    launcher = ready / ".claude/hookwright.sh"
    text = launcher.read_text() + f"\ntouch '{ready}/ran'\n"
    launcher.unlink()
    script = ready / "other.sh" if kind == "link" else launcher
    script.write_text(text.replace("here=", f"touch '{ready}/ran'\nhere=", 1))
    if kind == "link":
        launcher.symlink_to(script)
    level, text = findings(ready, "command")[0]
    assert level == "bad" and "hookwright.sh is not as this hookwright writes it" in text
    assert not (ready / "ran").exists()


def test_a_command_line_that_fails(ready):
    """Told with its exit code and what it wrote: the interpreter is ours, and what it is told to start is broken."""
    broken = ready.parent / "broken"
    shutil.copytree(PACKAGE, broken / "hookwright", ignore=shutil.ignore_patterns("__pycache__"))
    verb("init", "--scope", "local", cwd=ready, home=ready.parent / "home", source=broken)
    (broken / "hookwright/boot.py").write_text("import sys\nsys.exit('oh no')\n")
    said = verb("doctor", "--json", cwd=ready, home=ready.parent / "home", source=broken)
    rows = [row for row in json.loads(said.out)["findings"] if row["check"] == "command"]
    assert [(row["level"], row["text"]) for row in rows] == [("bad", "the hook leaves with 1: oh no")]


def test_canaries_do_not_count_as_events(ready):
    """The doctor's own event is in the journal and not in its report."""
    run(ready, "doctor")
    assert "HookwrightCanary" in (ready / ".hookwright/journal.jsonl").read_text()
    assert "Canary" not in run(ready, "doctor").out


def test_settings_and_switches_that_disable_hooks(ready, monkeypatch):
    """In any scope, by an administrator, or by the environment."""
    change_settings(ready, disableAllHooks=True)
    assert findings(ready, "disabled")[0][0] == "bad"
    (ready / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    change_settings(ready, disableAllHooks=False)  # overrides the project's
    assert findings(ready, "disabled") == [("ok", "no setting switches hooks off")]
    assert "CLAUDE_CODE_SIMPLE" in findings(ready, "disabled", CLAUDE_CODE_SIMPLE="1")[0][1]
    managed = ready / "managed.json"
    managed.write_text('{"allowManagedHooksOnly": true}')
    monkeypatch.setattr(facts, "MANAGED", [str(managed)])
    monkeypatch.setenv("HOME", str(ready.parent / "home"))
    told = ["your administrator has set allowManagedHooksOnly"]
    assert [finding.text for finding in checks.disabled(facts.Facts(ready))] == told
    managed.unlink()
    assert [finding.level for finding in checks.disabled(facts.Facts(ready))] == ["ok"]
    (ready / "managed.d").mkdir()
    for name, text in {"10.json": '{"allowManagedHooksOnly": true}', "20.json": "{", ".30.json": "{}"}.items():
        (ready / "managed.d" / name).write_text(text)
    assert [finding.text for finding in checks.disabled(facts.Facts(ready))] == told
    (ready / "managed.d/20.json").write_text('{"allowManagedHooksOnly": false}')
    assert [finding.level for finding in checks.disabled(facts.Facts(ready))] == ["ok"]


@pytest.mark.parametrize("said, level", [(True, "ok"), (False, "warn"), (None, "ok")])
def test_trust(ready, said, level):
    """As the client has noted it for this folder or one above."""
    if said is not None:
        known = {"projects": {str(ready.parent): {"hasTrustDialogAccepted": said}}}
        (ready.parent / "home/.claude.json").write_text(json.dumps(known))
    assert findings(ready, "trust")[0][0] == level


def test_timeouts_shorter_than_ours(ready):
    """Of the registration, and of the client where a command may take longer."""
    path = ready / ".claude/settings.local.json"
    document = json.loads(path.read_bytes())
    document["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 5
    path.write_text(json.dumps(document))
    with (ready / ".hookwright.yaml").open("a") as file:
        file.write("sessionEnd: {commands: [{run: 'true', timeout: 30}]}\n")
    texts = [text for _, text in findings(ready, "timeouts")]
    assert texts[0].startswith("PreToolUse is registered with a timeout of 5 s")
    assert texts[1].startswith("sessionEnd.commands[0] may take 30 s, but is ended after 1.35 s")


def test_without_a_home(ready):
    """No user settings, no transcripts; the rest is told all the same."""
    said = verb("doctor", cwd=ready, home="")
    assert said.code == 0 and "ok   trust" in said.out
    run(ready, "uninstall")
    assert "there is no HOME" in verb("doctor", cwd=ready, home="").out


def test_the_page_is_printed_from_the_checks():
    """docs/troubleshooting.md has a row for each; the command it names is one that exists."""
    assert (ROOT / "docs/troubleshooting.md").read_text() == diagnosis.markdown()
    names = [check.name for check in diagnosis.CHECKS]
    assert len(names) == len(set(names))
    verbs = [check.mend.split()[1] for check in diagnosis.CHECKS if check.mend.startswith("hookwright ")]
    assert set(verbs) <= set(COMMANDS)


def test_every_check_says_what_to_do_when_something_is_wrong(ready):
    """No bad or warn line without a command or an advice."""
    os.remove(ready / ".hookwright.yaml")
    rows = json.loads(run(ready, "doctor", "--json").out)["findings"]
    assert all(row["do"] for row in rows if row["level"] != "ok")


def test_a_finding_drives_no_terminal():
    """What a settings file says is shown plain, beside our own colours."""
    finding = checks.Finding(checks.BAD, "seen \x1b[2J\x1b[8mtwice", "do \x1b]0;evil\x07it")
    told = doctor.as_text(diagnosis.CHECKS[0], finding, coloured=True, width=80)
    assert "seen twice" in told and "do it" in told
    assert told.count("\x1b") == 2
