"""Where what is known of a project is kept."""

import os
from pathlib import Path

import pytest

from hookwright.affected import projects


@pytest.fixture
def elsewhere(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere")


def kept_in(folder: Path) -> Path:
    return Path(projects._state(str(folder), str(folder), "python"))


def test_links_in_it_came_with_the_repository_and_are_removed(tmp_path, elsewhere):
    """A planted link, dangling or not, cannot make a lock, a map or a report be written elsewhere; files of ours stay."""
    state = kept_in(tmp_path)
    (state / "queue.json").write_text("{}")
    victim = elsewhere / "victim"
    victim.write_text("theirs")
    (state / "map.sqlite").symlink_to(victim)
    (state / "run.lock").symlink_to(elsewhere / "new")
    assert kept_in(tmp_path) == state
    assert os.listdir(state) == ["queue.json"]
    assert victim.read_text() == "theirs"


@pytest.mark.parametrize("place", ["", "state", "itself"])
def test_a_linked_folder_is_refused(tmp_path, elsewhere, place):
    """None of the folders on the way may be a link."""
    state = kept_in(tmp_path)
    link = {"": state.parent.parent, "state": state.parent, "itself": state}[place]
    link.rename(tmp_path / "aside")
    link.symlink_to(elsewhere)
    with pytest.raises(OSError, match="link"):
        kept_in(tmp_path)
    assert os.listdir(elsewhere) == []
