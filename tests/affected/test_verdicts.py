"""Verdicts follow exit code and report, and messages say what a model needs: on real runs."""

import os
import time

import pytest

from hookwright.affected.contract import Failure, Report, Selection
from hookwright.affected.message import message
from hookwright.affected.verdict import Verdict

HEAD = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\nmarkers = ["slow", "integration"]\n',
    "goods.py": "X = 1\n",
}


def test_mixed_run_is_failed(make):
    """One failed test among passing and skipped ones: failed, with the assertion and the command to see more."""
    project = make(
        {
            **HEAD,
            "test_goods.py": """
                import pytest

                def test_good():
                    pass

                def test_bad():
                    value = 3
                    assert value == 4, "not four"

                @pytest.mark.skip
                def test_skipped():
                    pass

                @pytest.mark.xfail(strict=True)
                def test_expected():
                    raise ValueError
                """,
        }
    )
    verdict = project.edited("goods.py")
    assert verdict.word == "failed"
    lines = message(verdict).splitlines()
    assert lines[:3] == ["❌ Tests failed (pytest)", "   1 failed, 1 passed, 2 skipped", "   test_goods.py::test_bad"]
    assert "     AssertionError: not four" in lines
    assert lines[-2].startswith("     at test_goods.py:") and lines[-2].endswith('assert value == 4, "not four"')
    assert lines[-1] == "   Hint: Run 'python -m pytest test_goods.py::test_bad' for details"


def test_words_in_output_decide_nothing(make):
    """A passing test that prints "1 failed" has passed."""
    project = make({**HEAD, "test_goods.py": "def test_a():\n    print('=== 1 failed in 0.1s ===')\n"})
    assert project.edited("goods.py").word == "passed"


def test_error_in_fixture_is_failed(make):
    project = make(
        {
            **HEAD,
            "test_goods.py": "import pytest\n@pytest.fixture\ndef it():\n    raise RuntimeError('no it')\ndef test_a(it):\n    pass\n",
        }
    )
    verdict = project.edited("goods.py")
    assert (verdict.word, verdict.report.passed) == ("failed", 0)
    assert "RuntimeError: no it" in message(verdict)


def test_nothing_collected_is_no_failure(make):
    """Exit code 5, or only skipped tests: nothing ran, and nothing is said."""
    project = make({**HEAD, "test_goods.py": "def helper(): pass\n"})
    verdict = project.edited("goods.py")
    assert (verdict.word, message(verdict)) == ("nothing", "")
    project.write("test_goods.py", "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n")
    assert project.edited("goods.py").word == "nothing"


def test_timeout(make):
    """At the deadline the group dies, and the message says how far it came."""
    project = make(
        {**HEAD, "test_goods.py": "import time\ndef test_a(): pass\ndef test_b(): time.sleep(60)\ndef test_c(): pass\n"}
    )
    began = time.monotonic()
    verdict = project.edited("goods.py", budget=4)
    assert time.monotonic() - began < 30
    assert verdict.word == "timeout"
    assert message(verdict).splitlines()[:2] == [
        "⏱️ Test execution timeout (4s exceeded)",
        "   1 of 3 affected tests ran: 1 passed",
    ]
    assert "Hint: Run 'python -m pytest" in message(verdict)


def test_failure_before_the_deadline(make):
    """A cut-off run that has seen a failure reports it."""
    project = make({**HEAD, "test_goods.py": "import time\ndef test_a(): assert 0\ndef test_b(): time.sleep(60)\n"})
    verdict = project.edited("goods.py", budget=4)
    assert (verdict.word, verdict.cut_off) == ("failed", True)
    assert "1 of 2 affected tests ran within 4s: 1 failed, 0 passed" in message(verdict)


def test_collection_error(make):
    """A test file that cannot be imported is an error of its own; the others still run."""
    project = make({**HEAD, "test_goods.py": "import nowhere_to_be_found\n", "test_more.py": "def test_a(): pass\n"})
    verdict = project.edited("goods.py")
    assert verdict.word == "error"
    assert message(verdict).startswith("⚠️ Test execution error: test_goods.py could not be collected")
    assert "No module named 'nowhere_to_be_found'" in message(verdict)
    assert verdict.report.broken[0].text[0] == "test_goods.py:1: in <module>"  # not how pytest came there


def test_crash(make):
    """A run that dies by a signal could not be run."""
    project = make({**HEAD, "test_goods.py": "import os\ndef test_a(): os.kill(os.getpid(), 9)\n"})
    verdict = project.edited("goods.py")
    assert (verdict.word, verdict.problem) == ("error", "pytest was killed by signal 9")


def test_usage_error(make):
    """A project whose own options are wrong."""
    project = make(
        {
            **HEAD,
            "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--no-such-option"\n',
            "test_goods.py": "def test_a(): pass\n",
        }
    )
    verdict = project.edited("goods.py")
    assert verdict.word == "error"
    assert "--no-such-option" in message(verdict)


def test_first_failure_of_the_users_does_not_end_it(make):
    """`-x` in the project's options would hide the other failures."""
    ini = '[tool.pytest.ini_options]\naddopts = "-x"\n'
    project = make({**HEAD, "pyproject.toml": ini, "test_goods.py": "def test_a(): assert 0\ndef test_b(): assert 0\n"})
    assert len(project.edited("goods.py").failures) == 2


