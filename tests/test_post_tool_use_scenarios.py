"""The scenarios of the post-tool-use specification, one test each, and the cases beyond it that runners get wrong.

Everything here goes through a real config file and a hook that was started as the agent starts it.
"""

import json
import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from conftest import BOOT, survivors

EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "a.py", "n": [1]}, "tool_response": {"ok": "yes"}}


def used(project, tool="Edit", **fields):
    """The agent has used a tool."""
    return project.hook("PostToolUse", **{**EDIT, "tool_name": tool, **fields})


def commands(*rows):
    """A config with these commands after a tool."""
    return json.dumps({"postToolUse": {"commands": list(rows)}})  # JSON is YAML


def seen(project, name="seen"):
    file = project.folder / name
    return file.read_text() if file.exists() else ""


def is_success(answer):
    """The hook succeeded and blocked nothing."""
    document = json.loads(answer.stdout or "{}")
    return answer.exit_code == 0 and not {"decision", "continue"} & document.keys()


class TestConfigurationSection:
    def test_valid_post_tool_use_configuration_with_commands(self, project):
        """A command in the section runs after a tool."""
        project.config('postToolUse:\n  commands:\n    - run: "echo tool completed > seen"\n', ".conclaude.yaml")
        assert is_success(used(project))
        assert seen(project) == "tool completed\n"

    def test_empty_post_tool_use_configuration(self, project):
        """An empty list runs nothing and is not a mistake."""
        answer = used(project.config("postToolUse:\n  commands: []\n"))
        assert (answer.stdout, answer.stderr, answer.exit_code) == ("", "", 0)

    def test_missing_post_tool_use_section_uses_defaults(self, project):
        """Without the section the event passes."""
        answer = used(project.config("stop:\n  commands:\n    - run: touch seen\n"))
        assert (answer.stdout, answer.stderr, answer.exit_code) == ("", "", 0)
        assert not (project.folder / "seen").exists()


class TestCommandStructure:
    def test_command_with_all_options_specified(self, project):
        """Every option does its part, and only the named tool runs it."""
        script = project.folder / "log.sh"
        script.write_text("#!/bin/sh\nseq 150\necho hidden >&2\n")
        script.chmod(0o755)
        project.config(
            """
            postToolUse:
              commands:
                - run: "./log.sh"
                  tool: "AskUserQuestion"
                  showCommand: true
                  showStdout: true
                  showStderr: false
                  maxOutputLines: 100
                  timeout: 30
            """
        )
        shown = used(project, "AskUserQuestion").document["systemMessage"].splitlines()
        assert (shown[0], shown[1], shown[100], shown[101:]) == ("$ ./log.sh", "1", "100", ["... (50 lines omitted)"])
        assert used(project, "Bash").stdout == ""

    def test_command_with_minimal_options_uses_defaults(self, project):
        """All tools, no output shown, no limit of its own."""
        project.config(commands({"run": "echo completed; echo x >> seen"}))
        for tool in ("Edit", "mcp__server__tool"):
            assert used(project, tool).stdout == ""
        assert seen(project) == "x\nx\n"


class TestToolPatternFiltering:
    def test_exact_tool_name_match(self, project):
        """The whole name, in its own case."""
        project.config(commands({"tool": "AskUserQuestion", "run": 'echo "$CONCLAUDE_TOOL_NAME" >> seen'}))
        for tool in ("AskUserQuestion", "Bash", "askuserquestion", "AskUserQuestions"):
            used(project, tool)
        assert seen(project) == "AskUserQuestion\n"

    def test_wildcard_matches_all_tools(self, project):
        """`*` is every tool."""
        project.config(commands({"tool": "*", "run": 'echo "$CONCLAUDE_TOOL_NAME" >> seen'}))
        for tool in ("Bash", "mcp__a__b"):
            used(project, tool)
        assert seen(project) == "Bash\nmcp__a__b\n"

    def test_glob_pattern_with_asterisk(self, project):
        """`*Search*` is any name with Search in it."""
        project.config(commands({"tool": "*Search*", "run": 'echo "$CONCLAUDE_TOOL_NAME" >> seen'}))
        for tool in ("WebSearch", "Grep"):
            used(project, tool)
        assert seen(project) == "WebSearch\n"

    def test_multiple_commands_with_different_filters(self, project):
        """Each command by its own filter, in the order of the config."""
        project.config(
            commands(
                {"tool": "AskUserQuestion", "run": "echo qa >> seen"},
                {"tool": "*", "run": "echo all >> seen"},
            )
        )
        used(project, "AskUserQuestion")
        assert seen(project) == "qa\nall\n"
        used(project, "Bash")
        assert seen(project) == "qa\nall\nall\n"


