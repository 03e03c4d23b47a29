"""Plans: from any settings to ours and back, on disk."""

import json
import os
import stat
import subprocess

import pytest
from conftest import need
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from hookwright.bindings import Table
from hookwright.errors import Refusal
from hookwright.setup import changes, install, rehearsal, removal, scopes, settings, settings_file

from .test_json_text import LAYOUTS, printed
from .test_settings import DOCUMENTS

CONFIG = "stop: {commands: [{run: 'true'}]}\npreToolUse: {commands: [{run: 'true', tool: Bash}]}\n"


@pytest.fixture(scope="module")
def always(tmp_path_factory):
    """The events that even a config without a section binds."""
    config = tmp_path_factory.mktemp("empty") / ".hookwright.yaml"
    config.write_text("handlers: []\n")
    return set(rehearsal.compiled(config, {}).rows)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".hookwright.yaml").write_text(CONFIG)
    return folder


def put_in(project, scope=None):
    plan = install.to_install(project, scope, None)
    changes.apply(plan.changes)
    return plan


def take_out(project, scope=None):
    changes.apply(removal.to_uninstall(project, scope, False).changes)


@tries(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENTS, LAYOUTS, st.sampled_from(["", "\n", "\r\n"]), st.sampled_from(scopes.SCOPES), st.booleans())
def test_any_settings_file_is_given_back_to_the_byte(project, always, document, layout, ending, scope, twice):
    """init -> uninstall is nothing; init twice is init once."""
    place = scopes.place(scope, project)
    place.path.parent.mkdir(exist_ok=True, parents=True)
    original = (printed(document, layout) + ending).encode()
    place.path.write_bytes(original)
    put_in(project, scope)
    registered = {entry.event for entry in settings.entries(json.loads(place.path.read_bytes()))}
    assert registered == {"Stop", "PreToolUse"} | always
    if twice:
        assert put_in(project, scope).changes == []
    take_out(project)
    assert place.path.read_bytes() == original
    assert not place.backup.exists()


@pytest.mark.parametrize("scope", scopes.SCOPES)
def test_a_file_that_only_we_filled_is_gone(project, scope):
    """And so is its folder, if nobody else has something in it."""
    put_in(project, scope)
    (project / ".hookwright.yaml").write_text(CONFIG + "setup: {commands: [{run: 'true'}]}\n")
    put_in(project, scope)  # a second registration must not make it look like the user's
    take_out(project)
    assert not scopes.place(scope, project).path.parent.exists()


def test_what_the_user_added_meanwhile_stays(project):
    """Uninstall takes out our entries only, whatever was there when we came."""
    place = scopes.place("local", project)
    put_in(project, "local")
    document = json.loads(place.path.read_bytes()) | {"model": "opus"}
    place.path.write_text(json.dumps(document))
    take_out(project)
    assert json.loads(place.path.read_bytes()) == {"model": "opus"}


def test_empty_byte_order_mark_and_line_ends(project):
    """An empty file counts as no settings; a mark at its beginning and its line ends stay."""
    place = scopes.place("project", project)
    place.path.parent.mkdir()
    for original in (b"", b" \n", b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n'):
        place.path.write_bytes(original)
        put_in(project, "project")
        written = place.path.read_bytes()
        assert written.startswith(b"\xef\xbb\xbf") is original.startswith(b"\xef\xbb\xbf")
        assert written.count(b"\r\n") in (0, written.count(b"\n"))
        take_out(project)
        assert place.path.read_bytes() == original
    put_in(project, "project")
    place.backup.unlink()
    take_out(project)
    assert place.path.read_bytes() == original  # told from the file itself, should somebody clear our folder


def test_a_link_is_written_through_and_permissions_stay(project, tmp_path):
    """Settings that live among somebody's dotfiles stay a link to there."""
    place = scopes.place("user", project)
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    target.chmod(0o640)
    place.path.parent.mkdir(parents=True)
    place.path.symlink_to(target)
    put_in(project, "user")
    assert place.path.is_symlink() and settings.entries(json.loads(target.read_bytes()))
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    take_out(project)
    assert place.path.is_symlink() and target.read_text() == "{}"


@pytest.mark.parametrize("linked", [".hookwright", ".hookwright/state"])
def test_our_own_folder_is_never_a_link(project, tmp_path, linked):
    """Settings may be one, our folder may not: nothing is written, not even what would come before it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project / linked).parent.mkdir(exist_ok=True)
    (project / linked).symlink_to(elsewhere)
    files = [changes.Change(project / "first", None, b"x"), changes.Change(project / linked / "file", None, b"x")]
    with pytest.raises(Refusal, match="is a link"):
        changes.apply(files)
    kept = changes.Change(project / "second", None, b"x", backup=project / linked / "file", kept=b"x")
    with pytest.raises(Refusal, match="is a link"):
        changes.apply([kept])
    assert os.listdir(elsewhere) == []
    assert not (project / "first").exists()


@pytest.mark.parametrize(
    "text, told",
    [
        (
            '{\n  // mine\n  "a": 1\n}',
            "settings.json:2:3: not valid JSON: a comment. The file was left alone; mend it and run this again.",
        ),
        ('{"a": 1,}', "settings.json:1:8: not valid JSON: a comma before the closing }. The file was left alone"),
        ('{"hooks": []}', 'settings.json:1:11: "hooks" must be an object'),
        ('{"hooks": {\n "Stop": {}}}', 'settings.json:2:10: "hooks.Stop" must be a list'),
        ("[]", "settings.json:1:1: it must be an object"),
    ],
)
def test_a_file_with_mistakes_is_refused_with_its_line_and_left_alone(project, text, told):
    """Ours would not be loaded from it, and we repair nobody's file."""
    place = scopes.place("project", project)
    place.path.parent.mkdir()
    place.path.write_text(text)
    with pytest.raises(Refusal, match="left alone") as refusal:
        put_in(project)
    assert told in str(refusal.value)
    assert place.path.read_text() == text
    assert os.listdir(place.path.parent) == ["settings.json"]


def test_an_entry_for_which_the_client_drops_the_file_is_told(project):
    """It is the user's to mend; a newer client may even know it."""
    place = scopes.place("project", project)
    place.path.parent.mkdir()
    place.path.write_text('{"hooks": {"PreToolUse": [{"hooks": [{"type": "commnd"}]}]}}')
    notes = put_in(project).notes
    assert len(notes) == 1
    assert "hooks.PreToolUse.0.hooks.0.type" in notes[0] and "ignores the WHOLE file" in notes[0]


def test_conclaude_beside_us_is_told(project):
    """Its commands would run twice."""
    place = scopes.place("project", project)
    place.path.parent.mkdir()
    place.path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "conclaude Stop"}]}]}}')
    assert "calls conclaude too" in put_in(project).notes[0]


