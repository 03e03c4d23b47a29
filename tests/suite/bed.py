"""What the suite's tests share: a project whose run can be told things as a person, an agent or a command line would."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from conftest import Answer, Project

from hookwright.suite import actions
from hookwright.suite.order import Filters

THREE = {
    "version": "1.0",
    "description": "Three tests",
    "tests": [
        {
            "id": "create",
            "description": "A note is kept",
            "category": "crud",
            "action": "Call create_note with title: Milk",
            "expect": [{"contains": "Created"}, {"not_contains": "error"}],
            "save": {"note_id": r"ID:\s+(\S+)"},
            "tags": ["critical", "smoke"],
        },
        {
            "id": "get",
            "category": "crud",
            "action": "Call get_note with id: ${note_id}",
            "expect": [{"regex": "id.*${note_id}"}],
            "depends_on": ["create"],
            "tags": ["smoke"],
        },
        {"id": "talk", "category": "words", "action": "Say hello", "expect": [{"icontains": "HELLO"}]},
    ],
}
IDS = itertools.count(1)
SCHEMA = [
    "mode",
    "total_tests",
    "current_index",
    "current_test",
    "results",
    "saved_vars",
    "filter_category",
    "filter_tag",
    "started_at",
    "completed_at",
]


class SuiteProject(Project):
    """A scratch project with a suite."""

    def suite(self, suite: Any = THREE, section: str = "drive: manual") -> SuiteProject:
        self.config(f"suite: {{{section}}}\n")
        folder = self.folder / "tests/functional"
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(suite, str):
            (folder / "tests.yaml").write_text(suite, encoding="utf-8")
        else:
            (folder / "tests.json").write_text(json.dumps(suite, indent=1), encoding="utf-8")
        return self

    @property
    def state(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / ".claude/test-state.json").read_text()))

    @property
    def statuses(self) -> dict[str, str]:
        return {result["id"]: result["status"] for result in self.state["results"]}

    @property
    def run_folder(self) -> Path:
        return sorted((self.folder / ".hookwright/runs").iterdir())[-1]

    def init(self, reset: bool = False, **filters: Any) -> str:
        return actions.begin(str(self.folder), None, Filters(**filters), reset).text

    def do(self, word: str, text: str = "") -> actions.Told:
        return actions.do(str(self.folder), word, text)

    def pass_one(self, text: str = "Created ID: n1 hello") -> str:
        self.do("next")
        return self.do("validate", text).text

    def prompt(self, text: str, session: str = "s-1") -> Answer:
        return self.hook("UserPromptSubmit", prompt=text, session_id=session)

    def tool(self, name: str, result: Any = None, session: str = "s-1", **fields: Any) -> Answer:
        event = "PostToolUseFailure" if "error" in fields else "PostToolUse"
        given = {
            "tool_name": f"mcp__demo__{name}",
            "tool_input": {},
            "tool_use_id": str(next(IDS)),
            "duration_ms": 5,
            **fields,
        }
        response = {} if "error" in fields else {"tool_response": [{"type": "text", "text": result}]}
        return self.hook(event, session_id=session, **given, **response)

    def stop(self, said: str, session: str = "s-1", active: bool = True) -> Answer:
        return self.hook("Stop", last_assistant_message=said, stop_hook_active=active, session_id=session)


def context_of(answer: Answer) -> str:
    """What the model was told on a prompt."""
    return str(answer.document["hookSpecificOutput"]["additionalContext"])


def blocked(answer: Answer) -> str:
    """The reason of a block."""
    assert answer.document["decision"] == "block"
    return str(answer.document["reason"])
