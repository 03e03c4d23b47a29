"""One child process: what it printed, how it ended, and that nothing of it is left after its deadline."""

import _signal
import os
import posix
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import alive, survivors
from hypothesis import given
from hypothesis import strategies as st

import hookwright
from hookwright import process
from hookwright.output import Captured, plain
from hookwright.process import Outcome, run

ENVIRONMENT = dict(posix.environ)
SOURCES = str(Path(hookwright.__file__).parent.parent)


def sh(script: str, cwd: Path, **settings) -> Outcome:
    return run(["/bin/sh", "-c", script], cwd=str(cwd), env=ENVIRONMENT, **settings)


def group_of(folder: Path) -> int:
    """The group of a script that began with `echo $$ > group`."""
    return int((folder / "group").read_text())


def test_exit_code_and_both_streams_are_reported(tmp_path):
    """A child's exit code, stdout and stderr come back apart from each other."""
    outcome = sh("echo out; echo err >&2; exit 3", tmp_path)
    assert (outcome.exit_code, outcome.stdout.text(), outcome.stderr.text()) == (3, "out\n", "err\n")
    assert not outcome.timed_out
    assert outcome.took_ms > 0


def test_runs_in_the_given_folder(tmp_path):
    """The child starts in its folder; ours stays where it was."""
    here = os.getcwd()
    assert str(tmp_path.resolve()) == sh("pwd -P", tmp_path).stdout.text().strip()
    assert here == os.getcwd()


def test_a_signal_is_a_negative_exit_code(tmp_path):
    """A child that dies of a signal says which one."""
    assert sh("kill -9 $$", tmp_path).exit_code == -9


def test_the_child_leads_a_session_of_its_own(tmp_path):
    """No terminal to wait at, and a group of its own to be stopped by."""
    ids = sh("ps -o pid=,pgid=,sid= -p $$ 2>/dev/null || ps -o pid=,pgid=,sess= -p $$", tmp_path).stdout.text().split()
    assert ids[0] == ids[1]


def test_a_program_is_found_on_the_path(tmp_path):
    """A name without a slash is looked up as the shell would."""
    tool = tmp_path / "greet"
    tool.write_text("#!/bin/sh\necho hello\n")
    tool.chmod(0o755)
    environment = {**ENVIRONMENT, b"PATH": f"/nowhere:{tmp_path}:/usr/bin:/bin".encode()}
    assert run(["greet"], cwd="/", env=environment).stdout.text() == "hello\n"


def test_a_broken_pipe_ends_a_writer_as_in_any_shell(tmp_path):
    """Python ignores SIGPIPE; the child must not inherit that."""
    outcome = sh("yes | head -n 1", tmp_path, timeout_s=20)
    assert (outcome.stdout.text(), outcome.stderr.text()) == ("y\n", "")


def test_no_descriptor_of_ours_reaches_the_child(tmp_path):
    """What an agent left open for us, inheritable or not, stays ours."""
    fd = posix.open("/dev/null", posix.O_RDONLY)
    posix.set_inheritable(fd, True)
    try:
        assert sh(f"exec 2>/dev/null; : <&{fd}", tmp_path).exit_code != 0
    finally:
        posix.close(fd)


@pytest.mark.parametrize(
    ("argv", "cwd", "named"),
    [(["/nope/sh"], "/", "/nope/sh"), (["nope"], "/", "nope"), (["/bin/sh"], "/nope", "/nope")],
)
def test_what_cannot_be_started_is_named(argv, cwd, named):
    """A missing program and a missing folder are told apart."""
    with pytest.raises(FileNotFoundError) as caught:
        run(argv, cwd=cwd, env=ENVIRONMENT)
    assert named == caught.value.filename


class TestStdin:
    def test_a_large_payload_arrives_whole(self, tmp_path):
        """More than any pipe holds, read while the child writes."""
        payload = b"0123456789" * 500_000
        outcome = sh("cat", tmp_path, stdin=payload, keep_bytes=len(payload))
        assert payload == bytes(outcome.stdout.kept)

    def test_a_child_that_closes_it_early(self, tmp_path):
        """EPIPE is the child's choice, not a failure."""
        outcome = sh("exec <&-; sleep 0.1; echo done", tmp_path, stdin=b"x" * 1_000_000, timeout_s=20)
        assert (outcome.exit_code, outcome.stdout.text()) == (0, "done\n")

    def test_a_child_that_never_reads_it(self, tmp_path):
        """It ends when it ends, whatever is left in the pipe."""
        outcome = sh("sleep 0.1; echo done", tmp_path, stdin=b"x" * 1_000_000, timeout_s=20)
        assert (outcome.exit_code, outcome.stdout.text(), outcome.timed_out) == (0, "done\n", False)

    def test_no_payload_is_the_end_of_the_file(self, tmp_path):
        """A child that reads does not wait for somebody to type."""
        assert sh("cat | wc -c", tmp_path, timeout_s=20).stdout.text().strip() == "0"


