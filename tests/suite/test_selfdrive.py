"""A run that drives itself, event by event, through the hook as the agent starts it."""

import json
import time

from suite.bed import blocked, context_of

from hookwright.events import event_of
from hookwright.suite import driver, selfdrive, state

SELF = "drive: self"
TOOLS = {
    "description": "Tools",
    "tests": [
        {"id": "add", "action": "Call add with a: 1, b: 2", "expect": [{"contains": "3", "on": "tool"}]},
        {"id": "again", "action": "Call echo with text: x", "expect": [{"contains": "yes"}], "retries": 1},
        {"id": "after", "action": "Say so", "depends_on": "again", "expect": [{"contains": "so"}]},
    ],
}


def test_from_the_first_prompt_to_the_report(bed):
    """Each Stop judges on what the tools really said, and hands over the next action, to the end."""
    bed.suite(TOOLS, SELF)
    assert "Call add with a: 1, b: 2" in context_of(bed.prompt("/run-tests"))
    assert bed.tool("add", "3").stdout == ""
    told = blocked(bed.stop("I say 4", active=False))
    assert told.startswith("## ✅ PASS: add\n\nExecute the following test:\n\n## Test 2/3: again")
    bed.tool("echo", "no")
    retried = bed.stop("no")
    assert blocked(retried).startswith("Execute the following test:\n\n## Test 2/3: again\n")
    assert "(Attempt 2 of 2" in blocked(retried) and "yes" not in blocked(retried)  # or it would only repeat it
    assert retried.document["systemMessage"] == "## ❌ FAIL: again\n- Missing: 'yes'"
    bed.tool("echo", "yes")
    assert "## Test 3/3: after" in blocked(bed.stop("no"))
    end = bed.stop("so").document
    assert list(end) == ["systemMessage"]
    assert "# Tools: Test Report" in end["systemMessage"] and "report.html" in end["systemMessage"]
    assert bed.statuses == {"add": "pass", "again": "pass", "after": "pass"}
    assert bed.stop("more").stdout == ""
    rows = json.loads((bed.run_folder / "report.json").read_text())["results"]
    assert (rows[1]["attempts"], [call["result"] for call in rows[1]["calls"]]) == (2, ["yes"])


def test_a_tool_that_was_never_called_fails_its_test(bed):
    """Whatever the agent says about it; attempts are limited, so a lazy agent cannot keep the run going."""
    bed.suite(TOOLS, SELF)
    bed.prompt("/run-tests")
    assert "- Tool not called: 'add'" in blocked(bed.stop("3", active=False))
    for n in range(2):
        answer = bed.stop(f"yes, done {n}")
    assert "systemMessage" in answer.document
    assert bed.statuses == {"add": "fail", "again": "fail", "after": "skip"}
    assert bed.state["results"][1]["failures"] == ["Tool not called: 'echo'"]


def test_tool_errors_are_evidence(bed):
    """From PostToolUseFailure, with their text."""
    suite = {"tests": [{"id": "a", "action": "Call fail", "expect": [{"tool_error": "boom"}]}]}
    bed.suite(suite, SELF)
    bed.prompt("/run-tests")
    bed.tool("fail", error="it went boom", is_interrupt=False)
    bed.stop("It failed.", active=False)
    assert bed.statuses == {"a": "pass"}


def test_other_conversations_are_left_alone(bed):
    """Their tools are no evidence, their stops judge nothing, their prompts pause nothing."""
    bed.suite(TOOLS, SELF)
    bed.prompt("/run-tests", session="mine")
    bed.tool("add", "3", session="theirs")
    bed.prompt("hello", session="theirs")
    assert bed.stop("3", session="theirs").stdout == ""
    assert bed.state["results"] == []
    assert "Tool not called" in blocked(bed.stop("3", session="mine"))


def test_another_prompt_pauses_and_next_goes_on(bed):
    """A request of the person's own is not judged as the test's answer; a notification of the client's does not pause."""
    bed.suite(TOOLS, SELF)
    bed.prompt("/run-tests")
    bed.prompt("<task-notification>done</task-notification>")
    bed.tool("add", "3")
    assert "## Test 2/3" in blocked(bed.stop("3", active=False))
    assert bed.prompt("Wait, what is this?").stdout == ""
    bed.tool("echo", "yes")
    assert bed.stop("It is a test.", active=False).stdout == ""
    assert "## Test 2/3" in context_of(bed.prompt("next"))
    assert "Tool not called: 'echo'" in bed.stop("yes").document["systemMessage"]


def test_an_interrupt_pauses(bed):
    """A tool call that the person stopped ends the drive until they say so."""
    bed.suite(TOOLS, SELF)
    bed.prompt("/run-tests")
    bed.tool("add", error="interrupted", is_interrupt=True)
    assert bed.stop("Stopped.", active=False).stdout == ""
    assert bed.state["results"] == []


