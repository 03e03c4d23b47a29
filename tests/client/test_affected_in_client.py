"""Under the real client: the model edits a file, and its next request tells it what that did to the tests."""

from __future__ import annotations

import sys

import pytest
from client.scripted_model import ScriptedModel, said, tool

CODE = "def total(prices):\n    return sum(prices)\n"
BROKEN = CODE.replace("sum(prices)", "sum(prices) + 1")
TEST = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"


@pytest.mark.parametrize(("when", "event"), [("edit", "PostToolUse"), ("batch", "PostToolBatch")])
def test_model_reads_the_failing_assertion_and_then_the_pass(claude_project, when, event):
    """It breaks the code and reads the assertion; it edits back and reads that the tests pass."""
    file = claude_project.path / "cart.py"
    file.write_text(CODE)
    (claude_project.path / "test_cart.py").write_text(TEST)
    (claude_project.path / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    claude_project.configure(f"autoTest:\n  when: {when}\n  budget: 60\n")
    turns = [[tool("Write", {"file_path": str(file), "content": content})] for content in (BROKEN, CODE)]
    read_first = [tool("Read", {"file_path": str(file)})]
    with ScriptedModel([read_first, *turns]) as model:
        claude_project.run(model, hooks=[event], env={"VIRTUAL_ENV": sys.prefix})
    broken, mended = said(model.requests[2]), said(model.requests[3])
    assert "Tests failed (pytest)" in broken
    assert "assert 4 == 3" in broken
    assert "Tests passed (pytest)" not in broken
    assert "Tests passed (pytest)" in mended
