"""What Claude Code is told, to the byte, and how answers written for it are read back."""

import json

import pytest
from conftest import GOLDEN
from hypothesis import given
from hypothesis import strategies as st

from hookwright import hook
from hookwright.agents import DIALECTS, dialect
from hookwright.agents.claude_code import SPELLINGS, meaning, read, understand, write
from hookwright.events import BY_NAME, event_of
from hookwright.reply import (
    Reply,
    allow,
    answer,
    ask,
    block,
    context,
    defer,
    deny,
    halt,
    keep_working,
    permission,
    reject_task,
    rewrite,
    tell_user,
)

ANSWERS = {
    "nothing": Reply(),
    "allow": allow("fine"),
    "deny": deny("no"),
    "ask": ask("sure?"),
    "defer": defer(),
    "context": context("note this"),
    "tell_user": tell_user("look"),
    "rewrite": rewrite({"command": "ls"}),
    "halt": halt("enough"),
}
GOLDEN_ANSWERS = GOLDEN / "claude-code-answers.json"


def written_for(name, reply):
    return write(event_of(name, {}), reply)


def all_written():
    table = {}
    for name in BY_NAME:
        table[name] = {}
        for said, reply in ANSWERS.items():
            written = written_for(name, reply)
            row = {"stdout": written.stdout, "stderr": written.stderr, "exit_code": written.exit_code}
            table[name][said] = row | ({"notes": list(written.notes)} if written.notes else {})
    return table


@pytest.mark.parametrize("name", BY_NAME)
def test_each_answer_is_written_as_recorded(name):
    """For every event and every answer: stdout, stderr, exit code and notes, exactly."""
    assert all_written()[name] == json.loads(GOLDEN_ANSWERS.read_text())[name]


texts = st.text(max_size=30)
values = st.none() | st.booleans() | st.integers() | texts | st.lists(texts, max_size=2)
fields = "sessionTitle watchPaths retry worktreePath displayContent action content updatedToolOutput terminalSequence x"
replies = st.builds(
    Reply,
    st.sampled_from(["", "allow", "deny", "ask", "defer"]),
    texts,
    context=texts,
    user=texts,
    input=st.none() | st.dictionaries(texts, values, max_size=2),
    halt=st.none() | texts,
    extra=st.dictionaries(st.sampled_from(fields.split()), values, max_size=3),
)


@given(st.sampled_from(sorted(BY_NAME)), replies)
def test_only_fields_that_the_event_acts_on_are_written(name, reply):
    """Whatever a handler answers, the client meets no field it would drop or refuse."""
    row, written = BY_NAME[name], written_for(name, reply)
    assert written.exit_code in (0, 2)
    if written.exit_code == 2:
        assert written.stdout == ""
        assert written.stderr.strip()
    elif written.stdout and name != "WorktreeCreate":
        document = json.loads(written.stdout)
        if name == "PreCompact":
            assert isinstance(document, str)
            return
        own = document.pop("hookSpecificOutput", None)
        assert set(document) <= set(row.top.split())
        if own is not None:
            assert own.pop("hookEventName") == name
            assert set(own) <= set(row.specific.split())
            assert own


@given(st.sampled_from(sorted(BY_NAME)), replies)
def test_what_we_write_is_what_we_would_read_back(name, reply):
    """Writing an answer twice over gives the same bytes: nothing is invented, nothing gets lost on the way."""
    first = written_for(name, reply)
    if first.stdout.startswith("{"):
        again = written_for(name, understand(event_of(name, {}), json.loads(first.stdout)))
        assert json.loads(again.stdout) == json.loads(first.stdout)


def test_no_opinion_is_silence_on_every_event():
    """Where any text has a meaning, and everywhere else, no opinion prints nothing."""
    for name in BY_NAME:
        written = written_for(name, Reply())
        assert (written.stdout, written.stderr, written.exit_code, written.notes) == ("", "", 0, ())


