"""Our rules of settings are the client's: the same files are put to both."""

from __future__ import annotations

import json
import re

import pytest
from client.claude import ClaudeProject, client_path, isolated_environment
from client.scripted_model import ScriptedModel
from setup.test_settings_rules import BAD, GOOD, SHAPES

from hookwright.setup import claude_client
from hookwright.setup.settings_rules import faults


def told(project: ClaudeProject, document: object) -> list[str]:
    """What `claude doctor` has to say of a settings file."""
    path = project.path / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document))
    with ScriptedModel() as model, pytest.MonkeyPatch.context() as patch:
        for name, value in isolated_environment(model, project.home).items():
            patch.setenv(name, value)
        lines = claude_client.invalid_settings(str(client_path()), project.path)
    assert lines is not None
    return lines


def drops_file(lines: list[str]) -> bool:
    return any(words in line for line in lines for words in claude_client.DROPS_THE_FILE)


def test_handlers(claude_project: ClaudeProject) -> None:
    """It takes what we call good, drops each that we call bad, and under a guarding event the file with it."""
    assert told(claude_project, {"hooks": {"Stop": [{"hooks": GOOD}]}}) == []
    handlers = [handler for handler, _ in BAD]
    lines = told(claude_project, {"hooks": {"Stop": [{"hooks": handlers}]}})
    dropped = {int(found[1]) for line in lines if (found := re.search(r"hooks\.Stop\.0\.hooks\.(\d+)", line))}
    assert dropped == set(range(len(BAD))) and not drops_file(lines)
    assert drops_file(told(claude_project, {"hooks": {"PreToolUse": [{"hooks": [GOOD[0], handlers[-1]]}]}}))


def test_other_shapes(claude_project: ClaudeProject) -> None:
    """Each is told, and the whole file is dropped where we say so."""
    for document, _, drops in SHAPES:
        lines = told(claude_project, document)
        assert lines and drops_file(lines) is drops is any(fault.drops_file for fault in faults(document)), document
