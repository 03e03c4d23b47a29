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
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [row.name for row in LANGUAGES]
    others = [line for line in lines if not line.startswith("python")]  # ours is always there
    assert {line.find("no framework here") for line in others} == {others[0].find("no framework here")} != {-1}


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
    assert rows["go"]["here"] is None
