"""One invocation as an agent meets it: tolerant in, strict out, never in the way."""

import json
import os
import subprocess
import sys
import time

import pytest
from conftest import BOOT, GOLDEN, Project, need, start_hook
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookwright.hook import record, respond

DENY = """
from hookwright import on, deny

@on.PreToolUse(tool="Bash")
def guard(event):
    return deny(f"no {event.tool_input.get('command', '')}")
"""
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def is_silent(answer):
    return answer.stdout in ("", "{}") and answer.exit_code == 0 and answer.stderr.count("\n") <= 1


@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b"   \n",
        b"{",
        b"not json",
        b"\xff\xfe\x00garbage",
        b"null",
        b"[]",
        b"42",
        b'"text"',
        b"{}",
        b'{"hook_event_name": null}',
        b'{"hook_event_name": 5}',
        b'{"hook_event_name": "NeverHeardOf", "x": 1}',
        b'{"hook_event_name": "PreToolUse", "tool_name": null, "tool_input": null, "cwd": null}',
        b'{"hook_event_name": "PreToolUse", "tool_name": ["Bash"], "tool_input": "x", "cwd": 7}',
        b'{"hook_event_name": "PreToolUse"} trailing',
        b"[" * 200_000,
        b'{"a":' * 50_000,
    ],
    ids=lambda stdin: repr(stdin[:40]),
)
def test_whatever_comes_in_the_agent_goes_on(project, stdin):
    """Empty, broken, odd, unknown and endlessly nested payloads: exit 0, no opinion, at most one line on stderr."""
    project.handlers(DENY)
    answer = project.hook(raw=stdin)
    assert is_silent(answer)
    assert "Traceback" not in answer.stderr


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=300) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_get_no_opinion_and_no_exception(project, monkeypatch, payload):
    """No payload makes the answering function raise or print anything but one JSON document."""
    project.handlers(DENY)
    with monkeypatch.context() as patch:
        patch.chdir(project.folder)
        response = respond(payload)
        record(response)
    assert response.config
    assert response.written.exit_code == 0
    assert response.written.stdout == "" or isinstance(json.loads(response.written.stdout), dict)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(sorted((GOLDEN / "claude-code").glob("*.json"))), st.data())
def test_any_truncation_of_a_real_payload_gets_no_opinion(project, path, data):
    """A payload cut anywhere is broken JSON, and broken JSON is no opinion."""
    whole = path.read_bytes().rstrip()
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    response = respond(cut)
    assert (response.written.stdout, response.written.exit_code) == ("", 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["tool_name", "tool_input", "cwd", "session_id", "tool", "arguments", "session", "x"]),
        json_values,
    )
)
def test_any_fields_beside_the_event_name_are_tolerated(project, monkeypatch, fields):
    """Missing, null, extra and mistyped fields never make the hook fail."""
    project.handlers(DENY)
    with monkeypatch.context() as patch:
        patch.chdir(project.folder)
        response = respond(json.dumps({**fields, "hook_event_name": "PreToolUse"}).encode())
        record(response)
    assert response.written.exit_code == 0


def test_a_handler_decides(project):
    """The contract's own example: the tool call is denied with its reason, and nothing else is printed."""
    project.handlers(DENY)
    answer = project.hook("PreToolUse", tool_name="Bash", tool_input={"command": "rm"})
    assert answer.document["hookSpecificOutput"]["permissionDecisionReason"] == "no rm"
    assert (answer.exit_code, answer.stderr) == (0, "")


def test_ten_megabytes_of_payload_are_answered(project):
    """The size of a payload does not matter."""
    project.handlers(DENY)
    answer = project.hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls", "x": "ä" * 10_000_000})
    assert answer.document["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    "payload",
    [
        {"eventType": "PreToolUse", "toolName": "Bash", "toolInput": {"command": "rm"}, "session": {"id": "s"}},
        {"hook_event_name": "PreToolUse", "tool": "Bash", "arguments": {"command": "rm"}},
        {"hook_event_name": "pre-tool-use", "tool_name": "Bash", "tool_input": {"command": "rm"}},
        {"hook_event_name": "preToolUse", "tool_name": "Bash", "tool_input": {"command": "rm"}, "extra": [1]},
    ],
)
def test_other_spellings_of_the_payload_are_answered_alike(project, payload):
    """Nested camelCase, `tool`/`arguments` and other spellings of the event lead to the same handler."""
    project.handlers(DENY)
    if "session" in payload:
        payload["session"]["cwd"] = str(project.folder)
    else:
        payload["cwd"] = str(project.folder)
    answer = project.hook(raw=json.dumps(payload).encode())
    assert answer.document["hookSpecificOutput"]["permissionDecisionReason"] == "no rm"