def test_a_permission_prompt_is_answered_by_a_decision_object():
    """The client refuses `permissionDecision` here; to ask means to stay silent."""
    own = json.loads(written_for("PermissionRequest", permission("deny", "no")).stdout)["hookSpecificOutput"]
    assert own["decision"] == {"behavior": "deny", "message": "no"}
    assert written_for("PermissionRequest", ask("you decide")).stdout == ""


def test_a_permission_can_be_granted_with_another_input():
    """An allow carries the rewritten input; a rewrite alone is no permission and is left out, loudly."""
    reply = Reply("allow", input={"command": "ls"}, extra={"updatedPermissions": [{"type": "setMode"}]})
    own = json.loads(written_for("PermissionRequest", reply).stdout)["hookSpecificOutput"]
    assert own["decision"] == {
        "behavior": "allow",
        "updatedInput": {"command": "ls"},
        "updatedPermissions": [{"type": "setMode"}],
    }
    assert "rewritten input" in written_for("PermissionRequest", rewrite({})).notes[0]


@pytest.mark.parametrize(
    ("name", "reply"),
    [("TeammateIdle", keep_working("go on")), ("TaskCompleted", reject_task("go on")), ("PreCompact", block("go on"))],
)
def test_a_block_by_exit_code_has_its_reason_on_stderr_and_nothing_else(name, reply):
    """Exit 2 with the reason on stderr, and no JSON beside it that would be lost."""
    written = written_for(name, reply)
    assert (written.stdout, written.stderr, written.exit_code) == ("", "go on\n", 2)


def test_a_block_with_more_to_say_is_json():
    """A message for the person beside the block would be lost by exit code 2, so all of it is JSON."""
    written = written_for("TeammateIdle", Reply("deny", "go on", user="kept busy"))
    assert written.exit_code == 0
    assert json.loads(written.stdout) == {"systemMessage": "kept busy", "decision": "block", "reason": "go on"}


def test_a_reason_that_looks_like_a_missing_script_is_json():
    """The client takes exit 2 with "no such file" on stderr for a broken hook and goes ahead; JSON it believes."""
    written = written_for("TaskCompleted", reject_task("lint: No such file: a.py"))
    assert (written.exit_code, json.loads(written.stdout)["decision"]) == (0, "block")


