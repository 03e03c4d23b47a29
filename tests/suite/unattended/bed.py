"""A project with a suite of direct calls, and a run of it: in this process, or as a person starts it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hookwright
from hookwright.suite.unattended.options import Options
from hookwright.suite.unattended.request import Request

Json = dict[str, Any]
SOURCE = str(Path(hookwright.__file__).parent.parent)
BAD = str(Path(__file__).with_name("bad_server.py"))
DEMO_SERVER = {"command": sys.executable, "args": ["-m", "hookwright.demo"], "env": {"PYTHONPATH": SOURCE}}
BAD_SERVER = {"command": sys.executable, "args": [BAD]}
COMMAND = [sys.executable, "-c", "import sys; from hookwright.cli import main; sys.exit(main())"]


def call(tool: str, server: str = "bad", **arguments: Any) -> Json:
    return {"server": server, "tool": tool, "arguments": arguments}


def echo(name: str, **more: Any) -> Json:
    """A test of the demo server that passes, unless it expects something else."""
    return {"id": name, "call": call("echo", "demo", text=name), "expect": [{"contains": name}], **more}


@dataclass
class Came:
    """What a run came to."""

    code: int
    out: str
    told: list[str]
    report: Json
    path: Path

    @property
    def statuses(self) -> dict[str, str]:
        return {row["id"]: row["status"] for row in self.report["results"]}

    def row(self, name: str) -> Json:
        return next(row for row in self.report["results"] if row["id"] == name)


class Bed:
    """One project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "tests/functional/tests.json"
        self.file.parent.mkdir(parents=True)
        self._started: list[subprocess.Popen[str]] = []

    def suite(self, *tests: Json, servers: Json | None = None) -> None:
        servers = {"bad": BAD_SERVER, "demo": DEMO_SERVER} if servers is None else servers
        self.file.write_text(json.dumps({"description": "A suite", "servers": servers, "tests": tests}))

    def run(self, **options: Any) -> Came:
        """A run in this process: the SDK is imported once for all tests."""
        stream = io.StringIO()
        request = Request(Options(**options), str(self.folder))
        ending = request.run(stream)
        return Came(ending.exit_code, stream.getvalue(), [*request.notes, *ending.told], self.report(), self.last())

    def command(self, *words: str) -> list[str]:
        return [*COMMAND, "suite", *words]

    def start(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """The command line, under way."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(self.command(*words), cwd=self.folder, env=self.env, **pipes, **options)
        self._started.append(process)
        return process

    def end(self) -> None:
        """Whatever a test left running is ended."""
        for process in self._started:
            process.kill()
            process.communicate()

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": SOURCE}

    def last(self) -> Path:
        """The folder of the last run that has a report."""
        return max((self.folder / ".hookwright/runs").glob("*/report.json")).parent

    def report(self) -> Json:
        return dict(json.loads((self.last() / "report.json").read_text()))