@pytest.mark.parametrize("spelling", ["PreToolUse", "pre-tool-use", "pre-tool"])
def test_the_event_may_be_named_on_the_command_line(project, spelling):
    """EVENT as the agent's name, kebab or short form; the payload needs none then."""
    project.handlers(DENY)
    raw = json.dumps({"tool_name": "Bash", "cwd": str(project.folder)}).encode()
    assert project.hook(None, spelling, raw=raw).document["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_an_unknown_agent_or_flag_stops_nobody(project):
    """A wrong word in an installed command line is one line on stderr, not a block."""
    project.handlers(DENY)
    answer = project.hook("PreToolUse", "--agent", "nobody", "--frob", tool_name="Bash")
    assert is_silent(answer)
    assert "nobody" in answer.stderr


def test_no_config_is_no_opinion_and_no_files(project):
    """Without a config nothing is answered and nothing is written."""
    assert is_silent(project.hook("PreToolUse", tool_name="Bash"))
    assert list(project.folder.iterdir()) == []


def test_the_nearest_config_above_the_payloads_folder_is_used(project):
    """The search starts at the payload's cwd and goes up, also from a folder that is gone."""
    project.handlers(DENY)
    answer = project.hook("PreToolUse", tool_name="Bash", cwd=str(project.folder / "gone" / "deeper"))
    assert answer.stdout


def test_without_a_cwd_the_agents_project_is_used_and_then_the_own_folder(project, tmp_path_factory):
    """CLAUDE_PROJECT_DIR comes before the process's folder."""
    project.handlers(DENY)
    payload = b'{"hook_event_name": "PreToolUse", "tool_name": "Bash"}'
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    env = {"CLAUDE_PROJECT_DIR": str(project.folder)}
    assert start_hook(payload, cwd=elsewhere, env=env).stdout
    assert start_hook(payload, cwd=project.folder, env={}).stdout
    assert not start_hook(payload, cwd=elsewhere, env={}).stdout


def test_our_config_wins_over_conclaudes_in_one_folder(project):
    """`.hookwright.yaml` is read first; without it `.conclaude.yaml` is."""
    project.handlers(DENY)
    (project.folder / ".conclaude.yaml").write_text("handlers: []\n")
    assert project.hook("PreToolUse", tool_name="Bash").stdout
    (project.folder / ".hookwright.yaml").rename(project.folder / ".conclaude.yml")
    (project.folder / ".conclaude.yaml").unlink()
    assert project.hook("PreToolUse", tool_name="Bash").stdout


def test_a_handler_that_prints_does_not_reach_the_agents_stdout(project):
    """print(), sys.stdout and children of a handler write to stderr; the answer stays one document."""
    project.handlers(
        "import os, sys\n"
        "from hookwright import on, deny\n"
        "@on.PreToolUse\n"
        "def loud(event):\n"
        "    print('printed'); os.system('echo child'); os.write(1, b'raw')\n"
        "    return deny('no')\n"
    )
    answer = project.hook("PreToolUse")
    assert answer.document["hookSpecificOutput"]["permissionDecisionReason"] == "no"
    assert all(word in answer.stderr for word in ("printed", "child", "raw"))


def test_a_child_that_a_handler_leaves_behind_does_not_hold_the_agents_pipes(project):
    """The client refuses an answer whose pipe is still open; ours close when the hook ends."""
    project.handlers(
        "import subprocess\nfrom hookwright import on, rewrite\n"
        "@on.PreToolUse\ndef leave(event):\n"
        "    child = subprocess.Popen(['sleep', '20'])\n"
        "    return rewrite({'pid': child.pid})\n"
    )
    started = time.monotonic()
    answer = project.hook("PreToolUse")  # reads until both pipes are closed
    assert time.monotonic() - started < 15
    os.kill(answer.document["hookSpecificOutput"]["updatedInput"]["pid"], 9)


def test_what_a_handler_prints_does_not_become_the_models_reason(project):
    """Beside exit code 2 stderr holds the reason alone."""
    project.handlers(
        "from hookwright import on, reject_task\n@on.TaskCompleted\ndef no(event):\n"
        "    print('debug')\n    return reject_task('tests fail')\n"
    )
    assert project.hook("TaskCompleted").stderr == "tests fail\n"


def test_exit_code_two_only_with_a_block_by_exit_code(project):
    """A block that the event takes by exit code has its reason on stderr and nothing on stdout."""
    project.handlers(
        "from hookwright import on, reject_task\n@on.TaskCompleted\ndef no(event):\n    return reject_task('tests fail')\n"
    )
    answer = project.hook("TaskCompleted", task_id="1", task_subject="x")
    assert (answer.stdout, answer.stderr, answer.exit_code) == ("", "tests fail\n", 2)


@pytest.mark.parametrize(
    "source",
    [
        "def broken(:\n",
        "import not_there_at_all\n",
        "1/0\n",
        "from hookwright import on\n@on.NoSuchEvent\ndef f(e): ...\n",
    ],
)
def test_a_broken_handler_file_blocks_nobody(project, source):
    """A file that does not compile or import is one line with file and line, and the agent goes on."""
    project.handlers(source)
    answer = project.hook("PreToolUse", tool_name="Bash")
    assert is_silent(answer)
    assert ".hookwright/handlers.py" in answer.stderr


def test_a_missing_package_blocks_nobody(project, tmp_path_factory):
    """Half an installation is one line on stderr and exit 0."""
    import shutil
    from pathlib import Path

    copy = tmp_path_factory.mktemp("half") / "hookwright"
    shutil.copytree(Path(BOOT).parent, copy)
    (copy / "bindings.py").unlink()
    shutil.rmtree(copy / "__pycache__", ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(copy / "boot.py")], input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.count(b"\n") == 1 and b"Reinstall" in done.stderr


def test_a_missing_yaml_library_blocks_nobody(project):
    """When the config cannot be read at all, the agent goes on and the person is told."""
    project.handlers(DENY)
    code = f"import sys; sys.modules['yaml'] = None; sys.argv = ['x']; exec(open({BOOT!r}).read(), {{'__file__': {BOOT!r}}})"
    payload = json.dumps(project.payload("PreToolUse", tool_name="Bash")).encode()
    done = subprocess.run([sys.executable, "-c", code], input=payload, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"yaml" in done.stderr


def test_a_closed_stream_is_not_mistaken_for_another(project):
    """With stderr or stdin closed the answer is the answer, and nothing else is on stdout."""
    project.config("preToolUse: {commands: [{run: 'echo no >&2; exit 2'}]}\n")
    project.hook("PreToolUse")  # fills the shelf
    payload = project.folder / "payload.json"
    payload.write_text(json.dumps(project.payload("PreToolUse", tool_name="Bash")))
    for _ in range(2):
        command = f'"{sys.executable}" -I -S "{BOOT}" <"{payload}" 2>&-'
        done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, check=True)
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"] == "no"
    closed = subprocess.run(["sh", "-c", f'"{sys.executable}" -I -S "{BOOT}" <&-'], capture_output=True, check=True)
    assert (closed.stdout, closed.stderr.count(b"no payload")) == (b"", 1)


@pytest.mark.parametrize(
    ("event", "body"),
    [("Stop", "print(e.raw['last_assistant_message'])"), ("PreCompact", "return block(e.raw['last_assistant_message'])"),
     ("PreCompact", "return tell_user(e.raw['last_assistant_message'])")],
)  # fmt: skip
def test_what_a_handler_repeats_cannot_drive_a_terminal(project, event, body):
    """A tool's output that a handler prints, or gives as its reason, reaches the person without sequences."""
    project.handlers(f"from hookwright import *\n@on.{event}\ndef f(e): {body}\n")
    told = project.hook(event, last_assistant_message="seen \x1b]0;evil\x07\x1b[2J\u05d0 twice").stderr
    assert "seen" in told and "\u05d0 twice" in told
    assert not {"\x1b", "\x07"} & set(told)


def test_notes_cannot_drive_a_terminal_or_pass_for_ours(project):
    """Control characters are gone, and a second line is indented."""
    project.handlers(
        "from hookwright import on\n@on.Stop\ndef f(e): raise ValueError('\\x1b]0;evil\\x07\\nhookwright: all fine')\n"
    )
    told = project.hook("Stop").stderr
    assert "\x1b" not in told and "\nhookwright: all" not in told


def test_dots_in_the_folder_are_resolved_before_the_search(project):
    """A config in a folder that is left again by `..` is not above it."""
    inner = project.folder / "sub"
    inner.mkdir()
    Project(inner).handlers(DENY)
    assert not project.hook("PreToolUse", tool_name="Bash", cwd=f"{inner}/..").stdout


def test_a_closed_stdout_or_stdin_blocks_nobody(project):
    """With nobody listening the exit code is 0 and there is no traceback."""
    project.handlers(DENY)
    payload = project.folder / "payload.json"
    payload.write_text(json.dumps(project.payload("PreToolUse", tool_name="Bash")))
    hook = f'"{sys.executable}" -I -S "{BOOT}"'
    for redirections in (f"<'{payload}' >&-", "<&- >/dev/null", f"<'{payload}' >/dev/full", f"<'{payload}' >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f"{hook} {redirections}"], capture_output=True, check=False)
        assert done.returncode == 0, redirections
        assert b"Traceback" not in done.stderr


def test_without_home_or_any_environment_the_answer_is_the_same(project):
    """HOME unset, PATH unset: nothing we do needs them."""
    project.handlers(DENY)
    payload = json.dumps(project.payload("PreToolUse", tool_name="Bash")).encode()
    assert start_hook(payload, cwd=project.folder, env={}).document


def test_a_read_only_project_is_answered_all_the_same(project, tmp_path_factory):
    """Where nothing can be written the rows are compiled for each event; the answer does not change."""
    script = (
        'mount -t tmpfs tmpfs "$1" && cp -r "$2"/. "$1" && mount -o remount,ro "$1" && cd "$1" && '
        'exec "$3" -I -S "$4" < "$5"'
    )
    project.handlers(DENY)
    mountpoint = tmp_path_factory.mktemp("mnt")
    payload = project.folder / "payload.json"
    payload.write_text(json.dumps({**project.payload("PreToolUse", tool_name="Bash"), "cwd": str(mountpoint)}))
    words = [str(mountpoint), str(project.folder), sys.executable, BOOT, str(payload)]
    done = subprocess.run(
        [need("unshare"), "-rm", "sh", "-c", script, "sh", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert done.stderr.count("\n") == 1 and "journal" in done.stderr


def test_a_full_disk_is_answered_all_the_same(project):
    """When no byte can be written to a file, the answer still comes and nothing is blocked."""
    project.handlers(DENY)
    payload = json.dumps(project.payload("PreToolUse", tool_name="Bash")).encode()
    done = subprocess.run(
        [need("prlimit"), "--fsize=0", sys.executable, "-I", "-S", BOOT],
        input=payload,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert not list((project.folder / ".hookwright").rglob("*.new"))


def test_a_handler_over_its_deadline_is_abandoned(project):
    """The hook answers at the deadline, with a note, and does not wait for the handler."""
    project.handlers(
        "import time\nfrom hookwright import on, deny, context\n"
        "@on.UserPromptSubmit(timeout=0.2)\ndef slow(event):\n    time.sleep(60)\n"
        "@on.UserPromptSubmit\ndef quick(event):\n    return context('quick')\n"
    )
    started = time.monotonic()
    answer = project.hook("UserPromptSubmit", prompt="x")
    assert time.monotonic() - started < 30
    assert answer.document["hookSpecificOutput"]["additionalContext"] == "quick"
    assert "no answer within 0.2 s" in answer.stderr


def test_many_projects_do_not_mix(tmp_path):
    """Each event is answered by its own project's config."""
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        Project(folder).handlers(DENY.replace("no {", f"{name} {{"))
    for name in ("a", "b", "a"):
        answer = Project(tmp_path / name).hook("PreToolUse", tool_name="Bash")
        assert answer.document["hookSpecificOutput"]["permissionDecisionReason"].startswith(name)


def test_a_changed_handler_is_used_at_once(project):
    """Even when it changes within the same second to a file of the same size."""
    for word in ("one", "two", "six"):
        project.handlers(DENY.replace("no {", f"{word} {{"))
        answer = project.hook("PreToolUse", tool_name="Bash")
        assert answer.document["hookSpecificOutput"]["permissionDecisionReason"].startswith(word)


def test_our_files_stay_out_of_git_and_the_users_stay_in(project):
    """Only the handlers can be committed from `.hookwright/`."""
    git = need("git")
    project.handlers(DENY)
    project.hook("PreToolUse", tool_name="Bash")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run([git, "init", "-q", project.folder], check=True, env=env)
    command = [git, "-C", project.folder, "status", "--porcelain", "-uall"]
    status = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert sorted(status.stdout.split()[1::2]) == [".hookwright.yaml", ".hookwright/handlers.py"]


@pytest.mark.parametrize("depth", [500, 1_500, 8_000])
def test_a_deep_input_hides_nothing_from_a_guard(project, depth):
    """A handler and a command are asked about a call whose input is brackets within brackets."""
    project.handlers(
        "from hookwright import *\n@on.PreToolUse(tool='A')\ndef f(e): return deny(e.tool_input['path'])\n"
    )
    with (project.folder / ".hookwright.yaml").open("a") as config:
        config.write("preToolUse: {commands: [{run: 'echo seen >&2; exit 2', tool: B}]}\n")
    for tool, expected in (("A", "mine"), ("B", "seen")):
        payload = json.dumps(project.payload("PreToolUse", tool_name=tool, tool_input={"path": "mine", "x": 0}))
        answer = project.hook(raw=payload.replace('"x": 0', f'"x": {"[" * depth}{"]" * depth}').encode())
        assert expected in answer.document["hookSpecificOutput"]["permissionDecisionReason"]