SLOW = "import pytest\ndef test_a(): pass\n@pytest.mark.slow\ndef test_b(): assert 0\n@pytest.mark.integration\ndef test_c(): assert 0\n"


def test_slow_tests_are_left_out_and_named(make):
    project = make({**HEAD, "test_goods.py": SLOW})
    verdict = project.edited("goods.py")
    assert verdict.word == "passed"
    assert "left out: test_goods.py::test_b (slow), test_goods.py::test_c (integration)" in message(verdict)


def test_marks_to_leave_out_can_be_chosen(make):
    project = make({**HEAD, "test_goods.py": SLOW})
    assert len(project.edited("goods.py", leaveOut=["slow"]).failures) == 1


def test_exclude(make):
    """Excluded tests are never selected."""
    project = make(
        {**HEAD, "test_goods.py": "def test_a(): pass\n", "tests/integration/test_x.py": "def test_x(): assert 0\n"},
        exclude=["tests/integration/**"],
    )
    verdict = project.edited("goods.py")
    assert (verdict.word, verdict.report.ran) == ("passed", ["test_goods.py::test_a"])


def test_command_of_the_user(make):
    """{tests} stands for the selected tests; our report is there all the same."""
    command = {"python": ["python", "-m", "pytest", "-q", "{tests}"]}
    project = make({**HEAD, "test_goods.py": "import goods\ndef test_a(): assert 0\n"}, commands=command)
    verdict = project.edited("goods.py")
    assert (verdict.word, verdict.command[0], verdict.report.found) == (
        "failed",
        os.environ["VIRTUAL_ENV"] + "/bin/python",
        True,
    )
    assert verdict.hint == "python -m pytest -q test_goods.py::test_a"


@pytest.mark.parametrize(("code", "word"), [(0, "passed"), (1, "failed"), (2, "failed"), (127, "error")])
def test_command_without_a_report(make, code, word):
    """Any other program is judged by its exit code; make ends with 2 where tests fail."""
    project = make({**HEAD, "test_goods.py": ""}, commands={"python": ["sh", "-c", f"echo 1 failed >&2; exit {code}"]})
    assert project.edited("goods.py").word == word


def test_command_that_is_missing(make):
    project = make({**HEAD, "test_goods.py": ""}, commands={"python": ["no-such-program"]})
    assert message(project.edited("goods.py")).startswith("⚠️ Test execution error: no-such-program cannot be started")


def failed(text, count=1):
    failures = [
        Failure(f"tests/test_{n}.py::test_it", (text,), f"tests/test_{n}.py:3", "assert x") for n in range(count)
    ]
    report = Report(failures=failures, passed=1, found=True)
    return Verdict(
        "failed", "python", "pytest", Selection("recorded"), report=report, failures=failures, hint="pytest tests"
    )


def test_at_most_a_thousand_characters():
    """However much failed, the message is short and its hint is there."""
    told = message(failed("x" * 290, 40))
    assert len(told) <= 1000
    assert told.endswith("Hint: Run 'pytest tests' for details")
    assert len(message(failed("y" * 5000, 3), 200)) <= 200


def test_secrets_are_masked():
    told = message(failed("assert 'sk-abcdefgh12345678' == 'ghp_abcdefghij0123456789'"))
    assert "abcdefgh" not in told


def test_no_terminal_tricks():
    assert "\x1b" not in message(failed("\x1b[31mred\x1b[0m"))


def test_same_failure_has_the_same_text():
    """Where an object lies in memory says nothing, and a gate would take it for another reason each time."""
    told = [message(failed(f"where 2 = <function f at 0x7f48fb036c{n:02x}>()")) for n in (0, 255)]
    assert told[0] == told[1]
    assert "<function f>" in told[0]


def test_many_failures_are_counted():
    assert "... and 2 more" in message(failed("short", 7))


def test_run_that_ends_in_the_middle_has_not_passed(make):
    """A test that ends the whole process with exit code 0 leaves the others untried."""
    project = make(
        {**HEAD, "test_goods.py": "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\ndef test_c(): assert 0\n"}
    )
    verdict = project.edited("goods.py")
    assert (verdict.word, verdict.problem) == ("error", "pytest ended in the middle of the run, after 1 tests")


@pytest.mark.parametrize("end", ["import os; os._exit(0)", "raise SystemExit(0)"])
def test_run_that_ends_before_the_first_test_has_not_passed(make, end):
    """Nor does one whose conftest ends it with exit code 0, before pytest is set up."""
    project = make({**HEAD, "conftest.py": end, "test_goods.py": "def test_a(): assert 0\n"})
    verdict = project.edited("goods.py")
    assert (verdict.word, verdict.problem) == ("error", "pytest ended in the middle of the run, after 0 tests")


def test_failed_always_tells_how_many_passed():
    """`1 failed, 0 passed`: also when nothing did."""
    verdict = failed("assert 0")
    assert message(verdict).splitlines()[1] == "   1 failed, 1 passed"
    verdict.report.passed = 0
    assert message(verdict).splitlines()[1] == "   1 failed, 0 passed"
