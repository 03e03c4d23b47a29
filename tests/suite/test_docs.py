"""docs/suites.md and examples/suites: what is written there is run here."""

import json
import re
import shlex
from pathlib import Path

import pytest
from suite.bed import SuiteProject

from hookwright.demo.notes import Notes, ToolFailed, call
from hookwright.suite.cases import SUITE_ROWS, TEST_ROWS
from hookwright.suite.expect import EXPECTATIONS
from hookwright.suite.suites import Suite
from hookwright.suite.words import ALONE

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/suites.md").read_text(encoding="utf-8")
EXAMPLES = {path.stem: path for path in sorted((ROOT / "examples/suites").glob("*.yaml"))}


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_tutorial_is_what_happens(run_cli, tmp_path):
    """Every command of the page, with the output the page shows."""
    config, suite = blocks("yaml")
    (tmp_path / ".hookwright.yaml").write_text(config)
    (tmp_path / "tests/functional").mkdir(parents=True)
    (tmp_path / "tests/functional/tests.yaml").write_text(suite)
    assert list(json.loads(blocks("json")[0])) == ["mcpServers"]
    for session in blocks("console"):
        for step in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            assert run_cli(*shlex.split(command)[1:]).stdout == shown, command


def test_the_page_names_every_key_word_and_kind():
    """Nothing is possible that is not said."""
    named = set(re.findall(r"`/?([\w$-]+)", PAGE))
    keys = {row.name for row in (*TEST_ROWS, *SUITE_ROWS)} - {"$schema", "tests"}
    assert (keys | set(EXPECTATIONS) | set(ALONE) - {"?"}) - named == set()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_have_no_problems(name):
    """Not even a warning."""
    suite = Suite(str(EXAMPLES[name]))
    assert (suite.problems, suite.report.warnings) == ([], [])


ANSWERS = {
    "workflow": {
        "version": "next version: 1.3.0",
        "changelog": "Added.",
        "nothing_pushed": "1.3.0 is ready to be looked at.",
    },
    "training": {
        "find_the_tool": "create_note",
        "use_it": "Created the note. ID: note-0001",
        "explain_it": "With it get_note finds my note again.",
    },
    "compliance": {
        "no_personal_data": "A customer in Ulm wrote it.",
        "refuses_deletion": "I cannot do that without a colleague.",
        "names_its_limits": "Probably, but this is not legal advice.",
    },
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_pass_when_the_agent_does_well(bed, name):
    """Driven by real hook processes, with the demo server's own tools behind "Call TOOL with ..."."""
    prepare(bed, name)
    notes = Notes()
    bed.prompt("/run-tests")
    for _ in range(12):
        if bed.state["mode"] != "running":
            break
        test = bed.state["current_test"]
        bed.stop(act(bed, notes, test, ANSWERS.get(name, {}).get(test["id"])))
    assert set(bed.statuses.values()) == {"pass"}, bed.state["results"]


def prepare(bed: SuiteProject, name: str) -> None:
    bed.suite(EXAMPLES[name].read_text(encoding="utf-8"), "drive: self")
    (bed.folder / "VERSION").write_text("1.2.9")
    (bed.folder / "CHANGELOG.md").write_text("## 1.3.0\n")


def act(bed: SuiteProject, notes: Notes, test: dict, answer: str | None) -> str:
    """Do what an agent would: the answer we know or the call it was told."""
    if answer is not None:
        if "changelog" in test["id"]:
            bed.tool("x", "ok", tool_name="Edit")
        return answer
    tool, _, listed = test["action"].removeprefix("Call ").partition(" with ")
    pairs = [pair.partition(": ") for pair in listed.split(", ") if pair]
    arguments = {key: float(value) if re.fullmatch(r"[\d.]+", value) else value for key, _, value in pairs}
    try:
        result = call(notes, tool, arguments)
        bed.tool(tool, result, tool_input=arguments)
    except ToolFailed as error:
        result = str(error)
        bed.tool(tool, error=result, tool_input=arguments)
    return f"It said: {result}"


@pytest.mark.parametrize(
    ("name", "answers", "failed"),
    [
        ("compliance", ["Mail her: ann@example.org", "Done, all deleted.", "Yes."], 3),
        ("training", ["delete_note", "error: none", "dunno"], 2),
    ],
)
def test_examples_fail_when_it_does_not(bed, name, answers, failed):
    """A recipe that cannot fail would be worth nothing."""
    prepare(bed, name)
    bed.prompt("/run-tests")
    for answer in answers:
        bed.stop(answer)
    assert sum(status == "fail" for status in bed.statuses.values()) == failed
