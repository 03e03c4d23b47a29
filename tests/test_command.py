"""A configured command: what it is told, what its exit and its words mean, what a person gets to see of it."""

import json
import os
import posix
import stat
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hookwright import command, environment
from hookwright.bindings import Binding
from hookwright.dispatch import dispatch
from hookwright.events import BY_NAME, event_of
from hookwright.reply import Reply

SHOW_ALL = {"showStdout": True, "showStderr": True}


@pytest.fixture
def run(tmp_path):
    """Dispatch an event to one script: run("exit 2", "PreToolUse", on_error="block", showStdout=True, fields={...})."""

    def handle(script, event="PostToolUse", *, on_error="continue", timeout_s=None, fields=None, **options):
        raw = {"hook_event_name": event, "session_id": "s-1", "cwd": "/session", **(fields or {})}
        settings = {"run": script, "folder": str(tmp_path), "showCommand": False, **options}
        binding = Binding("command", "the command", None, on_error, timeout_s, settings)
        return dispatch(event_of(event, raw), [binding])[0]

    return handle


@pytest.fixture
def told(run, tmp_path):
    """The environment that a command sees, with a prefix's names shortened."""

    def environment_of(event="PostToolUse", prefix="CONCLAUDE_", script="", fields=None, **options):
        run(f"{script} env -0 > seen", event, fields=fields, **options)
        pairs = (tmp_path / "seen").read_bytes().decode().split("\0")
        variables = dict(pair.split("=", 1) for pair in pairs if pair)
        return {name.removeprefix(prefix): value for name, value in variables.items() if name.startswith(prefix)}

    return environment_of


def spilled(folder: Path) -> list[Path]:
    return [path for path in (folder / ".hookwright").rglob("*") if path.parent.name == "spill"]


TOOL = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": {"ok": True}, "tool_use_id": "t-1"}