def test_an_abort_from_elsewhere_is_respected(bed):
    """By a word or from a command line: the agent may stop, and the report is written."""
    bed.suite(TOOLS, SELF)
    bed.prompt("/run-tests")
    bed.do("abort")
    assert bed.stop("3").stdout == ""
    assert "**Not run:** 3" in (bed.folder / "tests/functional/report.md").read_text()


def test_a_skip_from_elsewhere_is_respected(bed):
    """The agent's answer to the skipped test is not taken for the next one's."""
    bed.suite(TOOLS, SELF)
    bed.prompt("/run-tests")
    bed.do("skip")
    assert "## Test 2/3" in blocked(bed.stop("3", active=False))
    assert bed.statuses == {"add": "skip"}


def test_the_clients_cap_is_met_first(bed):
    """Eight blocks without a tool call between them, then the run pauses by itself; a tool call starts the count anew."""
    bed.suite({"tests": [{"id": f"t{n}", "action": "Say x", "expect": [{"contains": "x"}]} for n in range(20)]}, SELF)
    bed.prompt("/run-tests")
    for n in range(8):
        assert f"## Test {n + 2}/20" in blocked(bed.stop(f"x {n}", active=n > 0))
    assert "pauses at 10/20" in bed.stop("x").document["systemMessage"]
    assert bed.stop("x").stdout == ""
    bed.prompt("next")
    for n in range(7):
        blocked(bed.stop(f"x {n}", active=n > 0))
    bed.tool("echo", "x")
    blocked(bed.stop("x"))
    assert len(bed.state["results"]) == 17


def test_a_slow_test_has_timed_out(bed):
    """`timeout` counts from the moment the test was handed over."""
    suite = {"tests": [{"id": "a", "action": "Say x", "timeout": 1, "expect": [{"contains": "x"}]}]}
    bed.suite(suite, SELF)
    bed.prompt("/run-tests")
    evidence = bed.run_folder / "0001.jsonl"
    given = json.loads(evidence.read_text())
    evidence.write_text(json.dumps(given | {"at": given["at"] - 10}) + "\n")
    bed.stop("x", active=False)
    assert bed.state["results"][0]["failures"][0].startswith("Timed out: took 10.")


def test_secrets_do_not_stay(bed):
    """What is kept of a judged test, and every report, has them masked."""
    bed.suite(
        {"tests": [{"id": "a", "action": "Call echo with text: x", "expect": [{"contains": "sk-ant-123456789"}]}]}, SELF
    )
    bed.prompt("/run-tests")
    bed.tool("echo", "the key is sk-ant-123456789", tool_input={"password": "hunter2hunter2"})
    bed.stop("sk-ant-123456789", active=False)
    assert bed.statuses == {"a": "pass"}
    for file in bed.run_folder.iterdir():
        if file.name != "plan.jsonl":  # what the suite itself says
            assert "sk-ant-123456789" not in file.read_text() and "hunter2" not in file.read_text()


def test_the_same_words_again_count_when_there_was_time_to_say_them(bed, monkeypatch):
    """Or when a tool was called meanwhile."""
    monkeypatch.setattr(driver, "AT_ONCE_S", 60)
    bed.suite({"tests": [{"id": n, "action": "Say x", "expect": [{"contains": "x"}]} for n in "abc"]}, SELF)
    bed.prompt("/run-tests")
    event = event_of("Stop", bed.payload("Stop", last_assistant_message="x", stop_hook_active=True))
    selfdrive.stop(event, str(bed.folder), state.look(str(bed.folder)))
    assert selfdrive.stop(event, str(bed.folder), state.look(str(bed.folder))) is None
    bed.tool("echo", "x")
    selfdrive.stop(event, str(bed.folder), state.look(str(bed.folder)))
    monkeypatch.setattr(driver, "AT_ONCE_S", 0)
    selfdrive.stop(event, str(bed.folder), state.look(str(bed.folder)))
    assert bed.statuses == {"a": "pass", "b": "pass", "c": "pass"}


def test_a_quick_agent_that_says_the_same_again_is_heard(bed):
    """A scripted model needs less than a tenth of a second; a retry of its would otherwise end the run in silence."""
    tests = [{"id": n, "action": "Say x", "expect": [{"contains": "y"}], "retries": 1} for n in "ab"]
    bed.suite({"tests": tests}, SELF)
    bed.prompt("/run-tests")
    event = event_of("Stop", bed.payload("Stop", last_assistant_message="x", stop_hook_active=True))
    for _ in range(4):
        selfdrive.stop(event, str(bed.folder), state.look(str(bed.folder)))
        time.sleep(0.05)
    assert bed.statuses == {"a": "fail", "b": "fail"}