class TestOutput:
    def test_both_streams_are_drained_at_the_same_time(self, tmp_path):
        """A megabyte on each blocks neither."""
        fill = "head -c 1000000 /dev/zero | tr '\\0' a"
        outcome = sh(f"{fill} >&2; {fill}", tmp_path, timeout_s=60)
        assert (outcome.stdout.bytes, outcome.stderr.bytes) == (1_000_000, 1_000_000)

    def test_only_the_beginning_is_kept_and_the_rest_is_counted(self, tmp_path):
        """Memory is bounded by what is kept; the count is exact all the same."""
        outcome = sh("yes 1234567 | head -n 200000", tmp_path, keep_bytes=1000, timeout_s=60)
        assert (len(outcome.stdout.kept), outcome.stdout.bytes, outcome.stdout.lines) == (1000, 1_600_000, 200_000)
        assert outcome.stdout.first_lines(2).splitlines()[-1] == "... (199998 lines omitted)"

    def test_bytes_that_are_no_text_are_marked(self, tmp_path):
        """Invalid UTF-8 never raises."""
        assert sh(r"printf 'a\377\376b\n'", tmp_path).stdout.text() == "a\ufffd\ufffdb\n"

    @pytest.mark.parametrize(
        ("data", "limit", "shown"),
        [
            (b"", None, ""),
            (b"a\nb\n", None, "a\nb"),
            (b"a\nb", 2, "a\nb"),
            (b"a\nb\nc\n", 2, "a\nb\n... (1 lines omitted)"),
            (b"a\nb\nc", 1, "a\n... (2 lines omitted)"),
            (b"\n\n\n", 1, "\n... (2 lines omitted)"),
        ],
    )
    def test_first_lines(self, data, limit, shown):
        """The first lines as they are, then how many are missing."""
        captured = Captured()
        captured.take(data)
        assert shown == captured.first_lines(limit)

    @pytest.mark.parametrize(
        ("data", "shown"),
        [
            (b"abc\ndefgh\nij\n", "abc\n... (2 lines omitted)"),  # cut within a line: that line is omitted too
            (b"abc\nde\nfgh\n", "abc\nde\n... (1 lines omitted)"),  # cut right after a line
            (b"abcdefghijkl", "abcdefg…"),
        ],
    )
    def test_first_lines_where_not_all_was_kept(self, data, shown):
        """A line of which only a piece was kept is not shown as if it were whole."""
        captured = Captured(keep_bytes=7)
        captured.take(data)
        assert shown == captured.first_lines()

    @given(st.lists(st.binary(max_size=30)), st.integers(0, 40))
    def test_how_the_pieces_fall_does_not_matter(self, pieces, keep):
        """One write or many: the same bytes, lines and text."""
        whole, cut = Captured(keep), Captured(keep)
        data = b"".join(pieces)
        whole.take(data)
        for piece in filter(None, pieces):
            cut.take(piece)
        lines = data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))
        assert (len(data), lines, whole.first_lines()) == (cut.bytes, cut.lines, cut.first_lines())

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1b(Btext\x1b7\x1b=", "text"),
            ("a\rb\x07\x08\x9bc\td\n", "abc\td\n"),
            ("\x1b", ""),
            ("\x1b[", ""),
        ],
    )
    def test_plain_text_has_no_terminal_sequences(self, text, shown):
        """Output cannot play tricks on the terminal of who reads it."""
        assert shown == plain(text)

    @given(st.text())
    def test_plain_text_never_holds_a_control_character(self, text):
        """Only newline and tab are left of them."""
        assert not [char for char in plain(text) if char != "\n" and char != "\t" and ord(char) in {*range(32), 127}]


