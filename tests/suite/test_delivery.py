"""How an action reaches the model, through the whole hook."""

import json

import pytest

SUITE = '{"tests": [{"id": "a", "action": "Say ready"}]}'


@pytest.fixture
def running(project, run_cli):
    """A project with a run that has begun."""

    def begin(section):
        folder = project.folder / "tests" / "functional"
        folder.mkdir(parents=True)
        (folder / "tests.json").write_text(SUITE)
        project.config(section)
        assert run_cli("suite", "init").exit_code == 0
        return project

    return begin


def test_an_action_is_context_for_the_model(running):
    """The prompt stays; the test is beside it."""
    answer = running("suite: {}\n").hook("UserPromptSubmit", prompt="next")
    assert "Say ready" in answer.document["hookSpecificOutput"]["additionalContext"]


def test_the_documents_own_form_can_be_asked_for(running):
    """`delivery: replace` writes what the source documents say."""
    answer = running("suite: {delivery: replace}\n").hook("UserPromptSubmit", prompt="next")
    assert "Say ready" in answer.document["replace"]
    assert set(answer.document) == {"replace"}


def test_a_suite_in_its_usual_place_needs_no_section(running):
    """Its words work in any project with a config; every other prompt is untouched."""
    project = running("handlers: []\n")
    assert "Say ready" in project.hook("UserPromptSubmit", prompt=" NEXT ").stdout
    assert project.hook("UserPromptSubmit", prompt="next we should refactor").stdout == ""
    shown = json.loads(project.hook("UserPromptSubmit", prompt="status").stdout)
    assert shown["decision"] == "block"
