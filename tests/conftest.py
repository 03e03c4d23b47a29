"""What the tests share: a scratch project, and the hook started as an agent starts it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hookwright

BOOT = str(Path(hookwright.__file__).with_name("boot.py"))
GOLDEN = Path(__file__).parent / "golden"
NOT_HERE = "not on this machine: "


@dataclass
class Answer:
    """What an agent gets from one started hook."""

    stdout: str
    stderr: str
    exit_code: int

    @property
    def document(self) -> Any:
        return json.loads(self.stdout)


class Project:
    """A scratch project with a config, handlers and a journal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def config(self, text: str, name: str = ".hookwright.yaml") -> Project:
        (self.folder / name).write_text(text, encoding="utf-8")
        return self

    def handlers(self, source: str) -> Project:
        """A config with one handler file of this source."""
        ours = self.folder / ".hookwright"
        ours.mkdir(exist_ok=True)
        (ours / "handlers.py").write_text(source, encoding="utf-8")
        return self.config('handlers: [".hookwright/handlers.py"]\n')

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        return {"hook_event_name": event, "cwd": str(self.folder), "session_id": "s-1", **fields}

    def hook(self, event: str | None = None, /, *args: str, raw: bytes | None = None, **fields: Any) -> Answer:
        """Start the hook with a payload, as the agent does."""
        stdin = raw if raw is not None else json.dumps(self.payload(event or "", **fields)).encode()
        return start_hook(stdin, *args, cwd=self.folder)

    def journal(self) -> list[dict[str, Any]]:
        file = self.folder / ".hookwright" / "journal.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def start_hook(stdin: bytes, *args: str, cwd: Path | str, env: dict[str, str] | None = None) -> Answer:
    """One hook process."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", BOOT, *args],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=env,
        timeout=60,
        check=False,
    )
    return Answer(done.stdout.decode(), done.stderr.decode("utf-8", "replace"), done.returncode)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def run_cli(tmp_path: Path) -> Callable[..., Answer]:
    """Run a verb of the command line in the scratch folder."""

    def run(*args: str, cwd: Path | None = None, stdin: str = "") -> Answer:
        code = "import sys; from hookwright.cli import main; sys.exit(main())"
        env = {**os.environ, "PYTHONPATH": str(Path(hookwright.__file__).parent.parent)}
        done = subprocess.run(
            [sys.executable, "-c", code, *args],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=cwd or tmp_path,
            env=env,
            timeout=60,
            check=False,
        )
        return Answer(done.stdout, done.stderr, done.returncode)

    return run


def alive(group: int) -> list[str]:
    """The living members of a process group; whoever is dead and unburied does not count."""
    table = subprocess.run(["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines()]
    return [pid for pid, pgid, stat in rows if int(pgid) == group and not stat.startswith("Z")]


def survivors(group: int) -> list[str]:
    """Who is left of a group that was killed; the system may take a moment to bury it."""
    until = time.monotonic() + 20
    while (left := alive(group)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def need(tool: str) -> str:
    """The path of a tool, or a skip that says it is not on this machine."""
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"{NOT_HERE}{tool}")
    return path


_unexplained: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if NOT_HERE not in reason:
            _unexplained.append(f"{report.nodeid}: {reason}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a test may be skipped only because its tool is not on the machine."""
    if os.environ.get("CI") and _unexplained and session.exitstatus == 0:
        session.exitstatus = 1


@pytest.hookimpl(hookwrapper=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    yield
    for line in _unexplained:
        terminalreporter.write_line(f"skipped although it could have run: {line}")
