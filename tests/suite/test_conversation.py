"""Words in a conversation, through the hook as the agent starts it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from suite.bed import blocked, context_of

from hookwright.events import event_of
from hookwright.suite import conversation, handler
from hookwright.suite.bindings import bindings_of
from hookwright.testing import fire


def test_a_run_by_words(bed):
    """Display words answer the person by a block; an action reaches the model by a context."""
    bed.suite()
    opened = bed.prompt("/run-tests --category crud")
    assert blocked(opened) == (
        "# Three tests\n**Total tests:** 2\n**Filter:** category `crud`\nType **next** to begin testing."
    )
    assert opened.document["hookSpecificOutput"]["suppressOriginalPrompt"] is True
    action = context_of(bed.prompt(" NEXT\n"))
    assert action.startswith("Execute the following test:\n\n## Test 1/2: create\n")
    assert "### Action\nCall create_note with title: Milk\n\n" in action
    assert blocked(bed.prompt("v Created. ID: n1")).startswith("## ✅ PASS: create")
    assert "`note_id` = n1" in blocked(bed.prompt("Vars"))
    assert "Call get_note with id: n1" in context_of(bed.prompt("n"))
    assert "**Current test:** get" in blocked(bed.prompt("status"))
    assert "validate TEXT" in blocked(bed.prompt("?"))
    assert blocked(bed.prompt("s")).startswith("## ⏭️ SKIP: get")
    assert bed.state["mode"] == "completed"


def test_the_person_is_told_what_was_skipped(bed):
    """A test that `next` goes past is named with its reason; the model is handed only the test it shall do."""
    bed.suite().init()
    bed.prompt("next")
    bed.prompt("validate it failed")
    answer = bed.prompt("next")
    skipped = "## ⏭️ SKIP: get\n- Depends on 'create', which failed"
    assert answer.document["systemMessage"] == skipped
    assert context_of(answer).startswith("Execute the following test:\n\n## Test 3/3: talk\n")
    bed.suite({"tests": [{"id": "a", "action": "x"}, {"id": "b", "action": "x", "skip": "not today"}]}).init(reset=True)
    bed.pass_one("x")
    assert blocked(bed.prompt("next")).startswith("## ⏭️ SKIP: b\n- not today\nAll tests are done: **Total:** 2 |")


def test_report_also_after_the_end(bed):
    """After an abort too; the other words are prompts again."""
    bed.suite().init()
    assert blocked(bed.prompt("A")).startswith("# Test run aborted\n**Total:** 3 |")
    assert blocked(bed.prompt("report")).startswith("# Three tests: Test Report")
    for word in ("next", "status", "abort", "validate x", "help"):
        assert bed.prompt(word).stdout == ""
    assert "Total tests" in blocked(bed.prompt("/run-tests"))


def test_without_a_run_every_prompt_passes(bed):
    """Words too; only /run-tests begins one."""
    bed.suite()
    for prompt in ("next", "report", "a", "validate this", "hello"):
        assert (bed.prompt(prompt).stdout, bed.prompt(prompt).stderr) == ("", "")
    assert not (bed.folder / ".claude").exists()


NASTY = ("it's", 'say "x"', "$(touch mark)", "`touch mark`", "a\nb\n\nc", "'''", "${x}", "; touch mark", "\\", "🙂")


def test_any_other_prompt_passes_untouched_while_a_run_is_on(bed):
    """Quotes, apostrophes, newlines and substitutions are only text."""
    bed.suite().init()
    for prompt in (*NASTY, "next please", "what is the status?", ""):
        assert bed.prompt(prompt).stdout == ""
    assert not (bed.folder / "mark").exists()


def test_a_validated_text_is_only_text(bed):
    """It is judged as it was typed, and kept as it was typed."""
    text = "\n".join(NASTY)
    bed.suite(
        {"tests": [{"id": "a", "action": "x", "expect": [{"equals": text.replace("${", "$${")}], "save_as": "all"}]}
    ).init()
    bed.do("next")
    assert blocked(bed.prompt(f"Validate {text}")).startswith("## ✅ PASS: a")
    assert bed.state["saved_vars"] == {"all": text}
    assert not (bed.folder / "mark").exists()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_no_prompt_breaks_the_handler(bed, prompt):
    """Whatever is typed: a reply or none, never an error."""
    if not (bed.folder / ".claude").exists():
        bed.suite().init()
    binding = dict(bindings_of({"drive": "manual"}, str(bed.folder)))["UserPromptSubmit"]
    event = event_of("UserPromptSubmit", bed.payload("UserPromptSubmit", prompt=f"v {prompt}"))
    handler.handle(event, binding, 9.0)


def test_a_prompt_that_is_no_text_passes(bed):
    """Nothing is said, and nothing falls over."""
    bed.suite().init()
    for prompt in (5, ["next"], {"text": "next"}, None, True):
        answer = bed.hook("UserPromptSubmit", prompt=prompt)
        assert (answer.stdout, answer.stderr) == ("", "")


def test_other_hooks_still_see_a_prompt_that_is_no_word(bed):
    """A command that the user configured for prompts is the chained hook."""
    bed.suite()
    bed.config("suite: {drive: manual}\nuserPromptSubmit:\n  commands:\n    - run: cat >> seen; echo >> seen\n")
    bed.init()
    bed.prompt("hello")
    assert '"prompt": "hello"' in (bed.folder / "seen").read_text()


def test_refusals_are_told_to_the_person(bed):
    """One sentence, and the run is as it was."""
    bed.suite()
    assert "does not know '--oops'" in blocked(bed.prompt("/run-tests --oops"))
    assert "--tag needs a value" in blocked(bed.prompt("/run-tests --tag"))
    assert "no test of" in blocked(bed.prompt("/run-tests --tag=it's"))
    bed.init()
    assert "no test is current" in blocked(bed.prompt("v x"))
    bed.do("next")
    assert "write the response after the word" in blocked(bed.prompt("validate"))


def test_long_texts_fit_the_client(bed):
    """Over the client's 10,000 characters we shorten, and say where the whole text is."""
    bed.suite({"tests": [{"id": "a", "action": "é" * 6000 + "X" * 6000}]}).init()
    told = context_of(bed.prompt("next"))
    assert len(told.encode("utf-16-le")) // 2 <= 10_000
    assert "more characters: the whole text is in " in told
    path = told.rpartition("the whole text is in ")[2].partition(";")[0]
    assert Path(path).read_text(encoding="utf-8").count("X") == 6000


