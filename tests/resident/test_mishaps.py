"""What happens when something dies or disappears: the cases of docs/resident.md, one test each."""

import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import start_hook, survivors
from resident.serving import DENY, gone, received, until

import hookwright
from hookwright.resident import connection as connections
from hookwright.resident import forked, pool, start, state
from hookwright.resident.server import Server
from hookwright.resident.upkeep import CRASHED
from hookwright.verbs import resident as verb

PACKAGE = Path(hookwright.__file__).parent
# Counts its calls in a file, and waits in the middle of them until it may go on.
COUNTING = """
import os, time
from hookwright import *
@on.PreToolUse(tool="Bash")
def f(event):
    with open("calls", "a") as calls: calls.write("x")
    while not os.path.exists("go"): time.sleep(0.01)
    return deny("done")
@on.PreToolUse(tool="Read")
def quick(event): return deny("quick")
"""


def calls(resident):
    file = resident.project.folder / "calls"
    return len(file.read_text()) if file.exists() else 0


def go(resident):
    (resident.project.folder / "go").touch()


def prompt(resident, event="UserPromptSubmit"):
    """The command that stays, as the agent starts it; the verb it starts finds a home of its own."""
    boot = str(PACKAGE / "resident/boot.py")
    payload = json.dumps(resident.project.payload(event, prompt="hello")).encode()
    done = subprocess.run(
        [sys.executable, "-I", "-S", boot, resident.folder],
        input=payload,
        capture_output=True,
        cwd=resident.folder,
        env={"PATH": os.environ["PATH"], "HOME": resident.folder},
        timeout=60,
        check=False,
    )
    known = state.running(resident.folder)
    resident.port, resident.token = known.get("port", 0), state.token(resident.folder)
    return done


def living_workers(resident):
    """The workers without the one that compiled the config, which makes way."""
    return until(lambda: (workers := resident.status()["workers"]) and not any(map(gone, workers)) and workers)


def kill_server(resident):
    os.kill(resident.pid, signal.SIGKILL)
    until(lambda: gone(resident.pid))
    until(lambda: not state.running(resident.folder))


def test_server_killed_before_it_reads_an_event(resident):
    """Nothing has run; the agent sees a connection that ended, and the next prompt brings the server back."""
    resident.project.handlers(COUNTING)
    resident.start()
    os.kill(resident.pid, signal.SIGSTOP)
    with resident.connect() as connection:
        connection.sendall(resident.request(resident.event()))
        kill_server(resident)
        assert received(connection).status == 0
    before = resident.port, resident.token
    done = prompt(resident)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"systemMessage": f"hookwright: {CRASHED}"})
    assert (resident.port, resident.token) == before
    assert resident.post(tool_name="Read").reason == "quick"
    assert calls(resident) == 0
    assert CRASHED in resident.project.journal()[0]["notes"]
    assert prompt(resident).stdout == b""  # said once


def test_server_killed_while_a_handler_runs(resident):
    """The handler comes to its end, once; its answer is lost, and the journal says so."""
    resident.project.handlers(COUNTING)
    resident.start()
    answer = resident.in_background()
    until(lambda: calls(resident))
    workers = resident.status()["workers"]
    kill_server(resident)
    assert answer().status == 0
    go(resident)
    line = until(resident.project.journal)[0]
    assert "the server was gone before this answer could be given" in line["notes"]
    assert calls(resident) == 1
    until(lambda: all(gone(pid) for pid in workers))


def test_worker_killed_while_a_handler_runs(resident):
    """A 500 for that event and no second call; others are answered; the next event tells, in its answer and the journal."""
    resident.project.handlers(COUNTING)
    resident.start()
    assert resident.post(tool_name="Read").reason == "quick"  # the config is compiled
    answer = resident.in_background()
    until(lambda: calls(resident))
    for pid in living_workers(resident):
        os.kill(pid, signal.SIGKILL)
    assert answer().status == 500
    told = resident.post(tool_name="Read")
    assert told.reason == "quick"
    assert "went unanswered" in told.document["systemMessage"]
    assert "systemMessage" not in resident.post(tool_name="Read").document
    assert calls(resident) == 1
    until(lambda: any("went unanswered" in str(line.get("notes")) for line in resident.project.journal()))