class TestDeadline:
    def test_it_reaches_what_the_child_waits_for(self, tmp_path):
        """`sleep 30 & wait`: both are gone, within a second of the deadline."""
        outcome = sh("echo $$ > group; sleep 30 & wait", tmp_path, timeout_s=1)
        assert (outcome.timed_out, outcome.exit_code) == (True, None)
        assert outcome.took_ms < 2000
        assert survivors(group_of(tmp_path)) == []

    def test_it_reaches_a_grandchild_that_ignores_sigterm(self, tmp_path):
        """SIGKILL follows."""
        script = "echo $$ > group; (trap '' TERM; while :; do sleep 0.05; done) & wait"
        outcome = sh(script, tmp_path, timeout_s=0.5)
        assert outcome.timed_out
        assert survivors(group_of(tmp_path)) == []

    def test_it_reaches_a_stubborn_grandchild_whose_parent_is_gone(self, tmp_path):
        """The direct child dies of SIGTERM at once; what holds its pipes is killed too."""
        script = "echo $$ > group; sh -c \"trap '' TERM; sleep 30\" & sleep 30"
        outcome = sh(script, tmp_path, timeout_s=0.5)
        assert outcome.timed_out
        assert outcome.took_ms < 1500
        assert survivors(group_of(tmp_path)) == []

    def test_it_reaches_a_grandchild_that_says_nothing(self, tmp_path):
        """One that has closed every stream cannot hide behind that."""
        script = "echo $$ > group; sh -c \"trap '' TERM; sleep 30\" >/dev/null 2>&1 </dev/null & wait"
        assert sh(script, tmp_path, timeout_s=0.5).timed_out
        assert survivors(group_of(tmp_path)) == []

    def test_a_child_may_clean_up_first(self, tmp_path):
        """SIGTERM comes first, and what is printed then still arrives."""
        outcome = sh("trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done", tmp_path, timeout_s=0.5)
        assert (outcome.timed_out, outcome.exit_code, outcome.stdout.text()) == (True, None, "bye\n")

    def test_endless_output_does_not_delay_it(self, tmp_path):
        """A child that never stops writing is stopped in time, and only the beginning is kept."""
        outcome = sh("echo $$ > group; yes", tmp_path, timeout_s=1, keep_bytes=1000)
        assert outcome.timed_out
        assert outcome.took_ms < 2000
        assert len(outcome.stdout.kept) == 1000
        assert survivors(group_of(tmp_path)) == []

    def test_a_background_child_that_keeps_stdout_open_is_not_waited_for(self, tmp_path):
        """The command is over when its shell is; whom it left behind is left alone."""
        outcome = sh("echo $$ > group; sleep 30 & echo started", tmp_path, timeout_s=20)
        try:
            assert (outcome.exit_code, outcome.stdout.text(), outcome.timed_out) == (0, "started\n", False)
            assert outcome.took_ms < 10_000
            assert len(alive(group_of(tmp_path))) == 1
        finally:
            os.killpg(group_of(tmp_path), signal.SIGKILL)

    def test_a_background_child_that_never_stops_writing_is_not_waited_for(self, tmp_path):
        """Neither is one that keeps the pipe busy."""
        outcome = sh("echo $$ > group; yes & :", tmp_path, timeout_s=20)
        try:
            assert (outcome.exit_code, outcome.timed_out) == (0, False)
            assert outcome.took_ms < 10_000
        finally:
            if alive(group_of(tmp_path)):  # closing our end may have ended it already
                os.killpg(group_of(tmp_path), signal.SIGKILL)


class TestWithoutTheFastWay:
    def test_without_pidfd(self, tmp_path, monkeypatch):
        """Where the system cannot tell of an exit we look for it."""
        monkeypatch.delattr(posix, "pidfd_open", raising=False)
        outcome = sh("echo out; exit 4", tmp_path)
        assert (outcome.exit_code, outcome.stdout.text()) == (4, "out\n")
        outcome = sh("echo $$ > group; (trap '' TERM; sleep 30) & wait", tmp_path, timeout_s=0.5)
        assert outcome.timed_out
        assert survivors(group_of(tmp_path)) == []

    def test_without_the_c_function(self, tmp_path, monkeypatch):
        """Another Python has `subprocess` all the same."""
        monkeypatch.setitem(sys.modules, "_posixsubprocess", None)
        self.check(tmp_path)

    def test_with_another_signature_of_the_c_function(self, tmp_path, monkeypatch):
        """The function is not public: what it refuses to take goes the long way."""
        import _posixsubprocess

        genuine = _posixsubprocess.fork_exec

        def changed(*arguments):
            if arguments[-1] == "from subprocess":
                return genuine(*arguments[:-1])
            raise TypeError("fork_exec expected 99 arguments")

        monkeypatch.setattr(_posixsubprocess, "fork_exec", changed)
        monkeypatch.setattr(subprocess, "_fork_exec", lambda *arguments: changed(*arguments, "from subprocess"))
        self.check(tmp_path)

    def check(self, tmp_path):
        outcome = sh("cat; pwd -P; exit 4", tmp_path, stdin=b"in\n")
        assert (4, f"in\n{tmp_path.resolve()}\n") == (outcome.exit_code, outcome.stdout.text())
        outcome = sh("echo $$ > group; sleep 30 & wait", tmp_path, timeout_s=0.5)
        assert outcome.timed_out
        assert survivors(group_of(tmp_path)) == []
        with pytest.raises(FileNotFoundError):
            run(["/nope/sh"], cwd="/", env=ENVIRONMENT)


