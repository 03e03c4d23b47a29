"""The server answers as a started hook does, for many at once, and takes up every change."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

import pytest
from resident.serving import DENY, received, until

from hookwright.agents import over_http
from hookwright.events import BY_NAME
from hookwright.resident import forked, pool, state, worker


def test_it_answers_what_a_started_hook_answers(resident):
    """The same document, and a line in the same journal."""
    resident.project.handlers(DENY)
    resident.start()
    cold = resident.project.hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    warm = resident.post()
    assert warm.status == 200
    assert warm.body.decode() == cold.stdout
    lines = until(lambda: (found := resident.project.journal()) and len(found) == 2 and found)
    assert lines[0]["ran"][0]["outcome"] == lines[1]["ran"][0]["outcome"] == "deny"


@pytest.mark.parametrize("event", sorted(BY_NAME))
def test_every_event_is_answered_over_http_in_json_or_not_at_all(event):
    """What is written for a command, as http carries it: no exit code, no bare text."""
    from hookwright.agents.claude_code import write
    from hookwright.events import event_of
    from hookwright.reply import Reply

    for reply in (Reply(), Reply("deny", "because"), Reply(context="c", user="u"), Reply(extra={"worktreePath": "/w"})):
        status, body = over_http.answer(event, write(event_of(event, {}), reply))
        assert (status, body) == (204, "") or (status == 200 and isinstance(json.loads(body), dict)) or status == 500
        if reply.decision and BY_NAME[event].decides and event != "WorktreeCreate":
            assert "because" in body


def test_a_block_by_exit_code_is_said_in_json(resident):
    """No status blocks, so a refused task is a document."""
    resident.project.handlers("from hookwright import *\n@on.TaskCompleted\ndef f(event): return block('not yet')\n")
    resident.start()
    assert resident.post("TaskCompleted").document == {"decision": "block", "reason": "not yet"}


def test_silence_is_an_empty_answer(resident):
    """Nothing bound, not JSON, no object, an unknown event: 204, and the connection goes on."""
    resident.project.handlers(DENY)
    resident.start()
    with resident.connect() as connection:
        for body in (resident.event("Stop"), b"", b"{", b"[]", b'"x"', b"{}", resident.event("NoSuchEvent")):
            connection.sendall(resident.request(body))
            assert received(connection).status == 204


def test_requests_on_one_connection_are_answered_in_turn(resident):
    """Also when the second is sent before the first is answered."""
    resident.project.handlers(
        "from hookwright import *\n@on.PreToolUse\ndef f(event): return deny(event.tool_input['command'])\n"
    )
    resident.start()
    words = [f"<{number}>" for number in range(20)]
    with resident.connect() as connection:
        connection.sendall(b"".join(resident.request(resident.event(tool_input={"command": word})) for word in words))
        told = b""
        while told.count(b"HTTP/1.1 200") < len(words) or not told.endswith(b"}}"):
            told += connection.recv(65536)
    assert re.findall(rb"<\d+>", told) == [word.encode() for word in words]


def test_a_payload_of_many_megabytes_is_answered(resident):
    """It goes to the worker in as many pieces as it takes."""
    resident.project.handlers(DENY)
    resident.start()
    assert resident.post(tool_input={"command": "x" * (9 << 20)}).reason == "no"


def test_an_answer_of_many_megabytes_is_sent_as_fast_as_it_is_read(resident):
    """The server waits for the reader, and for nothing afterwards."""
    resident.project.handlers("from hookwright import *\n@on.PreToolUse\ndef f(event): return deny('x' * (8 << 20))\n")
    resident.start()
    with resident.connect() as connection:
        for _ in range(2):
            connection.sendall(resident.request(resident.event()))
            assert resident.post("Stop").status == 204  # others do not wait for it
            assert len(received(connection).reason) == 8 << 20
        used = ticks(resident.pid)
        time.sleep(0.5)
        assert ticks(resident.pid) - used < 5  # of some fifty


def ticks(pid):
    with open(f"/proc/{pid}/stat") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))


def test_handlers_and_config_are_taken_up_when_they_change(resident):
    """An edit counts from the next event on: of the config, a handler, what it imports from elsewhere in the project."""
    resident.project.handlers(DENY)
    resident.start()
    for word in ("first", "second", "third"):
        resident.project.handlers(DENY.replace("'no'", f"'{word}'"))
        assert resident.post().reason == word
    resident.project.config("preToolUse: {commands: [{run: 'echo never >&2; exit 2'}]}\n")
    assert resident.post().reason == "never"
    (resident.project.folder / ".hookwright.yaml").unlink()
    assert resident.post().status == 204
    resident.project.handlers(DENY)
    assert resident.post().reason == "no"
    tools = resident.project.folder / "tools"
    tools.mkdir()
    resident.project.handlers(
        f"import sys\nfrom hookwright import *\nsys.path.insert(0, {str(tools)!r})\n"
        "@on.PreToolUse\ndef f(event):\n    import rules\n    return deny(rules.word)\n"
    )
    for word in ("elsewhere", "in the project"):
        (tools / "rules.py").write_text(f"word = {word!r}\n")
        assert {resident.post().reason for _ in range(4)} == {word}  # more than there are workers


def test_a_handler_keeps_nothing_from_one_event_to_the_next(resident):
    """Its file and the modules beside it are run anew, as in a process of its own; installed ones stay imported."""
    (resident.project.folder / ".hookwright").mkdir()
    (resident.project.folder / ".hookwright/beside.py").write_text("seen = []\n")
    resident.project.handlers(
        "import os, beside\nfrom hookwright import *\ncount = 0\n@on.PreToolUse\ndef f(event):\n"
        "    global count; count += 1; beside.seen.append(1); before = os.environ.get('LEFT'); os.environ['LEFT'] = 'x'\n"
        "    return deny(f'{count} {len(beside.seen)} {before} {os.getcwd()} {os.environ[\"CLAUDE_CODE_SESSION_ID\"]}'\n"
        "                f' {os.environ[\"CLAUDE_PROJECT_DIR\"]}')\n"
    )
    resident.start()
    elsewhere = resident.project.folder / "below"
    elsewhere.mkdir()
    for folder, session in ((resident.folder, "s-1"), (str(elsewhere), "s-2"), (resident.folder, "s-3")) * 2:
        answer = resident.post(cwd=folder, session_id=session)
        assert answer.reason == f"1 1 None {folder} {session} {resident.folder}"
    resident.post(cwd=str(elsewhere))
    assert resident.post(cwd=None).reason == f"1 1 None {resident.folder} s-1 {resident.folder}"


def test_what_belonged_to_the_conversation_that_started_it_is_not_handed_on(resident, monkeypatch):
    """A server outlives it, and serves others."""
    monkeypatch.setenv("CLAUDE_CODE_MESSAGING_TOKEN", "of another")
    monkeypatch.setenv("CLAUDE_ENV_FILE", "/of/another")
    monkeypatch.setenv("KEPT", "yes")
    resident.project.config(
        "preToolUse: {commands: [{run: 'echo $CLAUDE_CODE_MESSAGING_TOKEN$CLAUDE_ENV_FILE$KEPT$CLAUDECODE >&2; exit 2'}]}"
    )
    import posix

    monkeypatch.setattr(posix, "environ", {os.fsencode(k): os.fsencode(v) for k, v in os.environ.items()})
    resident.start()
    assert resident.post().reason == "yes1"


def test_what_a_handler_prints_is_kept_in_the_journal_only(resident):
    """And the next event starts with nothing printed."""
    resident.project.handlers(
        "import os\nfrom hookwright import *\n@on.PreToolUse\ndef f(event):\n"
        "    print('from Python'); os.system('echo from a child'); return deny('no')\n"
    )
    resident.start()
    assert [resident.post().reason for _ in range(2)] == ["no", "no"]
    lines = until(lambda: (found := resident.project.journal()) and len(found) == 2 and found)
    for line in lines:
        assert sorted(line["notes"][0].removeprefix("printed: ").split("\n")) == ["from Python", "from a child"]


def test_slow_handlers_do_not_hold_up_other_events(resident):
    """However many there are: each has a worker of its own, and another is made for who comes next."""
    resident.project.handlers(
        "import time\nfrom hookwright import *\n@on.PreToolUse(tool='Bash')\ndef slow(event):\n"
        "    open(event.tool_input['command'], 'w').close()\n"
        "    while not __import__('os').path.exists('go'): time.sleep(0.01)\n    return deny('slow')\n"
        "@on.PreToolUse(tool='Read')\ndef quick(event): return deny('quick')\n"
    )
    resident.start()
    waiting = [resident.in_background(tool_input={"command": f"begun{n}"}) for n in range(6)]
    until(lambda: all((resident.project.folder / f"begun{n}").exists() for n in range(6)))
    assert resident.post(tool_name="Read").reason == "quick"
    (resident.project.folder / "go").touch()
    assert [wait().reason for wait in waiting] == ["slow"] * 6


def test_a_deadline_ends_a_handler_also_where_no_python_runs(resident):
    """A runaway regular expression is abandoned in a worker's main thread, and the worker goes on."""
    resident.project.handlers(
        "import re\nfrom hookwright import *\n@on.PreToolUse(timeout=0.2)\ndef f(event):\n"
        "    re.match(r'(a+)+$', 'a' * 40 + 'b')\n"
    )
    resident.start()
    assert resident.post().status == 204
    line = until(resident.project.journal)[0]
    assert "no answer within 0.2 s" in line["notes"][0]


