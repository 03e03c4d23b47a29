"""`hookwright languages`: one aligned table, and the same as JSON."""

import json

from hookwright.affected.languages.table import LANGUAGES
from hookwright.cli import main


def test_columns_are_aligned(tmp_path, monkeypatch, capsys):
    """However long the runners of a language are, the last column begins at one place."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / ".git").mkdir()
    assert main(["languages"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()[:-2]
    assert [line.split()[0] for line in lines] == [row.name for row in LANGUAGES]
    others = [line for line in lines if not line.startswith("python")]  # ours is always there
    assert {line.find("not installed") for line in others} == {head.find("here")}


def test_json(tmp_path, monkeypatch, capsys):
    """What is installed here is named with its path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package.json").write_text('{"scripts": {"test": "node --test"}}')
    program = tmp_path / "bin" / "node"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert main(["languages", "--json"]) == 0
    rows = {row["language"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["javascript"]["here"] == f"node --test ({program})"
    assert (rows["javascript"]["installed"], rows["javascript"]["live"][3]) == (["node --test"], "node --test")
    assert (rows["go"]["here"], rows["go"]["installed"]) == (None, [])


def test_installed_and_not_used_here(tmp_path, monkeypatch, capsys):
    """In a folder without a project of it, a tool is still told to be installed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "go").write_text("#!/bin/sh\n")
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["languages"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("go "))
    assert line.endswith("not used here; installed: go test")