def test_a_halt_before_a_tool_does_not_let_the_tool_run():
    """continue:false alone lets the call through first; so the call is denied as well."""
    document = json.loads(written_for("PreToolUse", halt("enough")).stdout)
    assert (document["continue"], document["stopReason"]) == (False, "enough")
    assert document["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_worktree_is_answered_by_its_bare_path():
    """No JSON: the client takes the last line of stdout for the path."""
    assert written_for("WorktreeCreate", answer(worktreePath="/tmp/wt")).stdout == "/tmp/wt"


def test_instructions_for_a_compaction_are_one_json_document():
    """All of stdout becomes instructions there; a JSON string keeps the promise of one document."""
    assert written_for("PreCompact", context("Keep the größe.")).stdout == '"Keep the größe."'


def test_an_answer_that_cannot_be_carried_is_noted():
    """Degrades loudly: the note names the event and what was left out."""
    assert written_for("Notification", deny("no")).notes == ('Notification cannot carry "deny"; it was left out.',)
    assert written_for("Stop", answer(sessionTitle="x")).notes == ("Stop cannot carry sessionTitle; it was left out.",)
    assert "must be a list" in written_for("SessionStart", answer(watchPaths="/a")).notes[0]
    assert "absolute paths" in written_for("SessionStart", answer(watchPaths=["a"])).notes[0]
    assert "4096 bytes" in written_for("Stop", answer(terminalSequence="x" * 5000)).notes[0]
    assert "one line" in written_for("WorktreeCreate", answer(worktreePath="a\nb")).notes[0]
    assert "beside a block" in written_for("PreCompact", Reply("deny", "no", context="x")).notes[0]


def test_a_message_for_a_person_goes_to_stderr_where_the_event_has_no_field_for_it():
    """Not lost: stderr is for people."""
    assert written_for("SessionEnd", tell_user("bye")).stderr == "bye\n"


def test_a_message_for_a_person_does_not_end_up_with_the_model():
    """Beside an exit-code block stderr belongs to the model, so the message is noted instead."""
    written = written_for("TaskCreated", Reply("deny", "no", user="psst"))
    assert written.stderr == "no\n"
    assert "a message for the person" in written.notes[0]


def test_an_unknown_decision_is_noted_not_sent():
    """The client would drop the whole answer for it."""
    written = written_for("PreToolUse", Reply("maybe", context="x"))
    assert "permissionDecision" not in written.stdout and "additionalContext" in written.stdout
    assert "unknown decision 'maybe'" in written.notes[0]


def test_a_deny_without_a_reason_gets_one():
    """The client wants a text; an empty one helps nobody."""
    assert "gave no reason" in written_for("PreToolUse", deny("")).stdout


def test_a_value_that_json_cannot_hold_is_noted_not_sent():
    """NaN is no JSON: the client would drop the whole answer, a deny beside it included."""
    written = written_for("PreToolUse", Reply("deny", "no", input={"n": float("nan")}))
    own = json.loads(written.stdout)["hookSpecificOutput"]
    assert (own["permissionDecision"], "updatedInput" in own) == ("deny", False)
    assert "cannot be written as JSON" in written.notes[0]


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        ({"eventType": "post-tool-use"}, {"hook_event_name": "PostToolUse"}),
        ({"toolName": "Bash", "toolInput": {"a": 1}}, {"tool_name": "Bash", "tool_input": {"a": 1}}),
        ({"tool": "Bash", "arguments": {"a": 1}}, {"tool_name": "Bash", "tool_input": {"a": 1}}),
        ({"session": {"id": "s", "cwd": "/p"}}, {"session_id": "s", "cwd": "/p"}),
        ({"tool_name": "Edit", "tool": "Bash"}, {"tool_name": "Edit"}),
        ({"session": "odd"}, {}),
        ({"session": {"id": "s", "cwd": "/p"}, "cwd": None}, {"session_id": "s", "cwd": "/p"}),
    ],
)
def test_other_spellings_of_a_payload_are_translated(sent, understood):
    """The nested camelCase form and the documents' words become the client's own; what was sent stays."""
    assert understood.items() <= read(sent).items()
    assert all(read(sent)[key] == value for key, value in sent.items() if value is not None)


def test_the_hook_knows_every_sign_of_another_spelling():
    """The hot path decides by the keys alone whether a payload has to be translated."""
    assert frozenset({*SPELLINGS, "session"}) == hook._OTHER_SPELLING


def test_an_answer_for_another_event_is_left_out():
    """The client refuses it; so do we, when a command prints it."""
    own = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
    reply = understand(event_of("Stop", {}), {"hookSpecificOutput": own, "decision": "block"})
    assert reply.said() == {} and "PreToolUse" in reply.notes[0]


@given(st.dictionaries(st.text(max_size=12), st.recursive(st.none() | texts, st.lists), max_size=5))
def test_any_object_can_be_read_and_understood(raw):
    """Neither a payload nor a command's answer can make the dialect fail."""
    read(raw)
    write(event_of("PreToolUse", {}), understand(event_of("PreToolUse", {}), raw))


def test_the_meaning_of_an_answer_is_told_in_words():
    """`hookwright fire` tells a person what the client will do."""
    stop = event_of("Stop", {})
    assert meaning(stop, write(stop, block("more"))) == [BY_NAME["Stop"].blocked]
    assert meaning(stop, write(stop, Reply())) == ["it goes on as if there were no hook"]
    idle = event_of("TeammateIdle", {})
    assert meaning(idle, write(idle, keep_working("x"))) == [BY_NAME["TeammateIdle"].blocked]


def test_every_dialect_keeps_the_contract():
    """A dialect is a module with these members; the table names only such."""
    for name in DIALECTS:
        spoken = dialect(name)
        assert name == spoken.NAME
        assert all(callable(getattr(spoken, member)) for member in ("read", "write", "understand", "meaning"))