def test_sixty_four_at_once_are_all_answered_by_few_workers(resident):
    """Quick events do not each get a process; none is lost, none is answered twice."""
    resident.project.handlers(
        "from hookwright import *\n@on.PreToolUse\ndef f(event): return deny(event.tool_input['command'])\n"
    )
    resident.start()
    resident.post()
    answers = {}

    def converse(number):
        with resident.connect() as connection:
            for turn in range(5):
                word = f"{number}.{turn}"
                connection.sendall(resident.request(resident.event(tool_input={"command": word})))
                answers[word] = received(connection).reason

    threads = [threading.Thread(target=converse, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 320
    assert all(word == reason for word, reason in answers.items())
    assert resident.status()["events"] == 321
    assert len(until(lambda: (found := resident.project.journal()) and len(found) == 321 and found)) == 321


def test_nothing_gathers_over_many_events(resident):
    """No descriptors in the server or its workers, no workers, no memory: after five times as many events, the same."""
    resident.project.handlers(DENY)
    resident.start()

    def after(number):
        with resident.connect() as connection:
            for _ in range(number):
                connection.sendall(resident.request(resident.event()))
                assert received(connection).status == 200
        for _ in range(number // 10):
            assert resident.post().status == 200
        status = until(lambda: (told := resident.status()) and told["connections"] == 1 and told)
        pids = [status["pid"], *status["workers"]]
        own_fds = len(os.listdir(f"/proc/{status['pid']}/fd")) - len(status["workers"])  # one leads to each of them
        return own_fds, len(pids), peak_kb(status["pid"])

    after(100)
    fds, processes, kb = after(200)
    more_fds, more_processes, more_kb = after(1000)
    assert more_fds == fds
    assert more_processes <= processes + 1
    assert more_kb - kb < 1024


def test_a_worker_makes_way_when_it_is_old_or_has_grown(monkeypatch):
    """After many events, after much growth, and after it has compiled a config, which takes a library."""
    monkeypatch.delitem(sys.modules, "hookwright.config", raising=False)
    one = worker._Worker("/", -1)
    assert not one._old()
    one.events = worker.EVENTS_OF_A_LIFE - 1
    assert one._old()
    one = worker._Worker("/", -1)
    one._old()
    one.enough_kb = 1
    assert one._old()
    monkeypatch.setitem(sys.modules, "hookwright.config", object())
    assert worker._Worker("/", -1)._old()


def peak_kb(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def test_it_ends_itself_when_nobody_needs_it(resident, monkeypatch):
    """And leaves a record that says so: the next prompt starts it without a word about a crash."""
    monkeypatch.setenv("HOME", resident.folder)
    resident.start(idle_s=0.1)
    file = resident.project.folder / ".hookwright/state" / state.LOCK
    until(lambda: json.loads(file.read_text())["state"] == state.IDLE, 30)
    until(lambda: not state.running(resident.folder))
    assert not resident.start().crashed


def test_several_projects_have_servers_of_their_own(resident, tmp_path_factory):
    """Other ports, other tokens; one does not let the other's in."""
    from conftest import Project
    from resident.serving import Resident

    from hookwright.resident import start

    other = Resident(Project(tmp_path_factory.mktemp("other")))
    other.project.handlers(DENY.replace("'no'", "'other'"))
    resident.project.handlers(DENY)
    try:
        resident.start()
        other.start()
        assert (resident.post().reason, other.post().reason) == ("no", "other")
        other.token = resident.token
        assert other.post().status == 401
    finally:
        start.stop(other.folder)


def test_a_worker_that_is_not_needed_goes_after_a_while(resident, monkeypatch):
    """As many stay as there are always."""
    pool_of = pool.Pool("/", lambda *_: None, lambda *_: None, lambda _: None)
    monkeypatch.setattr(forked, "_live", lambda *_: os._exit(0))
    for _ in range(5):
        pool_of._fork()
    pool_of.look_around(time.monotonic() + pool.UNUSED_S + 1)
    assert len(pool_of.workers) == pool.ALWAYS
    pool_of.close()


def test_no_worker_outlives_every_agents_patience(monkeypatch):
    """Asked to end after the longest time, made to a little later; its event is lost, not the pool."""

    def deaf(*_):  # born with SIGTERM blocked, and leaves it so
        try:
            time.sleep(600)
        finally:
            os._exit(1)

    monkeypatch.setattr(forked, "_live", deaf)
    lost, watched = [], {}
    one = pool.Pool("/", lambda fd, ready, _: watched.update({fd: ready}), lambda *job: lost.append(job[1]), print)
    one.add(forked.Job(None, b"{}"))
    ((fd, held),) = one.workers.items()
    now = time.monotonic() + pool.LONGEST_S + 1
    one.look_around(now)
    assert held.told_to_end and not lost
    one.look_around(now + pool.GRACE_S + 1)
    os.set_blocking(fd, True)
    watched[fd](fd)
    assert (lost, one.workers) == ([0], {})


def test_workers_that_die_at_birth_are_not_forked_for_ever(resident, monkeypatch):
    """An event is tried a few times and then unanswered; spare workers wait a while."""
    monkeypatch.setattr(forked, "_live", lambda *_: os._exit(0))
    watched, lost = {}, []

    def watch(fd, callback, _to_write):
        watched[fd] = callback
        if callback is None:
            del watched[fd]

    one = pool.Pool("/", watch, lambda job, status, *_: lost.append(status), lambda _: None)
    one.add(forked.Job(None, b"{}"))
    forks = 0
    while not lost:
        for fd, callback in list(watched.items()):
            os.set_blocking(fd, True)
            callback(fd)
            forks += 1
    assert lost == [0]
    assert forks <= pool.TRIES
    one.keep_ready()
    assert not one.workers


BROKEN = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
from hookwright.resident import worker
def broken(payload, meet): raise KeyError("found nowhere")
worker.hook.respond = broken
worker.work("/", bytearray(1), 0)
"""


def test_a_fault_of_our_own_is_told_not_hidden():
    """The worker ends, which makes the event a 500; what it was reaches the next event's note."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        script = [sys.executable, "-c", BROKEN, str(theirs.fileno())]
        with subprocess.Popen(script, pass_fds=[theirs.fileno()], stderr=subprocess.DEVNULL) as process:
            ours.sendall(worker.job(b"{}", ""))
            told = ours.recv(1000)
            assert process.wait() == 1
    assert told[:2] == b"\0\0"  # a complaint, not an answer
    assert b"(KeyError: 'found nowhere')" in told
