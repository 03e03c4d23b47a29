"""Where the config is found and where our files live."""

import os
import stat

import pytest

from hookwright import paths


@pytest.mark.parametrize("name", paths.CONFIG_NAMES)
def test_each_name_is_found_from_below(tmp_path, name):
    """All four names, from any depth, also through folders that do not exist."""
    (tmp_path / name).touch()
    assert paths.find_config(f"{tmp_path}/a/b/c/") == str(tmp_path / name)


def test_the_nearest_folder_wins_and_in_one_folder_the_first_name(tmp_path):
    """A nearer conclaude config beats a farther one of ours; beside each other ours wins."""
    (tmp_path / ".hookwright.yaml").touch()
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / ".conclaude.yml").touch()
    assert paths.find_config(str(inner)) == str(inner / ".conclaude.yml")
    (inner / ".hookwright.yml").touch()
    assert paths.find_config(str(inner)) == str(inner / ".hookwright.yml")


@pytest.mark.parametrize("folder", ["/", "", "/no/such/folder", "/odd\0name"])
def test_nothing_found_is_empty(folder):
    """The search ends at the root."""
    assert paths.find_config(folder) in ("", *(f"/{name}" for name in paths.CONFIG_NAMES))


def test_our_folder_is_private_and_made_once(tmp_path):
    """`.hookwright/state` belongs to its owner alone; making it twice changes nothing."""
    config = str(tmp_path / ".hookwright.yaml")
    paths.make_folders(config)
    (tmp_path / ".hookwright" / ".gitignore").write_text("mine\n")
    paths.make_folders(config)
    assert stat.S_IMODE(os.stat(paths.state_folder(config)).st_mode) == 0o700
    assert (tmp_path / ".hookwright" / ".gitignore").read_text() == "mine\n"


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    """A failed write leaves the old content and no draft."""
    target = tmp_path / "file"
    paths.replace_file(str(target), b"old")
    with pytest.raises(TypeError):
        paths.replace_file(str(target), "no bytes")  # type: ignore[arg-type]
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