def test_local_settings_that_git_would_take_are_told(project):
    """They name this machine's interpreter."""
    subprocess.run([need("git"), "init", "-q", str(project)], check=True)
    assert "add it to .gitignore" in install.to_install(project, "local", None).notes[0]
    (project / ".gitignore").write_text("settings.local.json\n")
    assert install.to_install(project, "local", None).notes == []


def test_not_utf8_is_refused_with_its_place(project):
    """Line and column of the first bad byte."""
    place = scopes.place("project", project)
    place.path.parent.mkdir()
    place.path.write_bytes(b'{\n "a": "\xff"}')
    with pytest.raises(Refusal, match=r"settings.json:2:8: this is not UTF-8"):
        put_in(project)


def test_a_file_that_changes_under_us_is_not_overwritten(project):
    """The client writes its settings too."""
    place = scopes.place("project", project)
    put_in(project, "project")
    (project / ".hookwright.yaml").write_text("setup: {commands: [{run: 'true'}]}\n")
    plan = install.to_install(project, None, None)
    place.path.write_text('{"theirs": 1}')
    with pytest.raises(Refusal, match="has changed meanwhile"):
        changes.apply(plan.changes)
    assert place.path.read_text() == '{"theirs": 1}'


def test_the_registration_follows_the_config(project, always):
    """A section that comes is registered, one that goes is not any more; where we are registered already is kept to."""
    put_in(project, "local")
    (project / ".hookwright.yaml").write_text("setup: {commands: [{run: 'true'}]}\n")
    assert list(put_in(project).registered) == ["local"]
    document = json.loads(scopes.place("local", project).path.read_bytes())
    assert set(document["hooks"]) == {"Setup"} | always
    (project / ".hookwright.yaml").write_text("handlers: []\n")
    plan = put_in(project)
    assert set(plan.registered["local"]) == always
    assert bool(always) is bool(settings_file.registered_in(project))
    assert bool(always) is not any("nothing to do yet" in note for note in plan.notes)


def test_user_scope_serves_all_projects(project, always, tmp_path):
    """What another project asked for stays, nothing is narrowed, and nothing that changes the agent is registered."""
    put_in(project, "user")
    other = tmp_path / "other"
    other.mkdir()
    (other / ".hookwright.yaml").write_text(
        "worktreeCreate: {commands: [{run: 'true'}]}\nsetup: {commands: [{run: x}]}\n"
    )
    plan = put_in(other, "user")
    assert set(plan.registered["user"]) == {"PreToolUse", "Setup", "Stop"} | always
    assert all("matcher" not in group for group in plan.registered["user"].values())
    assert any("WorktreeCreate is not registered for all projects" in note for note in plan.notes)


def test_a_broken_config_is_not_registered(project):
    """Half a registration is worse than the old one."""
    (project / ".hookwright.yaml").write_text("stpo: {}\n")
    with pytest.raises(Refusal, match="stpo"):
        put_in(project)
    assert install.bound(Table({})) == {}


def test_planning_writes_nothing(project):
    """Not even what compiling a config leaves behind."""
    install.to_install(project, "project", None)
    assert os.listdir(project) == [".hookwright.yaml"]


def test_a_read_only_file_is_left_alone(project, tmp_path):
    """Replacing it would be possible, and against its owner's will."""
    place = scopes.place("local", project)
    place.path.parent.mkdir()
    place.path.write_text("{}")
    place.path.chmod(0o444)
    if os.geteuid() == 0:
        put_in(project, "local")  # nothing is read-only to root
        assert stat.S_IMODE(place.path.stat().st_mode) == 0o444
    else:
        with pytest.raises(Refusal, match="read-only"):
            put_in(project, "local")
        assert place.path.read_text() == "{}"


def test_where_nothing_can_be_written_it_is_said(project):
    """One sentence with the file's name."""
    (project / ".claude").write_text("a file where a folder should be")
    with pytest.raises(Refusal, match=r"cannot (read|write) .*\.claude"):
        put_in(project, "local")