class TestEnvironmentVariables:
    def variable(self, project, name, **fields):
        """What a command finds in a variable, under both prefixes; None where it is not set."""
        show = f'printf %s "${{CONCLAUDE_{name}-unset}}" > one; printf %s "${{HOOKWRIGHT_{name}-unset}}" > two'
        assert is_success(used(project.config(commands({"run": show})), **fields))
        assert seen(project, "one") == seen(project, "two")
        return None if seen(project, "one") == "unset" else seen(project, "one")

    def test_conclaude_tool_name_is_set(self, project):
        """The tool's name as the payload has it."""
        assert self.variable(project, "TOOL_NAME") == "Edit"

    def test_conclaude_tool_input_is_set(self, project):
        """The tool's input as JSON."""
        assert json.loads(self.variable(project, "TOOL_INPUT")) == EDIT["tool_input"]

    def test_conclaude_tool_output_is_set(self, project):
        """The tool's response as JSON."""
        assert json.loads(self.variable(project, "TOOL_OUTPUT")) == EDIT["tool_response"]

    def test_conclaude_tool_timestamp_is_set(self, project):
        """The time of execution, ISO 8601 with its zone."""
        stamp = datetime.fromisoformat(self.variable(project, "TOOL_TIMESTAMP"))
        assert stamp.tzinfo is not None
        assert abs(datetime.now(UTC) - stamp) < timedelta(minutes=2)

    def test_conclaude_tool_use_id_is_set_when_available(self, project):
        """The id that ties it to PreToolUse; not set when there is none."""
        assert self.variable(project, "TOOL_USE_ID", tool_use_id="toolu_1") == "toolu_1"
        assert self.variable(project, "TOOL_USE_ID") is None

    def test_standard_session_environment_variables_are_set(self, project):
        """Session, folder of the session, folder of the config."""
        inner = project.folder / "inner"
        inner.mkdir()
        assert self.variable(project, "SESSION_ID", session_id="s-9") == "s-9"
        assert self.variable(project, "CWD", cwd=str(inner)) == str(inner)
        assert self.variable(project, "CONFIG_DIR", cwd=str(inner)) == str(project.folder)


class TestReadOnlySemantics:
    @pytest.mark.parametrize(
        "script",
        ["true", "exit 1", "exit 2", "kill -9 $$", "no-such-program", 'echo \'{"decision": "block", "reason": "no"}\''],
    )
    @pytest.mark.parametrize("on_error", ["continue", "block"])
    def test_hook_always_returns_success(self, project, script, on_error):
        """Whatever a command does, nothing is blocked."""
        assert is_success(used(project.config(commands({"run": script, "onError": on_error}))))

    def test_command_failure_does_not_block(self, project):
        """The failure is told on stderr and in the journal; the next command runs."""
        project.config(commands({"run": "echo because >&2; exit 3"}, {"run": "echo next > seen"}))
        answer = used(project)
        assert is_success(answer)
        assert seen(project) == "next\n"
        for part in ("postToolUse.commands[0]", "exit code 3", "because"):
            assert part in answer.stderr
            assert part in project.journal()[-1]["notes"][0]

    def test_command_timeout_does_not_block(self, project):
        """The command is ended, that is told, and the next one runs."""
        project.config(commands({"run": "echo $$ > group; sleep 30 & wait", "timeout": 1}, {"run": "echo next > seen"}))
        started = time.monotonic()
        answer = used(project)
        assert time.monotonic() - started < 10
        assert is_success(answer)
        assert "timed out after 1 s" in answer.stderr
        assert seen(project) == "next\n"
        assert survivors(int(seen(project, "group"))) == []


class TestConfigDirectory:
    def test_command_executes_from_config_directory(self, project):
        """Relative paths start at the config, wherever the session is."""
        inner = project.folder / "a" / "b"
        inner.mkdir(parents=True)
        (project.folder / "scripts").mkdir()
        (project.folder / "scripts" / "log.sh").write_text("pwd -P > seen\n")
        project.config(commands({"run": ". ./scripts/log.sh"}))
        used(project, cwd=str(inner))
        assert seen(project).strip() == str(project.folder.resolve())


