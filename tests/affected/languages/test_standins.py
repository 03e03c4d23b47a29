"""Runners that CI does not have, on stand-ins that leave behind what the tools do: the same matrix as the live ones."""

import shutil
from pathlib import Path

import pytest

from hookwright.affected import run
from hookwright.affected.languages.table import language
from hookwright.affected.message import message
from hookwright.affected.projects import real

from .standins import RECORDED, ROWS, Row, install

BY_RUNNER = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.runner.replace(" ", "-"))
ANOTHER = pytest.mark.parametrize("scene", ["passing", "failing"])


@pytest.fixture
def at_work(workshop, monkeypatch, tmp_path):
    """A fixture project whose runner is a stand-in that plays one scene, which a test may change."""

    def build(row: Row, scene: str = "passing"):
        project = workshop(row.folder, row.language)
        if row.resolved:
            project.write(row.resolved, "{}")
        install(tmp_path / "bin", row.tools)
        shutil.copytree(RECORDED / row.folder / scene, tmp_path / "scene")
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        monkeypatch.setenv("STAND_IN_SCENE", str(tmp_path / "scene"))
        return project

    return build


def report_file(row: Row, scene: Path) -> Path:
    """Where a scene holds what the runner reports."""
    return scene / ("stdout" if row.language == "dart" else "report")


@BY_RUNNER
def test_pass(at_work, row):
    """An edit that reaches only passing tests."""
    verdict = at_work(row).edited(row.passing)
    assert (verdict.word, verdict.runner, verdict.selection.kind) == ("passed", row.runner, "graph"), message(verdict)
    assert message(verdict) == f"✅ Tests passed ({row.runner})\n   1 passed"


@BY_RUNNER
def test_fail(at_work, row):
    """One failing among passing tests, two imports away from the edit: failed, with its assertion and a hint."""
    verdict = at_work(row, "failing").edited(row.failing)
    assert [failure.test for failure in verdict.failures] == [row.failed], message(verdict)
    lines = message(verdict).splitlines()
    assert lines[:2] == [f"❌ Tests failed ({row.runner})", "   1 failed, 2 passed"]
    assert row.says in message(verdict)
    assert verdict.failures[0].line, "the source line of the assertion is shown"
    assert verdict.hint == row.hint


@BY_RUNNER
def test_command(at_work, row, tmp_path):
    """The command is an argument list, in a folder with a name that a shell would trip over."""
    project = at_work(row, "failing")
    command = project.edited(row.failing).command
    assert command[0] == str(tmp_path / "bin" / row.tools[0])
    assert len(command) == 1 + len(row.words)
    for said, wanted in zip(command[1:], row.words, strict=True):
        before, mark, after = wanted.partition("{report}")
        if mark:
            assert said.startswith(f"{before}{real(str(project.top))}/.hookwright/state/") and said.endswith(after)
        elif wanted.startswith("{ours}"):
            assert said.endswith(wanted.removeprefix("{ours}")) and Path(said).is_file()
        else:
            assert said == wanted


@BY_RUNNER
def test_compile_error(at_work, row):
    """What cannot be compiled is an error of its own, with the compiler's words and their place."""
    project = at_work(row, "broken")
    project.replace(*row.broken)
    verdict = project.edited(row.broken[0])
    assert (verdict.word, verdict.failures) == ("error", []), message(verdict)
    assert row.complaint in message(verdict)


@BY_RUNNER
def test_timeout(at_work, row, tmp_path):
    """A run that does not end in time is stopped, and said to be."""
    project = at_work(row)
    (tmp_path / "scene" / "sleep").write_text("yes")
    report_file(row, tmp_path / "scene").unlink()
    verdict = project.edited(row.passing, budget=1)
    assert (verdict.word, verdict.cut_off) == ("timeout", True), message(verdict)
    assert message(verdict).startswith("⏱️ Test execution timeout (1s exceeded)")