def test_handler_that_ends_its_process_before_the_answer(resident):
    """After the handler, before the answer: a 500, which blocks only where `onFailure` says so."""
    resident.project.handlers("import os\nfrom hookwright import *\n@on.PreToolUse\ndef f(event): os._exit(0)\n")
    resident.start()
    assert resident.post().status == 500


def test_worker_killed_before_it_begins(resident):
    """An event that no worker had begun is given to another: answered, once."""
    resident.project.handlers(COUNTING)
    resident.start()
    go(resident)
    assert resident.post(tool_name="Read").reason == "quick"
    workers = living_workers(resident)
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    answer = resident.in_background()
    until(lambda: resident.status()["under_way"])
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    assert answer().reason == "done"
    assert calls(resident) == 1


def test_agent_that_hangs_up_ends_what_it_asked_for(resident):
    """As an agent ends a hook that it started: the command's whole group goes, and no note is made of it."""
    resident.project.config("preToolUse: {commands: [{run: 'echo $$ > group; sleep 60'}]}\n")
    resident.start()
    with resident.connect() as connection:
        connection.sendall(resident.request(resident.event()))
        file = resident.project.folder / "group"
        group = until(lambda: file.exists() and file.read_text().strip())
    assert survivors(int(group)) == []
    resident.project.handlers(DENY)
    assert resident.post().document.keys() == {"hookSpecificOutput"}


def test_handler_that_hangs_where_no_signal_is_heard(resident):
    """It goes when the client does, and meanwhile keeps nobody waiting."""
    resident.project.handlers(
        "import hashlib, os\nfrom hookwright import *\n@on.PreToolUse(tool='Bash', timeout=0.1)\ndef f(event):\n"
        "    with open('pid', 'w') as file: print(os.getpid(), file=file)\n"
        "    hashlib.pbkdf2_hmac('sha256', b'', b'', 1 << 30)\n"
        "@on.PreToolUse(tool='Read')\ndef quick(event): return deny('quick')\n"
    )
    resident.start()
    with resident.connect() as connection:
        connection.sendall(resident.request(resident.event()))
        file = resident.project.folder / "pid"
        worker = int(until(lambda: file.exists() and file.read_text().strip()))
        assert resident.post(tool_name="Read").reason == "quick"
    until(lambda: gone(worker))


def test_hanging_up_never_costs_somebody_else_an_answer(resident):
    """A worker that is ended for one who has gone is given nothing more, even where it had just answered."""
    resident.project.handlers(DENY)
    resident.start()
    resident.post()
    for _ in range(60):
        with resident.connect() as leaving, resident.connect() as staying:
            leaving.sendall(resident.request(resident.event()))
            staying.sendall(resident.request(resident.event()))
            leaving.close()
            assert received(staying).reason == "no"
            staying.sendall(resident.request(resident.event()))
            assert received(staying).reason == "no"


def test_port_taken_by_somebody_else(resident):
    """Whoever has it may have been told the token: both are new, and the settings are made anew."""
    resident.start()
    old = resident.port, resident.token
    kill_server(resident)
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        squatter.bind(("127.0.0.1", old[0]))
        squatter.listen()
        started = resident.start()
    assert started.moved
    assert started.port != old[0]
    assert started.token != old[1]
    assert resident.status()["port"] == started.port