class TestBeyondTheSpecification:
    """Where runners of commands break: each of these was a bug report somewhere."""

    @pytest.mark.parametrize(
        "script",
        [
            "sleep 30 & wait",
            "sh -c \"trap '' TERM; sleep 30\" & wait",
            "trap '' TERM; sleep 30 & sleep 30; sleep 30",
            "yes",
            "sleep 30 | sleep 30",
        ],
    )
    def test_a_timeout_leaves_no_process_behind(self, project, script):
        """The whole group dies, and the hook is back within a second of the deadline."""
        project.config(commands({"run": f"echo $$ > group; {script}", "timeout": 1}))
        started = time.monotonic()
        answer = used(project)
        assert time.monotonic() - started < 5
        assert (is_success(answer), "timed out after 1 s" in answer.stderr) == (True, True)
        assert survivors(int(seen(project, "group"))) == []
        assert project.journal()[-1]["ran"][0]["ms"] < 2000

    def test_a_background_child_that_keeps_stdout_open(self, project):
        """The agent gets its answer when the command is over, not when its last child is."""
        project.config(commands({"run": "echo $$ > group; sleep 30 & echo started", "showStdout": True}))
        started = time.monotonic()
        answer = used(project)
        try:
            assert time.monotonic() - started < 10
            assert answer.document["systemMessage"].endswith("\nstarted")
        finally:
            os.killpg(int(seen(project, "group")), 9)

    def test_a_here_document_with_a_line_eof_inside(self, project):
        """A script is handed to the shell as it is written."""
        project.config(
            """
            postToolUse:
              commands:
                - run: |
                    cat > seen <<'DONE'
                    first
                    EOF
                    DONE
                    for n in 1 2; do
                      echo $n
                    done >> seen
            """
        )
        used(project)
        assert seen(project) == "first\nEOF\n1\n2\n"

    @pytest.mark.parametrize("size", [1_000_000, 50_000_000])
    def test_a_large_tool_response(self, project, size):
        """The variable says where the value is, stdin carries it, and the file is gone afterwards."""
        script = 'wc -c > size; printf %s "$CONCLAUDE_TOOL_OUTPUT" > seen; path=${CONCLAUDE_TOOL_OUTPUT#*: \\"}; wc -c < "${path%%\\"*}" > spilled'
        project.config(commands({"run": script}))
        answer = used(project, tool_response={"stdout": "x" * size})
        assert (answer.stdout, answer.exit_code, "hookwright:" in answer.stderr) == ("", 0, False)
        told = json.loads(seen(project))
        assert told["bytes"] == int(seen(project, "spilled")) == size + len('{"stdout": ""}')
        assert int(seen(project, "size")) > size
        assert not os.path.exists(told["spilled"])

    def test_invalid_utf_8(self, project):
        """In the payload and in the output: neither stops the hook."""
        project.config(commands({"run": r"printf 'a\377b\n'", "showStdout": True, "showCommand": False}))
        payload = json.dumps(project.payload("PostToolUse", **EDIT)).encode().replace(b"yes", b"\xff\xfe")
        assert project.hook(raw=payload).document == {"systemMessage": "a\ufffdb"}

    def test_a_command_that_closes_stdin_early(self, project):
        """It need not read what it is sent."""
        project.config(commands({"run": "exec <&-; echo done > seen"}))
        answer = used(project, tool_response="x" * 5_000_000)
        assert (answer.stdout, answer.exit_code, "hookwright:" in answer.stderr) == ("", 0, False)
        assert seen(project) == "done\n"

    def test_two_hundred_commands_on_one_event(self, project):
        """All run, in their order."""
        project.config(commands(*({"run": f"echo {number} >> seen"} for number in range(200))))
        assert is_success(used(project))
        assert seen(project).split() == [str(number) for number in range(200)]

    def test_two_events_at_once(self, project):
        """Hooks of parallel tool calls do not disturb each other."""
        project.config(commands({"run": 'sleep 0.2; cat > "$CONCLAUDE_TOOL_USE_ID"'}))
        used(project, tool_use_id="first")
        ids = [f"t{number}" for number in range(6)]
        fields = {"tool_response": "x" * 300_000}
        threads = [threading.Thread(target=used, args=(project,), kwargs={"tool_use_id": id, **fields}) for id in ids]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for id in ids:
            assert json.loads((project.folder / id).read_text())["tool_use_id"] == id
        assert len(project.journal()) == 7
        assert list((project.folder / ".hookwright" / "state" / "spill").iterdir()) == []

    @pytest.mark.parametrize(
        ("script", "limit", "first", "last"),
        [
            ("yes", 3, ["$ yes", "y", "y", "y"], " lines omitted)"),
            ("yes ab", None, ["$ yes ab", "ab", "ab", "ab"], " lines omitted)"),
            ("cat /dev/zero | tr '\\0' a", None, ["$ cat /dev/zero | tr '\\0' a"], "…"),
        ],
    )
    def test_endless_output_does_not_fill_the_memory(self, project, script, limit, first, last):
        """The hook keeps the beginning and counts the rest."""
        row = {"run": script, "tool": "Edit", "timeout": 1, "showStdout": True, "maxOutputLines": limit}
        project.config(commands({key: value for key, value in row.items() if value is not None}))
        used(project, "Read")  # compiles the config, which needs memory of its own
        measure = (
            "import resource, subprocess, sys\n"
            "done = subprocess.run(sys.argv[1:], stdin=sys.stdin, stdout=subprocess.PIPE)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.stdout.decode())\n"
        )
        payload = json.dumps(project.payload("PostToolUse", **EDIT))
        command = [sys.executable, "-c", measure, sys.executable, "-I", "-S", BOOT]
        done = subprocess.run(command, input=payload, capture_output=True, text=True, check=True, timeout=60)
        peak, _, answer = done.stdout.partition(" ")
        unit = 1 if sys.platform == "darwin" else 1024
        assert int(peak) * unit < 60_000_000
        lines = json.loads(answer)["systemMessage"].splitlines()
        assert (lines[: len(first)], lines[-1][-len(last) :]) == (first, last)

    @pytest.mark.parametrize("value", ["$(touch x)", "`touch x`", "';touch x;'", '";touch x;"', "a\ntouch x\n"])
    def test_no_payload_value_reaches_the_script(self, project, value):
        """Not by name, input, output, id or session."""
        project.config(commands({"run": 'printf %s "$CONCLAUDE_TOOL_NAME" > seen; : $CONCLAUDE_TOOL_INPUT'}))
        used(project, value, tool_input={value: value}, tool_response=value, tool_use_id=value, session_id=value)
        assert seen(project) == value
        assert not (project.folder / "x").exists()

    def test_output_that_looks_like_an_answer_is_never_printed_twice(self, project):
        """stdout is one document of ours or nothing, whatever commands print."""
        project.config(commands({"run": 'echo \'{"systemMessage": "one"}\''}, {"run": "echo plain"}))
        assert used(project).document == {"systemMessage": "one"}

    def test_a_background_command_holds_nothing_of_the_agents(self, project):
        """The hook's pipes are closed when the hook is gone, and the outcome is in the journal later."""
        project.config(commands({"run": "until test -e go; do sleep 0.02; done; exit 4", "background": True}))
        used(project)  # reads stdout and stderr to their ends: it would hang until `go`
        assert len(project.journal()) == 1
        (project.folder / "go").touch()
        until = time.monotonic() + 60
        while len(project.journal()) < 2:
            assert time.monotonic() < until
            time.sleep(0.02)
        line = project.journal()[1]
        assert (line["background"], line["exit"]) == ("postToolUse.commands[0]", 4)

    def test_files_pick_the_commands_of_an_edit(self, project):
        """A formatter for Python does not run for a text."""
        project.config(commands({"run": "echo ran >> seen", "files": ["*.py", "!vendor/"]}))
        for path in ("a.py", "a.txt", "vendor/b.py", "/elsewhere/c.py"):
            used(project, tool_input={"file_path": path})
        assert seen(project) == "ran\n"