@BY_RUNNER
def test_nothing_to_run(at_work, row):
    """No test depends on it: nothing is started, and nothing is said."""
    verdict = at_work(row).edited(row.untested)
    assert (verdict.word, verdict.command, message(verdict)) == ("nothing", [], "")
    assert verdict.selection.note == "no test depends on it"


@BY_RUNNER
def test_runner_missing(at_work, row, tmp_path):
    """Where the tool is not installed there is no framework: silence."""
    project = at_work(row)
    (tmp_path / "bin" / row.tools[0]).unlink()
    assert run.affected(project.project(), [row.passing]) is None


@BY_RUNNER
def test_runner_missing_by_hand(at_work, row, tmp_path, run_cli):
    """Whoever asks for it is told what is missing, and that it could not be run."""
    project = at_work(row)
    (tmp_path / "bin" / row.tools[0]).unlink()
    answer = run_cli("test", row.passing, cwd=project.top)
    assert (answer.exit_code, answer.stderr) == (3, "")
    assert answer.stdout.startswith("⚠️ Test execution error: ") and f"in {row.language} is known" in answer.stdout
    assert row.runner in answer.stdout.splitlines()[0]


def test_no_runner_and_no_tests(at_work, tmp_path, run_cli):
    """Where there are no tests nothing is missing: nothing to run, also by hand."""
    project = at_work(ROWS[0])
    shutil.rmtree(project.top / "spec")
    (tmp_path / "bin" / "rspec").unlink()
    answer = run_cli("test", ROWS[0].passing, cwd=project.top)
    assert (answer.exit_code, answer.stdout.startswith("Nothing to run: there are no tests in ruby here.")) == (0, True)


@BY_RUNNER
def test_runner_that_cannot_be_started(at_work, row, tmp_path):
    """A tool that is there and cannot be started is an error that says so."""
    project = at_work(row)
    (tmp_path / "bin" / row.tools[0]).write_text("#!/no/such/interpreter\n")
    verdict = project.edited(row.passing)
    assert verdict.word == "error"
    assert "cannot be started: No such file or directory" in message(verdict)


@BY_RUNNER
def test_all(at_work, row):
    """Every test is asked for, and one of them fails."""
    verdict = at_work(row, "failing").everything()
    assert (verdict.word, verdict.selection.kind, len(verdict.failures)) == ("failed", "all", 1), message(verdict)


@BY_RUNNER
def test_excluded(at_work, row):
    """Files of tests that the user leaves out are not run."""
    exclude = ["**/*cart*", "**/*Cart*"]
    verdict = at_work(row).edited(row.failing, exclude=exclude)
    assert verdict.word == "passed", message(verdict)
    assert not any("cart" in test.lower() for test in verdict.selection.tests)


@BY_RUNNER
def test_own_command(at_work, row, tmp_path):
    """The user's own command gets the tests in their place, and its exit code decides."""
    install(tmp_path / "own", ("mine",))
    project = at_work(row)
    for name in ("stdout", "stderr", "report"):
        (tmp_path / "scene" / name).unlink(missing_ok=True)
    (tmp_path / "scene" / "exit").write_text("1")
    command = [str(tmp_path / "own" / "mine"), "--now", "{tests}"]
    verdict = project.edited(row.passing, commands={row.language: command})
    assert (verdict.word, verdict.command) == ("failed", [*command[:2], *verdict.selection.tests])
    assert len(verdict.selection.tests) == 1


@BY_RUNNER
@ANOTHER
def test_truncated_report(at_work, row, scene, tmp_path):
    """A report that breaks off is never taken for a pass, whatever the exit code says."""
    project = at_work(row, scene)
    file = report_file(row, tmp_path / "scene")
    whole = file.read_text(encoding="utf-8").rstrip()
    (tmp_path / "scene" / "exit").write_text("0")
    for part in (0.4, 0.95):
        file.write_text(whole[: int(len(whole) * part)], encoding="utf-8")
        verdict = project.edited(row.failing)
        assert verdict.word in ("error", "failed"), (part, message(verdict))