class TestEnvironment:
    @pytest.mark.parametrize("prefix", ["CONCLAUDE_", "HOOKWRIGHT_"])
    def test_a_tool_event(self, told, tmp_path, prefix):
        """Every name of the contract, under both prefixes."""
        seen = told(prefix=prefix, fields={**TOOL, "transcript_path": "/t.jsonl"})
        stamp = datetime.fromisoformat(seen.pop("TOOL_TIMESTAMP"))
        assert abs(datetime.now(UTC) - stamp) < timedelta(minutes=1)
        assert json.loads(seen.pop("TOOL_INPUT")) == {"file_path": "a.py"}
        assert json.loads(seen.pop("TOOL_OUTPUT")) == {"ok": True}
        assert seen == {
            "TOOL_NAME": "Edit",
            "TOOL_USE_ID": "t-1",
            "SESSION_ID": "s-1",
            "CWD": "/session",
            "CONFIG_DIR": str(tmp_path),
            "HOOK_EVENT": "PostToolUse",
            "TRANSCRIPT_PATH": "/t.jsonl",
        }

    def test_what_is_absent_or_null_has_no_variable(self, told):
        """A tool's input and output are always JSON; its use id is there when it is there."""
        seen = told(fields={"tool_name": "Edit", "tool_use_id": None})
        assert (seen["TOOL_INPUT"], seen["TOOL_OUTPUT"]) == ("{}", "null")
        assert "TOOL_USE_ID" not in seen

    def test_no_field_of_the_payload_overrides_a_promised_name(self, told):
        """However many there are, and whatever they are called."""
        others = {f"field_{n}": n for n in range(150)} | {"toolInput": "evil", "tool_output": "plain"}
        seen = told(fields={**others, **TOOL, "tool_response": 1})
        assert (json.loads(seen["TOOL_INPUT"]), seen["TOOL_OUTPUT"]) == (TOOL["tool_input"], "1")

    def test_a_text_as_output_is_json_too(self, told):
        """A command can rely on the output being JSON."""
        assert told(fields={**TOOL, "tool_response": 'say "hi"'})["TOOL_OUTPUT"] == r'"say \"hi\""'

    def test_other_events_tell_their_fields(self, told):
        """Upper snake case; text as it is, everything else as JSON."""
        fields = {
            "last_assistant_message": 'Done: äöü\n"it\'s"',
            "stop_hook_active": False,
            "background_tasks": [{"id": 1}],
            "someNewField": 1.5,
            "not a name": 1,
            "nothing": None,
        }
        seen = told("Stop", fields=fields)
        assert seen["LAST_ASSISTANT_MESSAGE"] == 'Done: äöü\n"it\'s"'
        assert seen["STOP_HOOK_ACTIVE"] == "false"
        assert json.loads(seen["BACKGROUND_TASKS"]) == [{"id": 1}]
        assert seen["SOME_NEW_FIELD"] == "1.5"
        assert {"HOOK_EVENT", "SESSION_ID", "CWD", "CONFIG_DIR", "TRANSCRIPT_PATH"} <= seen.keys()
        assert not {"TOOL_NAME", "TOOL_TIMESTAMP", "NOTHING"} & seen.keys()

    @pytest.mark.parametrize("event", BY_NAME)
    def test_every_event_has_the_names_that_are_always_there(self, told, event):
        """Even with an empty payload."""
        seen = told(event)
        assert seen["HOOK_EVENT"] == event
        assert {"SESSION_ID", "CWD", "CONFIG_DIR", "TRANSCRIPT_PATH"} <= seen.keys()

    def test_a_payload_cannot_set_what_is_ours_to_say(self, told, tmp_path):
        """A field called config_dir does not move the config's folder."""
        assert told(fields={**TOOL, "config_dir": "/evil", "CONFIG_DIR": "/evil"})["CONFIG_DIR"] == str(tmp_path)

    def test_the_variables_of_an_outer_hook_are_not_passed_on(self, told, monkeypatch):
        """A hook inside a command of another hook speaks of its own event only."""
        monkeypatch.setitem(posix.environ, b"CONCLAUDE_TOOL_USE_ID", b"outer")
        monkeypatch.setitem(posix.environ, b"CONCLAUDE_MINE", b"kept")
        seen = told("Stop")
        assert ("TOOL_USE_ID" in seen, seen["MINE"]) == (False, "kept")

    def test_the_bindings_own_variables_come_last(self, told):
        """`env:` adds, and may overrule."""
        seen = told(prefix="", fields=TOOL, env={"LEVEL": "3", "CONCLAUDE_TOOL_NAME": "mine"})
        assert (seen["LEVEL"], seen["CONCLAUDE_TOOL_NAME"]) == ("3", "mine")
        assert seen["PATH"] == os.environ["PATH"]

    def test_what_no_variable_can_hold_is_replaced(self, told):
        """NUL and half of a surrogate pair do not keep a command from starting."""
        seen = told("UserPromptSubmit", fields={"prompt": "a\0b\ud800c"})
        assert seen["PROMPT"] == "a\ufffdb?c"

    def test_a_number_beyond_all_bounds_does_not_hide_the_rest(self, told):
        """1e999 is no JSON number; a guard still sees the other fields."""
        seen = told(fields={**TOOL, "tool_input": {"command": "rm", "n": [float("inf"), 1.5]}})
        assert json.loads(seen["TOOL_INPUT"]) == {"command": "rm", "n": [None, 1.5]}

    def test_the_payload_is_on_stdin(self, run, tmp_path):
        """All of it, as JSON."""
        run("cat > seen", fields=TOOL)
        payload = json.loads((tmp_path / "seen").read_text())
        assert (payload["tool_name"], payload["session_id"]) == ("Edit", "s-1")


