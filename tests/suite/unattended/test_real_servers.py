"""The example suites, run directly against the real servers from npm and PyPI."""

import json
import os

import pytest
from conftest import NOT_HERE
from suite.junit import problems
from suite.unattended.bed import Bed
from suite.unattended.real_servers import EXAMPLES, Missing, folder_with

from hookwright.suite.suites import Suite

ALL = {path.stem: path for path in sorted(EXAMPLES.glob("*.yaml"))}


@pytest.fixture
def servers_folder(request, monkeypatch, tmp_path):
    """The example's server on PATH, its files in this test's folder."""
    try:
        programs = folder_with(ALL[request.param])
    except Missing as missing:
        assert str(missing).startswith(NOT_HERE)
        pytest.skip(str(missing))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FILES_FOLDER", str(tmp_path / "files"))
    monkeypatch.setenv("MEMORY_FILE", str(tmp_path / "memory.jsonl"))
    return request.param


@pytest.mark.parametrize("servers_folder", ALL, indirect=True)
def test_examples_pass_against_the_real_server(servers_folder, bed: Bed):
    """Every test, none skipped; the report is what CI servers read."""
    suite = Suite(str(ALL[servers_folder]))
    assert (suite.problems, suite.report.warnings) == ([], [])
    came = bed.run(suite=str(ALL[servers_folder]), markdown=str(bed.folder / "r.md"), junit=str(bed.folder / "j.xml"))
    assert set(came.statuses.values()) == {"pass"}, json.dumps(came.report["results"], indent=1)
    assert (came.code, len(came.statuses)) == (0, len(suite.cases))
    assert problems((bed.folder / "j.xml").read_text()) == []


@pytest.mark.parametrize("servers_folder", ["time"], indirect=True)
def test_an_example_fails_when_the_server_is_another(servers_folder, bed: Bed):
    """A recipe that cannot fail would be worth nothing."""
    other = bed.folder / "other.json"
    other.write_text(json.dumps({"mcpServers": {"time": {"command": "mcp-server-time", "args": ["--no-such-flag"]}}}))
    came = bed.run(suite=str(ALL[servers_folder]), mcp_config=str(other), markdown=str(bed.folder / "r.md"), id=["now"])
    assert came.code == 1 and "ended with exit code 2" in came.row("now")["failures"][0]
    assert "unrecognized arguments: --no-such-flag" in came.row("now")["noise"]
