"""Secrets that a test saves: used where they are needed, repeated nowhere else."""

import json

import pytest

from hookwright.suite import progress, reports
from hookwright.suite.evidence import Evidence
from hookwright.suite.expect import judged
from hookwright.suite.secrets import hidden

LOOKS = "sk-live-abcdef1234567890"  # known by its look
NAMED = "correct-horse"  # known by the name of its variable
SUITE = {
    "description": "Secrets",
    "tests": [
        {"id": "login", "action": "Log in", "save": {"key": r"key=(\S+)", "password": r"pw=(\S+)"}},
        {
            "id": "use",
            "action": "Say ${password} and ${key}",
            "expect": [
                {"contains": "${password}"},
                {"contains": "${key}!"},
                {"regex": "^${password}$"},
                {"any_of": [{"equals": "${key}"}, {"starts_with": "${password}"}]},
            ],
        },
        {"id": "later", "action": "Call login_again with key: ${key}, pin: ${password}"},
    ],
}


def test_a_saved_secret_is_in_no_reason_and_no_report(bed):
    """Not by its look and not by its name; the model is still told it."""
    bed.suite(SUITE).init()
    bed.pass_one(f"key={LOOKS} pw={NAMED}")
    assert bed.do("next").text.endswith(f"Say {NAMED} and {LOOKS}")
    told = bed.do("validate", "I will not").text
    assert told.startswith("## ❌ FAIL: use\n- Missing: '***'\n- Missing: '***!'\n- Pattern not found: '^***$'\n")
    bed.do("abort")
    run = progress.opened(str(bed.folder))
    for text in (told, json.dumps(bed.state["results"]), *(reports.written(run, form) for form in reports.FORMS)):
        assert LOOKS not in text and NAMED not in text and "correct\\-horse" not in text
    assert json.loads(reports.written(run, "json"))["results"][2]["action"].startswith("Call login_again with")


def test_what_the_suite_itself_says_is_repeated_as_it_stands(bed):
    """The documents' failure texts are exact: a literal is nobody's saved secret."""
    bed.suite({"tests": [{"id": "a", "action": "x", "expect": [{"contains": "password: required"}]}]}).init()
    bed.do("next")
    assert "- Missing: 'password: required'\n" in bed.do("validate", "y").text


@pytest.mark.parametrize(("name", "value"), [("token_count", "3"), ("note_id", "n-12345"), ("secret", "")])
def test_what_is_no_secret_is_shown(name, value):
    """A short value would be found everywhere; an ordinary one is no secret."""
    assert hidden([f"Missing: '{value}'"], {name: value}) == [f"Missing: '{value}'"]


def test_a_reason_of_a_schema_is_short_and_has_no_secret():
    """The library repeats the whole document, which may be any tool's result."""
    said = Evidence(json.dumps({"key": LOOKS, "long": "x" * 50_000}), seen_tools=False)
    (reason,) = judged({"json_schema": {"type": "array"}}, said)
    assert reason.startswith("JSON Schema not met at $: ") and len(reason) < 500 and LOOKS not in reason