def test_token_file_gone_or_open_to_others(resident):
    """The running server goes on with the token it has; the next prompt replaces both."""
    resident.project.handlers(DENY)
    resident.start()
    until(resident.status)
    file, pid, token = state.file(resident.folder, state.TOKEN), resident.pid, resident.token
    for spoil, event in ((os.unlink, "UserPromptSubmit"), (lambda path: os.chmod(path, 0o644), "Setup")):
        spoil(file)
        assert state.token(resident.folder) == ""
        assert resident.post().reason == "no"
        prompt(resident, event)
        assert resident.token not in ("", token)
        assert os.stat(file).st_mode & 0o777 == 0o600
        assert resident.pid != pid
        assert resident.post().reason == "no"  # it has read its token
        pid, token = resident.pid, resident.token


def test_stale_record_names_somebody_else(resident):
    """The number in it is another process now: it is left alone."""
    with subprocess.Popen(["sleep", "60"]) as stranger:
        lock = state.open_lock(resident.folder)
        state.write_record(lock, 1, stranger.pid, state.RUNNING)
        os.close(lock)
        assert state.running(resident.folder) == {}
        assert not start.stop(resident.folder)
        assert resident.start().crashed
        assert stranger.poll() is None
        stranger.kill()


@pytest.fixture
def installed(tmp_path_factory):
    """A copy of hookwright that can be installed anew under a running server."""
    source = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, source / "hookwright", ignore=shutil.ignore_patterns("__pycache__"))
    return source


def run_start(source, folder):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from hookwright.resident.start import start; start(sys.argv[2])"
    )
    return subprocess.Popen([sys.executable, "-I", "-c", code, str(source), folder])


def test_upgrade_under_a_running_server(resident, installed):
    """It begins again with the new files: same process, same port, same token, and no event refused meanwhile."""
    resident.project.handlers(DENY)
    assert run_start(installed, resident.folder).wait() == 0
    resident.port, resident.token = state.running(resident.folder)["port"], state.token(resident.folder)
    before = until(resident.status)
    assert resident.post().reason == "no"
    init = installed / "hookwright/__init__.py"
    init.write_text(init.read_text().replace('__version__ = "', '__version__ = "9.'))
    assert run_start(installed, resident.folder).wait() == 0  # a prompt in between leaves it to that
    while (after := resident.status()).get("version") == before["version"]:
        assert resident.post().reason == "no"
    assert after["version"] == f"9.{before['version']}"
    assert (after["pid"], after["port"]) == (before["pid"], before["port"])
    assert resident.post().reason == "no"


@pytest.fixture
def server(project):
    """A server that nobody runs: its parts are called one by one."""
    lock = state.open_lock(str(project.folder))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = Server(listener, lock, str(project.folder), "a" * 64, 3600)
        one.loop.watch(listener.fileno(), one._accept)
        yield one
        for connection in list(one.connections.values()):
            one._hang_up(connection)
    os.close(lock)


def test_an_upgrade_keeps_nobody_waiting_for_a_slow_handler(server):
    """While something is under way others are let in; it begins again when nothing is."""
    slow = forked.Job(None, b"{}")
    server.pool.queue.append(slow)
    server.package = "another"
    now = time.monotonic()
    server._look_around(now, print)
    server._leave_if_told(now)
    with socket.create_connection(("127.0.0.1", server.port)):
        server.loop.once(60_000)
        assert (server.end, len(server.connections)) == ("", 1)
    server.loop.once(60_000)
    server.pool.queue.clear()
    server._leave_if_told(now)
    assert server.end == "again"


def test_a_server_that_is_never_quiet_takes_up_an_upgrade_all_the_same(server):
    """After the longest time that an agent waits, nobody is let in until what is under way has ended."""
    server.pool.queue.append(forked.Job(None, b"{}"))
    server.package = "another"
    now = time.monotonic()
    for later in (0, pool.LONGEST_S + 1):
        server._look_around(now + later, print)
        server._leave_if_told(now + later)
    assert (server.end, server.leave_at > now) == ("", True)
    server._leave_if_told(server.leave_at + 1)
    assert server.end == "again"


