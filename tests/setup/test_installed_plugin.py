"""Our plugin as the client has it."""

import json

import pytest

from hookwright.setup import command_line, installed_plugin


@pytest.mark.parametrize(
    "document, name",
    [
        ({"enabledPlugins": {"other@m": True, "hookwright@m": True}}, "hookwright@m"),
        ({"enabledPlugins": {"hookwright@m": False, "hookwrights@m": True}}, ""),
        ({"enabledPlugins": ["hookwright@m"]}, ""),
        ([], ""),
    ],
)
def test_whether_it_is_switched_on(document, name):
    """By the settings, whatever else they hold."""
    assert installed_plugin.switched_on([{}, document]) == name


def test_where_its_files_lie(tmp_path):
    """As the client has noted; a launcher that we did not write is none to start."""
    launcher = tmp_path / "p/hooks" / command_line.LAUNCHER
    launcher.parent.mkdir(parents=True)
    launcher.write_bytes(command_line.launcher())
    note = tmp_path / installed_plugin.INSTALLED
    note.parent.mkdir()
    note.write_text(json.dumps({"plugins": {"hookwright@m": [{"installPath": str(tmp_path / "p")}]}}))
    assert installed_plugin.folder(tmp_path, "hookwright@m") == str(tmp_path / "p")
    assert installed_plugin.folder(tmp_path, "hookwright@n") == installed_plugin.folder(None, "hookwright@m") == ""
    launcher.write_bytes(b"echo mine\n")
    assert installed_plugin.folder(tmp_path, "hookwright@m") == ""


@pytest.mark.parametrize(
    "text", ["", "[]", "3", '{"plugins": []}', '{"plugins": {"hookwright@m": [{"installPath": 3}]}}']
)
def test_a_note_of_any_shape_is_survived(tmp_path, text):
    """It is the client's, and may change."""
    note = tmp_path / installed_plugin.INSTALLED
    note.parent.mkdir()
    note.write_text(text)
    assert installed_plugin.folder(tmp_path, "hookwright@m") == ""