class TestDecidingEvents:
    def test_exit_2_blocks_a_tool_call(self, project):
        """The command's stderr is the reason that the model reads."""
        project.config("preToolUse:\n  commands:\n    - run: 'echo not here >&2; exit 2'\n      tool: Bash\n")
        answer = project.hook("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf /"})
        own = answer.document["hookSpecificOutput"]
        assert (own["permissionDecision"], own["permissionDecisionReason"]) == ("deny", "not here")

    @pytest.mark.parametrize(("on_error", "denied"), [("continue", False), ("block", True)])
    def test_any_other_failure_blocks_where_the_config_says_so(self, project, on_error, denied):
        """A timeout included."""
        row = {"run": "sleep 30", "timeout": 1, "onError": on_error}
        project.config(json.dumps({"preToolUse": {"commands": [row]}}))
        answer = project.hook("PreToolUse", tool_name="Bash", tool_input={})
        assert ("deny" in answer.stdout, "timed out after 1 s" in answer.stdout + answer.stderr) == (denied, True)

    def test_a_batch_is_only_observed(self, project):
        """Exit 2 there would end the agent's turn."""
        project.config("postToolBatch:\n  commands:\n    - run: exit 2\n      onError: block\n")
        answer = project.hook("PostToolBatch", tool_calls=[{"tool_name": "Edit", "tool_input": {}}])
        assert is_success(answer)
        assert "exit code 2" in answer.stderr
