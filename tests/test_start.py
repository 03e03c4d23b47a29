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
    assert loaded - {"_json", "time", "marshal", "posix", "gc"} == HOT - {"_json"}
    assert len(project.journal()) == 2


def test_an_event_with_a_python_handler_loads_what_answers_it(project):
    """The dispatch, the dialect, the events and the user's file; still no json, re or os."""
    project.handlers(
        "from hookwright import on, deny\n@on.PreToolUse(tool='Bash')\ndef no(event):\n    return deny('no')\n"
    )
    project.hook("PreToolUse", tool_name="Bash")
    loaded = modules_after(project, "PreToolUse", tool_name="Bash", tool_input={})
    assert {name for name in loaded if not name.startswith("hookwright_handlers")} <= WITH_A_HANDLER | {
        "time",
        "marshal",
        "posix",
        "gc",
        "_signal",
    }


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


def test_an_answered_event_costs_little_more_than_starting_python(project):
    """In instructions: 1.15x of `python -I -S -c pass` with nothing bound, 1.35x with one small Python handler."""
    project.handlers(
        "from hookwright import on, deny\n@on.PreToolUse(tool='Bash')\ndef no(event):\n    return deny('no')\n"
    )
    project.hook("Stop")  # compiles the config, fills the shelf
    bare = instructions(sys.executable, "-I", "-S", "-c", "pass")
    for event, goal in (("PostToolUse", 1.15), ("PreToolUse", 1.35)):
        fields = {"tool_name": "Bash", "tool_input": {"command": "git push", "description": "x" * 1600}}
        payload = json.dumps(project.payload(event, **fields)).encode()
        assert instructions(sys.executable, "-I", "-S", BOOT, stdin=payload) <= goal * bare
