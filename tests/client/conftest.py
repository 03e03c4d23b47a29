"""What a test against the real client needs: the client, the command it runs for a hook, a project to run it in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from client.claude import ClaudeProject, NpmMissing, client_path

import hookwright


@pytest.fixture(scope="session")
def claude_client() -> Path:
    """The client's program; tests are skipped where it cannot be installed for want of npm."""
    try:
        return client_path()
    except NpmMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def hook_command() -> str:
    """The shell command line by which the client asks the hookwright under test."""
    boot = Path(hookwright.__file__).parent / "boot.py"
    return f'"{sys.executable}" -I -S "{boot}"'


@pytest.fixture
def claude_project(tmp_path: Path, claude_client: Path, hook_command: str) -> ClaudeProject:
    return ClaudeProject.create(tmp_path / "hooked", hook_command)