def test_the_stops_of_one_registration_count(bed, monkeypatch):
    """The first that comes, whichever it is; `next` asks anew."""
    bed.suite({"tests": [{"id": n, "action": "Say x", "expect": [{"contains": "x"}]} for n in "abcd"]}, SELF)
    bed.prompt("/run-tests")
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/plugin")
    assert "## Test 2/4" in blocked(bed.stop("x 1", active=False))
    monkeypatch.delenv("CLAUDE_PLUGIN_ROOT")
    assert bed.stop("x 2").stdout == ""
    bed.prompt("next")
    assert "## Test 3/4" in blocked(bed.stop("x 3"))
    assert bed.statuses == {"a": "pass", "b": "pass"}


def test_half_characters_reach_no_model(bed):
    """A server's half of a character is kept as it came, and judged, and told as a question mark."""
    tests = [{"id": "a", "action": "Call echo with text: x", "save_as": "v"}, {"id": "b", "action": "Say ${v}"}]
    bed.suite({"tests": tests}, SELF)
    bed.prompt("/run-tests")
    bed.tool("echo", "half \ud800", tool_input={"text": "\ud800"})
    assert "### Action\nSay half ?\n" in blocked(bed.stop("said \udfff", active=False))
    assert bed.state["saved_vars"] == {"v": "half \ud800"}
    assert "report.html" in bed.stop("\ud800").document["systemMessage"]


def test_the_plugins_command_drives_itself(bed):
    """Whatever the config says of it; the run remembers, so that `next` goes on in the same way."""
    bed.suite(TOOLS, "drive: manual")
    assert "Call add with a: 1, b: 2" in context_of(bed.prompt("/hookwright:run-tests"))
    bed.tool("add", "3")
    assert "## Test 2/3" in blocked(bed.stop("3", active=False))
    bed.prompt("something else")
    assert bed.stop("about that").stdout == ""
    assert "it is handed to you as soon as you stop" in context_of(bed.prompt("next"))
    bed.tool("echo", "yes")
    assert "## Test 3/3" in blocked(bed.stop("yes"))


def test_a_run_by_hand_is_not_driven(bed):
    """Tools and stops are seen, and nothing comes of them."""
    bed.suite(TOOLS, "drive: manual")
    bed.prompt("/run-tests")
    assert "The person judges it" in context_of(bed.prompt("next"))
    bed.tool("add", "3")
    assert bed.stop("3", active=False).stdout == ""
    assert bed.state["results"] == [] and bed.state["current_test"]["id"] == "add"


def test_filters_that_do_not_count_are_told_to_the_person(bed):
    """Beside the action, which is the model's."""
    bed.suite(TOOLS, SELF)
    bed.prompt("/run-tests")
    answer = bed.prompt("/run-tests --id after")
    assert answer.document["systemMessage"].startswith("Not applied: id 'after'.")
    assert "Not applied" not in context_of(answer)


def test_a_result_that_was_cut_is_said(bed):
    """What was looked for may stand behind the end of what is kept."""
    expect = [{"contains": "needle"}]
    bed.suite({"tests": [{"id": n, "action": "Call echo with text: x", "expect": expect} for n in "ab"]}, SELF)
    bed.prompt("/run-tests")
    bed.tool("echo", "x" * 1_000_000 + "needle")
    told = blocked(bed.stop("done", active=False))
    assert "- Note: of the 1,000,006 characters of mcp__demo__echo only the first 1,000,000 were judged" in told
    bed.tool("echo", "needle" + "x" * 1_000_000)
    bed.stop("done")
    assert bed.statuses == {"a": "fail", "b": "pass"}
    rows = json.loads((bed.run_folder / "report.json").read_text())["results"]
    assert [row["calls"][0]["whole"] for row in rows] == [1_000_006, 1_000_006]


def test_hooks_that_are_registered_twice(bed):
    """Both run side by side on each event: a call counts once, a test is judged once."""
    bed.suite({"tests": [{"id": n, "action": "Say x", "expect": [{"contains": "x"}]} for n in "abcdef"]}, SELF)
    bed.prompt("/run-tests")
    for _ in range(2):
        bed.tool("echo", "x", tool_use_id="t1")
    looked = state.look(str(bed.folder))
    event = event_of("Stop", bed.payload("Stop", last_assistant_message="x"))
    first, second = (selfdrive.stop(event, str(bed.folder), looked) for _ in range(2))
    assert first is not None and second is None
    time.sleep(driver.AT_ONCE_S)
    late = selfdrive.stop(event, str(bed.folder), state.look(str(bed.folder)))  # it came when the first was done
    assert late is None and bed.statuses == {"a": "pass"}
    kept = json.loads((bed.run_folder / "0001.jsonl").read_text())
    assert len(kept["calls"]) == 1