@BY_RUNNER
def test_no_report(at_work, row, tmp_path):
    """Without a report exit code 0 is no pass, and another one is an error that shows the last words."""
    project = at_work(row)
    for file in ("report", "report-swift-testing", "stdout"):
        (tmp_path / "scene" / file).unlink(missing_ok=True)
    (tmp_path / "scene" / "stderr").write_text("no such option")
    assert project.edited(row.passing).word == "nothing"
    (tmp_path / "scene" / "exit").write_text("1")
    verdict = project.edited(row.passing)
    assert (verdict.word, verdict.problem) == (
        "error",
        f"{row.runner} ended with exit code 1, and no report\nno such option",
    )


@pytest.mark.parametrize(
    ("row", "ending"),
    [(ROWS[0], "_spec.rb"), (ROWS[3], "_test.exs"), (ROWS[5], "_test.dart")],
    ids=["rb", "exs", "dart"],
)
def test_path_like_an_option(at_work, row, ending):
    """A file of tests whose name begins with a dash is still a file."""
    project = at_work(row)
    name = f"--require=x; rm -rf ü{ending}"
    project.write(name, "")
    assert project.edited(name).command[-1] == f"./{name}"


def test_locale(at_work, monkeypatch):
    """Where nobody chose a locale, ruby is given one in which it can read the names of files."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    workshop = at_work(ROWS[0])
    for said, given in ((None, b"C.UTF-8"), ("de_DE.UTF-8", None), ("C", b"C.UTF-8")):
        if said:
            monkeypatch.setenv("LANG", said)
        project = workshop.project()
        assert language("ruby").runner(project) is not None
        assert project.environment.get(b"LC_ALL") == given


def test_words_of_ruby(at_work, tmp_path):
    """ruby tells what is wrong before it tells how it came there: the first lines are shown."""
    project = at_work(ROWS[1])
    (tmp_path / "scene" / "report").unlink()
    (tmp_path / "scene" / "exit").write_text("1")
    trace = "".join(f"\tfrom setup.rb:{line}:in `setup'\n" for line in range(20))
    (tmp_path / "scene" / "stderr").write_text(f"Could not find gem 'nope' (Bundler::GemNotFound)\n{trace}")
    assert "Could not find gem 'nope'" in message(project.edited(ROWS[1].passing))


@BY_RUNNER
def test_report_of_an_earlier_run(at_work, row, tmp_path):
    """What an earlier run left behind does not answer for a later one."""
    project = at_work(row)
    assert project.edited(row.passing).word == "passed"
    for file in ("report", "report-swift-testing", "stdout"):
        (tmp_path / "scene" / file).unlink(missing_ok=True)
    assert project.edited(row.passing).word == "nothing"


@BY_RUNNER
def test_crash_after_the_report(at_work, row, tmp_path):
    """All tests passed and the runner failed all the same: an error, not a pass."""
    project = at_work(row)
    (tmp_path / "scene" / "exit").write_text("70")
    verdict = project.edited(row.passing)
    assert verdict.word == "error"
    assert f"{row.runner} ended with exit code 70, and no test failed" in verdict.problem


@BY_RUNNER
def test_failures_with_exit_code_0(at_work, row, tmp_path):
    """A failing test in the report counts, also where the user's options make the runner end well."""
    project = at_work(row, "failing")
    (tmp_path / "scene" / "exit").write_text("0")
    assert project.edited(row.failing).word == "failed"


def test_some_of_the_tests(at_work, tmp_path):
    """How many there are is told where the runner said so, and left out where only files are known."""
    minitest = ROWS[1]
    project = at_work(minitest, "failing")
    (tmp_path / "scene" / "sleep").write_text("yes")
    told = (tmp_path / "scene" / "report").read_text().splitlines(keepends=True)
    passed = [line for line in told if '"passed"' in line]
    (tmp_path / "scene" / "report").write_text(told[0] + passed[0])
    verdict = project.edited(minitest.failing, budget=4)
    assert "\n   1 of 3 affected tests ran: 1 passed\n" in message(verdict)
    verdict.report.collected = None
    assert "\n   1 test ran: 1 passed\n" in message(verdict)