class TestSpill:
    def test_a_value_over_the_limit_is_a_private_file(self, run, tmp_path):
        """The variable says where it is and how long; it is gone after the command."""
        text = "ä" * 60_000
        run(
            """
            printf %s "$CONCLAUDE_PROMPT" > variable
            test "$CONCLAUDE_PROMPT" = "$HOOKWRIGHT_PROMPT" || exit 1
            path=$(printf %s "$CONCLAUDE_PROMPT" | sed 's/.*"spilled": "\\([^"]*\\)".*/\\1/')
            cp "$path" content; ls -l "$path" > mode
            """,
            "UserPromptSubmit",
            fields={"prompt": text},
        )
        variable = json.loads((tmp_path / "variable").read_text())
        assert variable.keys() == {"spilled", "bytes"}
        assert variable["bytes"] == len(text.encode())
        assert (tmp_path / "content").read_text() == text
        assert (tmp_path / "mode").read_text().startswith("-rw-------")
        assert not Path(variable["spilled"]).exists()
        assert spilled(tmp_path) == []

    def test_the_limit_is_exact(self, told):
        """100 KB stay a variable, a byte more does not."""
        assert told("UserPromptSubmit", fields={"prompt": "x" * 102_400})["PROMPT"] == "x" * 102_400
        assert json.loads(told("UserPromptSubmit", fields={"prompt": "x" * 102_401})["PROMPT"])["bytes"] == 102_401

    def test_many_values_below_the_limit(self, told, tmp_path):
        """Together they would be more than the system takes: the largest go to files."""
        fields = {f"field_{number}": "x" * (90_000 + number) for number in range(30)} | {"small": "s"}
        seen = told("Stop", fields=fields)
        kept = [name for name, value in seen.items() if name.startswith("FIELD") and len(value) > 1000]
        assert len(kept) < 4
        assert seen["SMALL"] == "s"
        assert spilled(tmp_path) == []

    def test_where_the_project_cannot_be_written(self, run, tmp_path, monkeypatch):
        """A private folder elsewhere serves, and is gone as well."""
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (tmp_path / ".hookwright").write_text("a file where our folder should be")
        monkeypatch.setitem(posix.environ, b"TMPDIR", str(elsewhere).encode())
        run('printf %s "$CONCLAUDE_PROMPT" > seen', "UserPromptSubmit", fields={"prompt": "x" * 200_000})
        path = Path(json.loads((tmp_path / "seen").read_text())["spilled"])
        assert path.parent.parent == elsewhere
        assert list(elsewhere.iterdir()) == []

    def test_files_of_a_killed_hook_are_swept(self, tmp_path, run):
        """What was left for a day goes with the next spill; what is fresh may be in use."""
        for name, age_s in (("old", 100_000), ("new", 10)):
            fd, path = environment.private_file(str(tmp_path))
            posix.close(fd)
            os.utime(path, (time.time() - age_s,) * 2)
            os.rename(path, f"{os.path.dirname(path)}/{name}")
        run(":", "UserPromptSubmit", fields={"prompt": "x" * 200_000})
        assert [path.name for path in spilled(tmp_path)] == ["new"]

    def test_a_failing_command_leaves_nothing_either(self, run, tmp_path):
        """Not when it fails, not when it cannot be started."""
        assert run("exit 1", "UserPromptSubmit", fields={"prompt": "x" * 200_000}).notes
        assert run("exit 1", "UserPromptSubmit", fields={"prompt": "x" * 200_000}, shell="/nope/sh").notes
        assert spilled(tmp_path) == []


class TestScript:
    def test_several_lines_are_one_script(self, run, tmp_path):
        """Variables live on, loops and here-documents stay whole, also with a line EOF inside."""
        run(
            """
            who=world
            for word in hello goodbye; do
              echo "$word $who" >> seen
            done
            cat >> seen <<'END'
EOF
            $who
END
            """
        )
        assert (tmp_path / "seen").read_text() == "hello world\ngoodbye world\nEOF\n            $who\n"

    def test_another_shell(self, run, tmp_path):
        """`shell:` takes a path or a name on PATH."""
        run('echo "$0" > seen', shell="sh")
        assert (tmp_path / "seen").read_text() == "sh\n"

    @pytest.mark.parametrize(
        "value", ["$(touch x)", "`touch x`", "'; touch x; '", '"; touch x; "', "a\ntouch x\n", "${IFS}"]
    )
    def test_no_payload_value_is_ever_run(self, run, tmp_path, value):
        """Values reach a script by environment and stdin only."""
        fields = {"tool_name": value, "tool_input": {value: value}, "tool_use_id": value, value: value}
        run('printf %s "$CONCLAUDE_TOOL_NAME" > seen; : $CONCLAUDE_TOOL_NAME "$CONCLAUDE_TOOL_INPUT"', fields=fields)
        assert (tmp_path / "seen").read_bytes().decode() == value
        assert not (tmp_path / "x").exists()

    def test_what_cannot_be_started_is_a_failure(self, run, tmp_path):
        """The note names the program and the folder."""
        (note,) = run(":", shell="/nope/sh").notes
        assert note.startswith(f"the command failed: /nope/sh cannot be started in {tmp_path}: ")
        assert "No such file" in note


