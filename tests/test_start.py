"""What is loaded when a hook starts: held to a list, because each import is paid at every event."""

import json
import re
import subprocess
import sys

from conftest import BOOT, need

# The interpreter itself and its frozen start-up, the same with `-c pass`.
HOT = {
    "hookwright",
    "hookwright.agents",
    "hookwright.bindings",
    "hookwright.hook",
    "hookwright.journal",
    "hookwright.masks",
    "hookwright.paths",
    "hookwright.shelf",
    "hookwright.wire",
    "_json",
}
WITH_A_HANDLER = HOT | {
    "hookwright.agents.claude_code",
    "hookwright.dispatch",
    "hookwright.events",
    "hookwright.handlers",
    "hookwright.reply",
    "hookwright.streams",
}
WITH_A_COMMAND = HOT | {
    "hookwright.command",
    "hookwright.dispatch",
    "hookwright.environment",
    "hookwright.events",
    "hookwright.output",
    "hookwright.process",
    "hookwright.reply",
    "hookwright.spawn",
    "hookwright.streams",
    "_posixsubprocess",
    "select",
}
BUILT_IN = {"time", "marshal", "posix", "gc", "_signal"}


def modules_after(project, event, **fields):
    """The modules that one answered event loaded, beyond those of `python -I -S -c pass`."""
    show = (
        "import sys; before = set(sys.modules); import posix\n"
        "end = posix._exit\n"
        "def told(code):\n"
        "    told = posix.open(sys.argv[1][2:], posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC)\n"
        "    posix.write(told, ' '.join(sorted(set(sys.modules) - before)).encode()); end(code)\n"
        "posix._exit = told\n"
        f"__file__ = {BOOT!r}\n"
        "exec(compile(open(__file__).read(), __file__, 'exec'))\n"
    )
    payload = json.dumps(project.payload(event, **fields)).encode()
    told = project.folder / "modules"
    subprocess.run([sys.executable, "-I", "-S", "-c", show, f"--{told}"], input=payload, check=True, cwd="/")
    return set(told.read_text().split())


def test_an_event_without_a_binding_loads_our_few_hot_files_only(project):
    """No json, no re, no os, no yaml; the journal line is written all the same."""
    project.handlers("from hookwright import on\n@on.Stop\ndef stop(event): ...\n")
    project.hook("PostToolUse", tool_name="Edit")  # compiles the config
    loaded = modules_after(project, "PostToolUse", tool_name="Edit", tool_input={"file_path": "a.py"})
    assert loaded - BUILT_IN - {"_json"} == HOT - {"_json"}
    assert len(project.journal()) == 2


def test_an_event_with_a_python_handler_loads_what_answers_it(project):
    """The dispatch, the dialect, the events and the user's file; still no json, re or os."""
    project.handlers(
        "from hookwright import on, deny\n@on.PreToolUse(tool='Bash')\ndef no(event):\n    return deny('no')\n"
    )
    project.hook("PreToolUse", tool_name="Bash")
    loaded = modules_after(project, "PreToolUse", tool_name="Bash", tool_input={})
    assert {name for name in loaded if not name.startswith("hookwright_handlers")} <= WITH_A_HANDLER | BUILT_IN


def test_an_event_with_a_command_loads_what_runs_it(project):
    """Two libraries in C and our own files; no subprocess, no dialect where nothing is answered."""
    project.config("postToolUse: {commands: [{run: 'true'}]}\n")
    project.hook("PostToolUse", tool_name="Bash")
    loaded = modules_after(project, "PostToolUse", tool_name="Bash", tool_input={})
    assert loaded - BUILT_IN <= WITH_A_COMMAND


def test_compiling_a_config_loads_no_more_than_reading_yaml_takes(project):
    """The once-per-edit path: each of these would cost between a fifth and two thirds of a start on top."""
    project.handlers("from hookwright import on\n@on.Stop\ndef stop(event): ...\n")
    project.hook("Stop")  # the very first event of an installation makes its shelf, too
    project.handlers("from hookwright import on\n@on.Stop\ndef another(event): ...\n")
    loaded = modules_after(project, "Stop")
    assert {"yaml", "hookwright.config"} <= loaded
    assert not loaded & {"typing", "ast", "json", "hashlib", "dataclasses", "subprocess", "pathlib", "inspect"}


def test_a_secret_in_the_payload_is_worth_an_import(project):
    """`re` is loaded when, and only when, something looks like a secret."""
    project.config("handlers: []\n")
    project.hook("PreToolUse", tool_name="Bash")
    loaded = modules_after(project, "PreToolUse", tool_name="Bash", tool_input={"command": "export K=sk-ant-123456789"})
    assert "re" in loaded


def instructions(*argv, stdin=b""):
    """How many a command takes: the same number whatever else the machine does."""
    command = [need("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv]
    done = subprocess.run(command, input=stdin, capture_output=True, check=True)
    return int(re.search(rb"Collected : (\d+)", done.stderr)[1])


def test_an_event_costs_less_than_starting_python_and_an_answer_little_more(project):
    """In instructions, of `python -I -S -c pass`: 0.97x with nothing bound, 1.12x with a handler, 1.15x with a command."""
    project.handlers(
        "from hookwright import on, deny\n@on.PreToolUse(tool='Bash')\ndef no(event):\n    return deny('no')\n"
    )
    with (project.folder / ".hookwright.yaml").open("a") as config:
        config.write("postToolUseFailure: {commands: [{run: 'true'}]}\n")
    project.hook("Stop")  # compiles the config, fills the shelf
    bare = instructions(sys.executable, "-I", "-S", "-c", "pass")
    for event, goal in (("PostToolUse", 0.97), ("PreToolUse", 1.12), ("PostToolUseFailure", 1.15)):
        fields = {"tool_name": "Bash", "tool_input": {"command": "git push", "description": "x" * 1600}}
        payload = json.dumps(project.payload(event, **fields)).encode()
        assert instructions(sys.executable, "-I", "-S", BOOT, stdin=payload) <= goal * bare, event


def test_a_thousand_rules_cost_less_than_half_a_start(project):
    """In instructions: 1.5x of `python -I -S -c pass` on the event that has them, 1.05x on any other."""
    rules = [{"run": "true", "tool": f"Tool{n}" if n % 2 else f"mcp__server{n}__*"} for n in range(1000)]
    project.config(json.dumps({"postToolUse": {"commands": rules}}))
    project.hook("Stop")
    bare = instructions(sys.executable, "-I", "-S", "-c", "pass")
    for event, goal in (("PostToolUse", 1.5), ("Stop", 1.05)):
        payload = json.dumps(project.payload(event, tool_name="Bash")).encode()
        assert instructions(sys.executable, "-I", "-S", BOOT, stdin=payload) <= goal * bare, event