RUNNER = """
import sys; sys.path.append(sys.argv[1])
import posix
from hookwright.process import run
outcome = run(["/bin/sh", "-c", sys.argv[3]], cwd=sys.argv[2], env=dict(posix.environ), timeout_s=60)
open(sys.argv[2] + "/exit", "w").write(str(outcome.exit_code))
"""


def runner(folder: Path, script: str, **settings) -> subprocess.Popen:
    """A process of its own that runs one child, as a hook does."""
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", RUNNER, SOURCES, str(folder), script], **settings)


def wait_for(path: Path) -> None:
    until = time.monotonic() + 60
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < until, f"{path.name} did not come"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("number", "exit_code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, -signal.SIGINT)]
)
def test_an_agent_that_gives_up_ends_the_command_too(tmp_path, number, exit_code):
    """The child's group is its own, so whoever stops the hook would miss it."""
    hook = runner(tmp_path, "echo $$ > group; sleep 30 & wait", stderr=subprocess.DEVNULL)
    wait_for(tmp_path / "group")
    hook.send_signal(number)
    assert hook.wait(60) == exit_code
    assert survivors(group_of(tmp_path)) == []


def test_signals_are_given_back(tmp_path):
    """After a child the process reacts to signals as before."""
    before = [_signal.getsignal(number) for number in (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)]
    sh(":", tmp_path)
    assert before == [_signal.getsignal(number) for number in (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)]


def test_an_exit_code_is_not_lost_where_sigchld_is_ignored(tmp_path):
    """Some parents ignore SIGCHLD, and a child inherits that: a block must not become a pass."""
    ignoring = ["/bin/sh", "-c", 'trap "" CHLD; exec "$@"', "sh"]
    hook = [sys.executable, "-I", "-S", "-c", RUNNER, SOURCES, str(tmp_path), "exit 2"]
    subprocess.run([*ignoring, *hook], check=True, timeout=60)
    assert (tmp_path / "exit").read_text() == "2"


def test_standard_streams_that_are_closed_do_not_mix_up_the_pipes(tmp_path):
    """An agent may start us without stdin, stdout and stderr."""
    closing = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    hook = [sys.executable, "-I", "-S", "-c", RUNNER, SOURCES, str(tmp_path), "echo out; echo err >&2; exit 5"]
    subprocess.run([*closing, *hook], check=True, timeout=60)
    assert (tmp_path / "exit").read_text() == "5"


def test_what_is_imported(tmp_path):
    """`subprocess`, `signal` and `enum` cost more than starting Python; none of them is needed."""
    script = RUNNER + "open(sys.argv[2] + '/modules', 'w').write(' '.join(sys.modules))"
    subprocess.run([sys.executable, "-I", "-S", "-c", script, SOURCES, str(tmp_path), ":"], check=True, timeout=60)
    loaded = set((tmp_path / "modules").read_text().split())
    assert not loaded & {"subprocess", "signal", "enum", "os", "re", "selectors", "threading", "json"}


def test_in_a_thread(tmp_path):
    """A server runs commands in its threads, where signals cannot be set."""
    import threading

    outcomes = []
    threads = [threading.Thread(target=lambda: outcomes.append(sh("exit 7", tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcome.exit_code for outcome in outcomes] == [7, 7, 7, 7]


def test_no_descriptor_is_left_open(tmp_path):
    """A server runs thousands: after success, failure and a timeout all pipes are closed."""
    sh(":", tmp_path)
    before = sorted(os.listdir("/dev/fd"))
    sh("exit 3", tmp_path, stdin=b"x" * 1_000_000)
    sh("sleep 30", tmp_path, timeout_s=0.2, stdin=b"x" * 1_000_000)
    with pytest.raises(FileNotFoundError):
        run(["/nope/sh"], cwd="/", env=ENVIRONMENT)
    assert sorted(os.listdir("/dev/fd")) == before


def test_a_signal_that_comes_while_the_child_is_started(tmp_path, monkeypatch):
    """It is not lost, and the child, whose number nobody knew yet, is ended all the same."""
    begin = process.start

    def start(*arguments):
        pid = begin(*arguments)
        wait_for(tmp_path / "group")
        os.kill(os.getpid(), signal.SIGTERM)
        return pid

    monkeypatch.setattr(process, "start", start)
    with pytest.raises(SystemExit) as leaving:
        sh("echo $$ > group; sleep 30 & wait", tmp_path)
    assert leaving.value.code == 143
    os.waitpid(group_of(tmp_path), 0)
    assert survivors(group_of(tmp_path)) == []
