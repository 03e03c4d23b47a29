"""Compiled rows: kept, found stale, and never believed when someone else could have written them."""

import os

import pytest

from hookwright import bindings
from hookwright.bindings import Binding, Table
from hookwright.events import event_of
from hookwright.globs import compiled
from hookwright.paths import make_folders, state_folder


@pytest.fixture(params=["read each time", "remembered"])
def config(tmp_path, request, monkeypatch):
    """A config; what holds for a hook's process holds for one that keeps tables in memory."""
    monkeypatch.setattr(bindings, "remembered", {} if request.param == "remembered" else None)
    path = tmp_path / ".hookwright.yaml"
    path.write_text("handlers: []\n")
    make_folders(str(path))
    return str(path)


ROWS = {"Stop": [Binding("function", "f", None, "block", 5, {"file": "x"}, "*").row()]}


def stored_file(config):
    return f"{state_folder(config)}/.hookwright.yaml.bindings"


def test_rows_come_back_as_they_were_stored(config):
    """Every part of a binding survives."""
    bindings.store(config, Table(ROWS, {}, {"x": b"code"}, "a problem"))
    table = bindings.load(config)
    assert (table.rows, table.code, table.problem, table.news) == (ROWS, {"x": b"code"}, "a problem", "")
    binding = table.of("Stop")[0]
    assert (binding.kind, binding.on_error, binding.timeout_s, binding.options) == (
        "function",
        "block",
        5,
        {"file": "x"},
    )
    assert table.of("PreToolUse") == []


def test_a_touched_config_or_source_makes_rows_stale(config, tmp_path):
    """Content, time, size or inode: any change means compiling again; the last good rows can still be had."""
    source = tmp_path / "handlers.py"
    source.write_text("1")
    bindings.store(config, Table(ROWS, {str(source): bindings.identity(str(source))}))
    assert bindings.load(config)
    source.unlink()
    assert bindings.load(config) is None
    bindings.store(config, Table(ROWS))
    with open(config, "a") as file:
        file.write("# a comment\n")
    assert bindings.load(config) is None
    assert bindings.last_good(config).rows == ROWS


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_file_that_others_can_touch_is_not_believed(config, mode):
    """marshal is not for strangers' data."""
    bindings.store(config, Table(ROWS))
    os.chmod(stored_file(config), mode)
    assert bindings.load(config) is None
    assert bindings.last_good(config) is None


@pytest.mark.parametrize("cut", [0, 1, 20, 60, -1])
def test_a_torn_file_is_no_file(config, cut):
    """Half a write or any garbage means compiling again, never an exception."""
    bindings.store(config, Table(ROWS))
    assert bindings.load(config)
    path = stored_file(config)
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data[:cut])
    assert bindings.load(config) is None


def test_filters_pick(config):
    """A row without a filter always, one with a filter when the subject fits, a batch when one call fits."""
    always, edits = Binding("test", "a"), Binding("test", "b", compiled("{Edit,Write}"))
    assert bindings.pick(event_of("PreToolUse", {"tool_name": "Bash"}), [always, edits]) == [always]
    assert bindings.pick(event_of("PreToolUse", {"tool_name": "Edit"}), [always, edits]) == [always, edits]
    calls = {"tool_calls": [{"tool_name": "Bash"}, {"tool_name": "Write"}]}
    assert bindings.pick(event_of("PostToolBatch", calls), [edits]) == [edits]
    assert bindings.pick(event_of("PostToolBatch", {"tool_calls": []}), [edits]) == []