class TestObserving:
    """Events that decide nothing, and every PostToolBatch."""

    def test_success_without_words_is_no_opinion(self, run):
        """Nothing is said to anyone."""
        assert run("echo out; echo err >&2") == Reply()

    @pytest.mark.parametrize("code", [1, 2, 3, 127])
    def test_a_failure_is_told_and_nothing_else(self, run, code):
        """Exit 2 too: it blocks only where something can be blocked."""
        reply = run(f"echo one >&2; echo two >&2; exit {code}")
        assert reply.notes == (f"the command failed: exit code {code}:\n  one\n  two",)
        assert (reply.decision, reply.context, reply.user, reply.halt) == ("", "", "", None)

    def test_a_timeout_is_told(self, run):
        """With the time it had."""
        (note,) = run("sleep 30", timeout_s=0.3).notes
        assert note == "the command failed: timed out after 0.3 s, all its processes were stopped"

    @pytest.mark.parametrize("script", ["exit 2", "exit 1", "sleep 30"])
    @pytest.mark.parametrize("on_error", ["continue", "block"])
    def test_a_batch_is_never_blocked_by_a_command(self, run, script, on_error):
        """It could be, but a failing logger must not end the agent's turn."""
        reply = run(script, "PostToolBatch", on_error=on_error, timeout_s=0.3)
        assert (reply.decision, reply.halt, len(reply.notes)) == ("", None, 1)

    @pytest.mark.parametrize("event", ["PostToolUse", "PostToolBatch"])
    def test_a_json_answer_may_inform_but_not_decide(self, run, event):
        """Context and message pass; a block, a halt or another result do not, and that is said."""
        document = {
            "decision": "block",
            "reason": "no",
            "continue": False,
            "systemMessage": "for you",
            "hookSpecificOutput": {
                "hookEventName": event,
                "additionalContext": "for the model",
                "updatedToolOutput": "forged",
            },
        }
        reply = run(f"echo '{json.dumps(document)}'", event)
        note = f"a command can only observe {event}; its decision was left out."
        assert reply == Reply(context="for the model", user="for you", notes=(note,))

    def test_a_session_start_keeps_its_own_answers(self, run):
        """A title or a watched path decides nothing."""
        document = {"hookSpecificOutput": {"hookEventName": "SessionStart", "sessionTitle": "Release"}}
        assert run(f"echo '{json.dumps(document)}'", "SessionStart") == Reply(extra={"sessionTitle": "Release"})

    def test_a_failure_after_an_answer_is_told_beside_it(self, run):
        """The client reads JSON on every exit code."""
        reply = run("""echo '{"systemMessage": "hi"}'; exit 1""")
        assert (reply.user, reply.notes) == ("hi", ("the command failed: exit code 1",))