@pytest.mark.parametrize("word", ["next", "status"])
def test_delivery_replace_is_the_documents_form(bed, word):
    """`{"replace": ...}` for actions and for words alike."""
    bed.suite().init()
    binding = dict(bindings_of({"delivery": "replace"}, str(bed.folder)))["UserPromptSubmit"]
    event = event_of("UserPromptSubmit", bed.payload("UserPromptSubmit", prompt=word))
    reply = handler.handle(event, binding, 9.0)
    assert reply is not None and list(reply.parts()) == ["extra"]
    assert list(reply.extra) == ["replace"]


def test_bindings_follow_the_config():
    """Prompts, tools and stops, whoever drives: any run may be begun as one that drives itself."""
    for section in ({}, {"drive": "manual"}, {"drive": "self"}):
        bound = bindings_of(section, "/p")
        assert [event for event, _ in bound] == ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"]
        assert {binding.kind for _, binding in bound} == {"suite"}


def test_a_rehearsal_changes_nothing(bed):
    """`hookwright fire` and users' own tests see what reads; what would act on the run is left undone, and said."""
    bed.suite(section="drive: self")
    bed.prompt("/run-tests")
    files = [bed.folder / ".claude/test-state.json", *sorted(bed.run_folder.iterdir())]
    before = [file.read_bytes() for file in files]
    for prompt in ("next", "v x", "skip", "retry", "abort", "/run-tests --reset", "something else"):
        result = fire("UserPromptSubmit", bed.folder, prompt=prompt, session_id="s-1")
        assert (result.stdout, result.decision) == ("", None)
        assert prompt == "something else" or f"leaves the test run as it is: {prompt!r} was not done" in result.notes[0]
    assert "**Current test:** create" in fire("UserPromptSubmit", bed.folder, prompt="status").reason
    fire("PostToolUse", bed.folder, tool_name="mcp__demo__x", session_id="s-1")
    assert fire("Stop", bed.folder, last_assistant_message="x", session_id="s-1").stdout == ""
    assert [file.read_bytes() for file in files] == before
    assert sorted(bed.run_folder.iterdir()) == files[1:]


def test_filters_of_a_typed_line():
    """Quoted values, repeated ids, both spellings of an option."""
    suite, filters, reset = conversation.parsed("--suite=x.yaml --category 'two words' --id a --id b --reset")
    assert (suite, filters.category, filters.ids, reset) == ("x.yaml", "two words", ["a", "b"], True)
