"""`hookwright plugin build`; the real client's own validation of it is in tests/client."""

import hashlib
import json
import os
import shlex

import pytest
from setup.running import verb

from hookwright.events import BY_NAME


@pytest.fixture
def built(tmp_path):
    said = verb("plugin", "build", "out", cwd=tmp_path, home=tmp_path)
    assert said.code == 0, said.err
    return tmp_path / "out"


def test_hooks_for_every_event_that_may_be_hooked(built):
    """From the table of events, all through one launcher."""
    hooks = json.loads((built / "hooks/hooks.json").read_bytes())["hooks"]
    assert set(hooks) == {name for name, event in BY_NAME.items() if not event.changes_agent}
    commands = {group["hooks"][0]["command"] for (group,) in hooks.values()}
    assert len(commands) == 1 and "${CLAUDE_PLUGIN_ROOT}/hooks/hookwright.sh" in commands.pop()
    assert (built / "hooks/hookwright.sh").exists()


def test_manifest_marketplace_commands_and_skill(built):
    """All that a plugin is made of, under one version."""
    from hookwright import __version__

    manifest = json.loads((built / ".claude-plugin/plugin.json").read_bytes())
    market = json.loads((built / ".claude-plugin/marketplace.json").read_bytes())
    assert manifest["version"] == __version__
    assert [entry["name"] for entry in market["plugins"]] == [manifest["name"]]
    assert sorted(os.listdir(built / "commands")) == ["run-tests.md", "status.md", "test.md"]
    skill = (built / "skills/hook-driven-testing/SKILL.md").read_text()
    assert "no command hook can replace it" in skill  # the claim of the source document, corrected


def test_building_again_is_fine_and_strangers_are_safe(built, tmp_path):
    """A folder with something else in it is refused."""
    assert "wrote" not in verb("plugin", "build", "out", cwd=tmp_path, home=tmp_path).out
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").touch()
    said = verb("plugin", "build", "other", cwd=tmp_path, home=tmp_path)
    assert said.code == 3 and "holds something else" in said.err
    assert os.listdir(tmp_path / "other") == ["file"]


@pytest.mark.parametrize("name", ["hooks", "hooks/hooks.json", "commands/test.md"])
def test_nothing_is_written_through_a_link(built, tmp_path, name):
    """Neither a folder nor a file of the build may lead elsewhere; nothing at all is written then."""
    outside = tmp_path / "outside"
    (built / name).rename(outside)
    (built / name).symlink_to(outside)
    (built / ".claude-plugin/marketplace.json").unlink()
    before = outside.stat().st_mtime_ns
    said = verb("plugin", "build", "out", cwd=tmp_path, home=tmp_path)
    assert said.code == 3 and "leads elsewhere through a link" in said.err
    assert outside.stat().st_mtime_ns == before
    assert not (built / ".claude-plugin/marketplace.json").exists()


def test_a_folder_that_is_a_link_itself_is_fine(built, tmp_path):
    """The person named it."""
    (tmp_path / "link").symlink_to(built)
    assert verb("plugin", "build", "link", cwd=tmp_path, home=tmp_path).code == 0


def test_what_an_earlier_build_wrote_and_this_one_does_not_is_removed(built, tmp_path):
    """Unless somebody changed it, put it there, or made the list name a file outside."""
    (tmp_path / "precious").write_text("old")
    digest = hashlib.sha256(b"old").hexdigest()
    names = ["old/page.md", "commands/changed.md", "../precious", str(tmp_path / "precious")]
    written = built / ".claude-plugin/written.json"
    written.write_text(json.dumps(json.loads(written.read_bytes()) | dict.fromkeys(names, digest)))
    (built / "old").mkdir()
    (built / "old/page.md").write_text("old")
    (built / "commands/changed.md").write_text("mine")
    (built / "commands/added.md").write_text("old")
    said = verb("plugin", "build", "out", cwd=tmp_path, home=tmp_path)
    assert said.out.startswith("removed     out/old/page.md\nwrote       out/.claude-plugin/written.json\n")
    assert not (built / "old").exists()
    assert (built / "commands/changed.md").exists() and (built / "commands/added.md").exists()
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize("text", ["[]", "{", '{"a/b": 3}', ""])
def test_a_list_of_written_files_of_any_shape_is_survived(built, tmp_path, text):
    """It is rewritten."""
    (built / ".claude-plugin/written.json").write_text(text)
    assert verb("plugin", "build", "out", cwd=tmp_path, home=tmp_path).code == 0
    assert "hooks/hooks.json" in json.loads((built / ".claude-plugin/written.json").read_bytes())


@pytest.mark.parametrize("name", ["it's $HOME; a folder", "-x"])
def test_the_command_lines_can_be_pasted(tmp_path, name):
    """Whatever the folder is called."""
    said = verb("plugin", "build", "--", name, cwd=tmp_path, home=tmp_path)
    assert said.code == 0, said.err
    attempt, install = said.out.splitlines()[-2:]
    assert shlex.split(attempt)[1:] == ["claude", "--plugin-dir", f"./{name}"]
    assert shlex.split(install)[5] == f"./{name}"


@pytest.mark.parametrize(
    ("version", "flags", "carried"),
    [
        ("2.1.286", [], False),
        ("2.1.287", [], True),
        ("2.2.0", [], True),
        ("not a version", [], True),
        ("2.1.286", ["--module"], True),
        ("2.2.0", ["--no-module"], False),
    ],
)
def test_the_hooks_module_is_for_clients_that_read_one(tmp_path, version, flags, carried):
    """Guarded by the version of the client here; whoever builds for others can say so. A rebuild takes it out again."""
    client = tmp_path / ".local/bin/claude"
    client.parent.mkdir(parents=True)
    verb("plugin", "build", "out", cwd=tmp_path, home=tmp_path)
    client.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    client.chmod(0o755)
    said = verb("plugin", "build", "out", *flags, cwd=tmp_path, home=tmp_path)
    assert (tmp_path / "out/hooks/register.js").exists() is carried
    assert ("modules" in json.loads((tmp_path / "out/hooks/hooks.json").read_bytes())) is carried
    assert ("without the hooks module" in said.out) is not carried