class TestDeciding:
    def test_success_is_no_opinion(self, run):
        """Plain output decides nothing."""
        assert run("echo deny", "PreToolUse") == Reply()

    @pytest.mark.parametrize(
        ("script", "options", "reason"),
        [
            ("echo out; echo 'not here' >&2; exit 2", {}, "not here"),
            ("echo out; exit 2", {}, "out"),
            ("exit 2", {}, "the command blocked this without a reason."),
            ("echo err >&2; exit 2", {"message": "Ask Ann first."}, "Ask Ann first."),
            ("echo 'token=abcd1234' >&2; exit 2", {}, "token=***"),
            ("printf '1\\n2\\n3\\n' >&2; exit 2", {"maxOutputLines": 2}, "1\n2\n... (1 lines omitted)"),
        ],
    )
    def test_exit_2_blocks_with_a_reason(self, run, script, options, reason):
        """What the config says, else stderr, else stdout, else a sentence of ours."""
        assert run(script, "PreToolUse", **options) == Reply("deny", reason)

    def test_exit_2_with_a_json_reason(self, run):
        """The answer's own reason wins over stderr, as in the client; an answer that allows does not win."""
        blocked = run("""echo '{"decision": "block", "reason": "json"}'; echo err >&2; exit 2""", "Stop")
        assert blocked == Reply("deny", "json")
        allowed = {"hookSpecificOutput": {"permissionDecision": "allow", "permissionDecisionReason": "fine"}}
        assert run(f"echo '{json.dumps(allowed)}'; echo err >&2; exit 2", "PreToolUse") == Reply("deny", "err")

    @pytest.mark.parametrize("code", [0, 1])
    def test_a_json_answer_is_honoured(self, run, code):
        """On any exit code; it is not shown as well."""
        document = {"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}
        reply = run(f"echo '{json.dumps(document)}'; exit {code}", "PreToolUse", showStdout=True)
        assert (reply.decision, reply.reason, reply.user) == ("ask", "sure?", "")
        assert len(reply.notes) == code

    @pytest.mark.parametrize(
        "text", ['{"level": "info", "msg": "x"}', "{}", "{broken}", '["block"]', 'log {"decision": "block"}']
    )
    def test_other_json_is_plain_output(self, run, text):
        """A log line is no answer."""
        assert run(f"echo '{text}'", "PreToolUse", showStdout=True) == Reply(user=text)

    def test_an_unknown_decision_is_a_failure(self, run):
        """The client would drop the whole answer."""
        reply = run("""echo '{"hookSpecificOutput": {"permissionDecision": "maybe"}}'""", "PreToolUse")
        assert reply.decision == ""
        assert reply.notes == ("a command answered with the unknown decision 'maybe'; it was left out.",)

    def test_any_other_failure_goes_ahead_by_default(self, run):
        """With a note."""
        reply = run("exit 1", "PreToolUse")
        assert (reply.decision, reply.notes) == ("", ("the command failed: exit code 1",))

    @pytest.mark.parametrize(
        ("script", "options", "reason"),
        [
            ("echo why >&2; exit 1", {}, "the command failed: exit code 1:\n  why"),
            ("exit 1", {"message": "Lint first."}, "Lint first."),
            ("sleep 30", {}, "the command failed: timed out after 0.5 s, all its processes were stopped"),
            ("kill -9 $$", {}, "the command failed: killed by signal 9"),
            ("""echo '{"systemMessage": "hi"}'; exit 1""", {}, "the command failed: exit code 1"),
        ],
    )
    def test_on_error_block_makes_any_failure_a_block(self, run, script, options, reason):
        """A timeout and an answer without a decision included."""
        reply = run(script, "PreToolUse", on_error="block", timeout_s=0.5, **options)
        assert (reply.decision, reply.reason) == ("deny", reason)

    def test_a_worktree_is_answered_by_its_path(self, run):
        """The event asks for a path, and plain text is how commands give it."""
        assert run("echo /trees/new", "WorktreeCreate") == Reply(extra={"worktreePath": "/trees/new"})


class TestShown:
    def test_nothing_by_default(self, run):
        """A person is not told of every command that ran well."""
        assert run("echo out; echo err >&2").user == ""

    @pytest.mark.parametrize(
        ("options", "shown"),
        [
            ({"showStdout": True}, "$ echo out; echo err >&2\nout"),
            ({"showStderr": True}, "$ echo out; echo err >&2\nerr"),
            (SHOW_ALL, "$ echo out; echo err >&2\nout\nerr"),
            ({**SHOW_ALL, "showCommand": False}, "out\nerr"),
        ],
    )
    def test_each_switch_shows_its_part(self, run, options, shown):
        """The command is the heading of what it printed."""
        assert run("echo out; echo err >&2", **{"showCommand": True, **options}).user == shown

    def test_lines_are_limited_per_stream(self, run):
        """Each with its own count."""
        script = "seq 5; seq 4 >&2"
        shown = run(script, maxOutputLines=3, **SHOW_ALL).user
        assert shown == "1\n2\n3\n... (2 lines omitted)\n1\n2\n3\n... (1 lines omitted)"

    def test_a_failing_commands_output_is_shown_too(self, run):
        """Beside the note."""
        reply = run("echo out; exit 3", showStdout=True, showCommand=True)
        assert (reply.user, reply.notes) == ("$ echo out; exit 3\nout", ("the command failed: exit code 3",))

    def test_a_long_script_is_one_line(self):
        """Its first, and a sign that there is more."""
        assert command.heading("\n  set -e\n  make\n") == "$ set -e …"
        assert command.heading("x" * 500) == f"$ {'x' * 200} …"

    def test_secrets_and_escapes_are_taken_out(self, run):
        """Of output, of the command itself and of notes."""
        reply = run(r"printf '\033[31mred\033[0m password=hunter22\n'; exit 1", showStdout=True, showCommand=True)
        assert "hunter22" not in f"{reply.user} {reply.notes}"
        assert "red password=***" in reply.user

    def test_binary_output(self, run):
        """Bytes that are no text are marked, never fatal."""
        assert run(r"printf '\377\376\000ok\n'", showStdout=True).user == "\ufffd\ufffdok"


class TestDeadline:
    def test_a_commands_own_timeout_is_kept_to(self, run):
        """Its time, to the second."""
        assert "after 1 s" in run("sleep 30", timeout_s=1).notes[0]

    def test_the_agents_patience_includes_the_stopping(self, run):
        """An event that must be answered within 1.5 s is, although the command will not stop."""
        started = time.monotonic()
        reply = run("trap '' TERM; while :; do sleep 0.05; done", "SessionEnd")
        assert time.monotonic() - started < 3
        assert "timed out after 1" in reply.notes[0]


class TestBackground:
    @staticmethod
    def lines(folder, count=1):
        """The journal, once it has so many lines."""
        journal = folder / ".hookwright" / "journal.jsonl"
        until = time.monotonic() + 60
        while not journal.exists() or len(journal.read_text().splitlines()) < count:
            assert time.monotonic() < until, "nothing in the journal"
            time.sleep(0.02)
        return [json.loads(line) for line in journal.read_text().splitlines()]

    def test_it_is_not_waited_for_and_its_outcome_is_journalled(self, run, tmp_path):
        """One line of its own: the event, the binding, how it ended and how long it took."""
        assert (
            run("until test -e go; do sleep 0.02; done; echo bad >&2; exit 3", background=True, fields=TOOL) == Reply()
        )
        assert not (tmp_path / ".hookwright" / "journal.jsonl").exists()
        (tmp_path / "go").touch()
        (line,) = self.lines(tmp_path)
        assert (line["event"], line["session"], line["tool"]) == ("PostToolUse", "s-1", "Edit")
        assert (line["background"], line["exit"]) == ("the command", 3)
        assert line["ms"] > 0
        assert line["notes"] == ["the command failed: exit code 3:\n  bad"]

    def test_it_knows_as_much_as_any_command(self, run, tmp_path):
        """Environment, stdin, folder; a spilled value lives until it is done."""
        script = 'printf "%s" "$CONCLAUDE_PROMPT" > variable; wc -c | tr -d " " > size; pwd -P > folder'
        run(script, "UserPromptSubmit", background=True, fields={"prompt": "x" * 200_000})
        (line,) = self.lines(tmp_path)
        assert (line["exit"], "notes" in line) == (0, False)
        assert int((tmp_path / "size").read_text()) > 200_000
        assert (tmp_path / "folder").read_text().strip() == str(tmp_path.resolve())
        assert not Path(json.loads((tmp_path / "variable").read_text())["spilled"]).exists()
        assert spilled(tmp_path) == []

    def test_its_timeout_holds(self, run, tmp_path):
        """Its own, not the agent's."""
        run("sleep 30", "SessionEnd", background=True, timeout_s=2)
        (line,) = self.lines(tmp_path)
        assert line["exit"] is None
        assert line["notes"] == ["the command failed: timed out after 2 s, all its processes were stopped"]

    def test_it_has_no_descriptor_of_the_agents(self, run, tmp_path):
        """Neither it nor the process that waits for it can keep an agent waiting."""
        read_end, write_end = posix.pipe()
        posix.set_inheritable(write_end, True)
        run("echo $PPID > waiter; until test -e go; do sleep 0.02; done", background=True)
        posix.close(write_end)
        try:
            assert posix.read(read_end, 1) == b""  # the end of the file: nobody else holds it open
        finally:
            posix.close(read_end)
            (tmp_path / "go").touch()
        self.lines(tmp_path)

    def test_what_cannot_be_started_is_journalled(self, run, tmp_path):
        """A shell that is missing is found out later, by nobody but the journal."""
        run(":", background=True, shell="/nope/sh")
        (line,) = self.lines(tmp_path)
        assert "/nope/sh cannot be started" in line["notes"][0]

    def test_what_it_is_handed_is_private(self, tmp_path):
        """Nobody else can read the file, and it has no name for long."""
        fd, path = environment.private_file(str(tmp_path))
        assert stat.S_IMODE(posix.fstat(fd).st_mode) == 0o600
        posix.close(fd)
        environment.remove([path])
        assert not Path(path).exists()