def test_what_was_to_be_told_with_an_abandoned_event_is_told_with_the_next(server):
    """Whoever asked hung up before a worker was free."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        asked = connections.Connection(ours.fileno(), server.port, "a" * 64)
        job = asked.job = forked.Job(asked, b"{}")
        job.note = "first\nsecond"
        server.pool.queue.append(job)
        server.pool.abandon(job)
    assert (server.pool.queue, server.unsaid) == ([], ["first", "second"])


def test_server_of_another_installation_is_replaced(resident, installed):
    """Whoever looks after the server wants one of its own version."""
    assert run_start(installed, resident.folder).wait() == 0
    old = state.running(resident.folder)
    started = resident.start()
    assert started.fresh
    assert not started.crashed
    assert (started.port, resident.pid != old["pid"]) == (old["port"], True)
    until(lambda: gone(old["pid"]))


def test_journal_that_cannot_be_written(resident):
    """The event is answered all the same; the next one tells the person."""
    resident.project.handlers(DENY)
    resident.start()
    assert resident.post().reason == "no"
    journal = resident.project.folder / ".hookwright/journal.jsonl"
    until(journal.exists)
    journal.unlink()
    journal.mkdir()
    assert resident.post().reason == "no"
    until(lambda: "not in the journal" in str(resident.post().document.get("systemMessage")))
    journal.rmdir()


def test_project_removed_under_a_running_server(resident):
    """It leaves, instead of serving nobody for an hour."""
    resident.start()
    until(resident.status)
    pid = resident.pid
    shutil.rmtree(resident.folder)
    until(lambda: gone(pid), 30)


def test_stopped_by_hand_stays_stopped_until_a_conversation_begins(resident):
    """A prompt does not undo what a person did; a new conversation starts with a server."""
    resident.start()
    assert start.stop(resident.folder)
    assert prompt(resident).returncode == 0
    assert state.running(resident.folder) == {}
    assert prompt(resident, "SessionStart").stdout == b""  # no word of a crash
    assert state.running(resident.folder)


def test_events_under_way_are_answered_before_it_stops(resident):
    """A stop waits for them a while."""
    resident.project.handlers(COUNTING)
    resident.start()
    answer = resident.in_background()
    until(lambda: calls(resident))
    os.kill(resident.pid, signal.SIGTERM)
    go(resident)
    assert answer().reason == "done"


def test_a_stop_does_not_wait_for_ever(server, monkeypatch):
    """What does not end in time is ended with the server, which does not begin again even where it was upgraded."""

    def endless(*_):
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, forked.ENDING)
            time.sleep(600)
        finally:
            os._exit(1)

    monkeypatch.setattr(forked, "_live", endless)
    server.pool.add(forked.Job(None, b"{}"))
    (worker,) = server.pool.workers.values()
    server.outdated_at = 1.0
    heard, told = os.pipe()
    os.write(told, bytes([signal.SIGTERM]))
    server._signal(heard)
    for fd in (heard, told):
        os.close(fd)
    server._leave_if_told(server.leave_at - 0.1)
    assert server.end == ""
    server._leave_if_told(server.leave_at + 0.1)
    assert server.end == "left"
    server.pool.close()
    until(lambda: gone(worker.pid))


def test_an_idle_end_waits_for_an_event_that_came_in_the_last_moment(resident, monkeypatch):
    """However long it takes; until then the server is as it was."""
    resident.project.handlers(COUNTING)
    resident.start()
    answer = resident.in_background()
    until(lambda: calls(resident))
    meanwhile = []

    def wait(_seconds):
        meanwhile.append(resident.post(tool_name="Read").reason)
        go(resident)

    monkeypatch.setattr(verb, "time", SimpleNamespace(sleep=wait, monotonic=time.monotonic))
    assert verb.stopped(resident.project.folder, state.IDLE)
    assert (answer().reason, set(meanwhile)) == ("done", {"quick"})


def test_many_starts_at_once_make_one_server(resident):
    """Each of them finds or makes the same one."""
    starters = [run_start(PACKAGE.parent, resident.folder) for _ in range(6)]
    assert [starter.wait() for starter in starters] == [0] * 6
    own = until(resident.status)  # first: a server has workers from its first answer on
    pattern = f"serve.py\0{resident.folder}\0".encode()
    servers = [pid for pid in Path("/proc").glob("[0-9]*") if pattern in _cmdline(pid)]
    assert {int(pid.name) for pid in servers} == {own["pid"], *own["workers"]}


def _cmdline(pid):
    try:
        return (pid / "cmdline").read_bytes()
    except OSError:
        return b""


def test_the_token_is_nowhere_but_in_its_file(resident):
    """Not in the process list, not in an environment, not in the journal or the log."""
    resident.project.handlers("from hookwright import *\n@on.PreToolUse\ndef f(event): raise RuntimeError(event.raw)\n")
    resident.start()
    resident.post()  # its worker compiled the config and makes way for a smaller one
    resident.sent(resident.request(b"{}", authorization="Bearer wrong"))
    until(resident.project.journal)
    token = resident.token.encode()
    for pid in (resident.pid, *living_workers(resident)):
        assert token not in Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
    files = [path for path in resident.project.folder.rglob("*") if path.is_file() and token in path.read_bytes()]
    assert [path.name for path in files] == [state.TOKEN]


def test_linked_files_are_not_written_through(resident, tmp_path_factory):
    """Somebody who can make links in the project must not make us write elsewhere, or read their token."""
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    elsewhere.write_text("a" * 64)
    elsewhere.chmod(0o600)
    folder = resident.project.folder / ".hookwright/state"
    folder.mkdir(parents=True)
    (folder / state.TOKEN).symlink_to(elsewhere)
    assert resident.start().token != "a" * 64
    start.stop(resident.folder)
    for name in (state.LOCK, state.LOG):
        (folder / name).unlink()
        (folder / name).symlink_to(elsewhere)
        with pytest.raises(OSError, match="symbolic links"):
            start.start(resident.folder)
        (folder / name).unlink()
    assert elsewhere.read_text() == "a" * 64


def test_half_open_connections_hold_up_nobody(resident):
    """Hundreds of strangers who say nothing, or half a request: events are answered, and the strangers are let go."""
    resident.project.handlers(DENY)
    resident.start()
    strangers = [resident.connect() for _ in range(300)]
    for stranger in strangers[::2]:
        stranger.sendall(resident.request(resident.event())[:-5])
    assert resident.post().reason == "no"
    more = [resident.connect() for _ in range(250)]  # more than it keeps
    assert resident.post().reason == "no"
    for connection in (*strangers, *more):
        connection.close()
    until(lambda: resident.status()["connections"] == 1)


def test_who_is_too_slow():
    """Who keeps a request to itself; not who waits for an answer, nor who has been answered and is silent."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        one = connections.Connection(ours.fileno(), 4000, "a" * 64)
        later = one.since + connections.SLOWEST_S + 1
        assert one.too_slow(later)
        one.known = True
        assert not one.too_slow(later)
        theirs.sendall(b"POST")
        assert one.read()
        assert one.too_slow(one.since + connections.SLOWEST_S + 1)


def test_without_a_server_the_hook_is_the_same(resident):
    """What is started beside a server answers like the usual hook."""
    resident.project.handlers(DENY.replace("PreToolUse(tool='Bash')", "UserPromptSubmit"))
    payload = json.dumps(resident.project.payload("UserPromptSubmit", prompt="hello")).encode()
    usual = start_hook(payload, cwd=resident.folder)
    assert prompt(resident).stdout.decode() == usual.stdout
    assert state.running(resident.folder)


def test_a_server_that_cannot_be_written_down_does_not_stay(project, monkeypatch):
    """On a full disk it would serve unknown to everybody, and keep the lock from the next one."""

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = str(project.folder)
    with monkeypatch.context() as disk:
        disk.setattr("posix.pwrite", full)
        with pytest.raises(OSError, match="No space"):
            start.start(folder)
    assert start.start(folder).fresh
    assert start.stop(folder)
