"""`hookwright plugin build`; the real client's own validation of it is in tests/client."""

import json
import os

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
