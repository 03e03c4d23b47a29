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


@pytest.fixture
def elsewhere(tmp_path_factory):
    """A folder that is none of ours, for links to lead to; it must stay empty."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.mark.parametrize("place", [".hookwright", ".hookwright/state", ".hookwright/state/spill"])
def test_a_folder_that_is_a_link_is_never_written_through(project, elsewhere, place):
    """Whatever a repository links elsewhere: the hook answers as ever, says so in a line at most, and writes nothing there."""
    project.config('handlers: ["h.py"]\npostToolUse: {commands: [{run: "cat $HOOKWRIGHT_PAYLOAD_FILE >&2; exit 2"}]}\n')
    (project.folder / "h.py").write_text(
        "from hookwright import block, on\n@on.Stop\ndef stop(event):\n    return block('not yet')\n"
    )
    link = project.folder / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(elsewhere)
    old = elsewhere / "old"
    old.write_text("theirs")
    os.utime(old, (0, 0))  # spilled files that old are swept away
    for event in ("Stop", "PostToolUse", "Stop"):
        given = {"tool_name": "Edit", "tool_input": {"content": "x" * 300_000}, "stop_hook_active": False}
        answer = project.hook(event, **given)
        assert "Traceback" not in answer.stderr
        assert answer.exit_code in (0, 2)
        assert (event == "Stop") == ('"block"' in answer.stdout)
    assert os.listdir(elsewhere) == ["old"]
    assert link.is_symlink()


def test_what_is_refused_is_said_in_one_line(project, elsewhere):
    """Exit 0, no answer, and a sentence that names the folder."""
    project.config("handlers: []\n")
    (project.folder / ".hookwright").symlink_to(elsewhere)
    answer = project.hook("Stop")
    assert (answer.exit_code, answer.stdout) == (0, "")
    assert len(answer.stderr.splitlines()) == 1
    assert f"{project.folder}/.hookwright" in answer.stderr
    assert "link" in answer.stderr
