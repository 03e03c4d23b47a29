"""`hookwright uninstall`: as if we had never been here."""

import hashlib
import json

import pytest
from setup.running import verb


@pytest.fixture
def here(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def run(here, *words):
    return verb(*words, cwd=here, home=here.parent / "home")


def tree(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_what_only_we_filled_is_gone_and_the_rest_is_told(here):
    """Settings, launcher and their folder go; config, handlers and journal stay until `--purge`."""
    run(here, "init")
    said = run(here, "uninstall")
    assert said.code == 0
    assert said.out.endswith("left        .hookwright.yaml, .hookwright (see `hookwright uninstall --purge`)\n")
    assert not (here / ".claude").exists()
    assert run(here, "uninstall").out == "hookwright is not registered here\n"
    assert run(here, "uninstall", "--purge").code == 0
    assert tree(here) == set()


def test_purge_keeps_what_the_user_wrote(here):
    """A config that was changed is theirs, and so are the handlers that it names."""
    run(here, "init")
    with (here / ".hookwright.yaml").open("a") as file:
        file.write("# mine\n")
    said = run(here, "uninstall", "--purge")
    assert tree(here) == {".hookwright.yaml", ".hookwright", ".hookwright/handlers.py"}
    assert said.out.endswith("left        .hookwright.yaml, .hookwright\n")
    assert run(here, "check").code == 0


def test_purge_knows_what_init_wrote(here):
    """Though the project has grown since, and another `init` would write another config."""
    run(here, "init")
    (here / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    run(here, "init")
    assert run(here, "uninstall", "--purge").code == 0
    assert tree(here) == {"pyproject.toml"}


@pytest.mark.parametrize("listed", ["../precious", "/precious", "precious"])
def test_purge_takes_only_what_init_gives(here, listed):
    """Whatever its own note says."""
    run(here, "init")
    note = here / ".hookwright/state/written.json"
    digest = hashlib.sha256(b"x").hexdigest()
    names = {"../precious": here.parent / "precious", "precious": here / "precious"}
    precious = names.get(listed, here.parent / "absolute")
    precious.write_text("x")
    name = str(precious) if listed == "/precious" else listed
    note.write_text(json.dumps(json.loads(note.read_bytes()) | {name: digest}))
    assert run(here, "uninstall", "--purge").code == 0
    assert precious.exists()


def test_one_scope_only(here):
    """The other stays, and nothing is purged while it does."""
    run(here, "init", "--scope", "local")
    run(here, "init", "--scope", "project")
    run(here, "uninstall", "--scope", "project")
    assert tree(here / ".claude") == {"settings.local.json"}
    said = run(here, "uninstall", "--scope", "project", "--purge")
    assert said.code == 3 and "still registered" in said.err


def test_a_launcher_of_somebody_else_stays(here):
    """It is known by its second line, not by its name."""
    run(here, "init")
    (here / ".claude/hookwright.sh").write_text("#!/bin/sh\necho mine\n")
    run(here, "uninstall")
    assert tree(here / ".claude") == {"hookwright.sh"}


def test_a_broken_file_with_our_mark_is_refused(here):
    """We cannot tell what is ours in it; a broken one without it is none of our business."""
    run(here, "init", "--scope", "local")
    (here / ".claude/settings.json").write_bytes(b"{ // theirs \xff\n}")
    assert run(here, "uninstall", "--dry-run").code == 0
    local = here / ".claude/settings.local.json"
    local.write_text(local.read_text() + "}")
    said = run(here, "uninstall")
    assert said.code == 3 and "settings.local.json:" in said.err and "left alone" in said.err
    assert json.loads(local.read_text()[:-1])["hooks"]


@pytest.mark.parametrize("linked", [".hookwright/state", ".hookwright"])
def test_purge_removes_nothing_through_a_link(here, linked):
    """A folder of ours may be a link to where others keep theirs."""
    run(here, "init")
    outside = here.parent / "outside"
    (here / linked).rename(outside)
    (outside / "theirs").write_text("precious")
    (here / linked).symlink_to(outside)
    before = tree(outside)
    assert run(here, "uninstall", "--purge").code == 0
    assert tree(outside) == before
    assert (here / linked).is_symlink()
