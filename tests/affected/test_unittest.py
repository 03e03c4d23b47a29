"""Projects without pytest: their tests are run by unittest, in real processes."""

import pytest

from hookwright.affected.languages import python
from hookwright.affected.message import message

FILES = {
    "pyproject.toml": "",
    "wares.py": "def f(): return 1\n",
    "tests/test_goods.py": """
        import unittest
        from wares import f

        class TestF(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                if f() == 3: raise RuntimeError("no class")
            def test_good(self): self.assertEqual(f(), 1)
            @unittest.skip("no")
            def test_skipped(self): pass
        """,
}


@pytest.fixture
def without_pytest(make):
    """A project whose interpreter is taken for one that has no pytest."""

    def build(files=(), **options):
        project = make({**FILES, **dict(files)}, **options)
        runner = python.runner(project.project())
        found = {"mark": python.mark(runner.facts["python"]), "has": {"version": [3, 11, 0], "pytest": False}}
        runner.facts["work"].store.keep("interpreter", found)
        return project

    return build


def test_passed_and_failed(without_pytest):
    """The ids are pytest's, the hint is a command that works."""
    project = without_pytest()
    verdict = project.edited("wares.py")
    assert (verdict.word, verdict.runner, verdict.report.passed, verdict.report.skipped) == ("passed", "unittest", 1, 1)
    project.write("wares.py", "def f(): return 2\n")
    verdict = project.edited("wares.py")
    assert [failure.test for failure in verdict.failures] == ["tests/test_goods.py::TestF::test_good"]
    assert "AssertionError: 2 != 1" in message(verdict)
    assert verdict.hint == "python -m unittest tests.test_goods"


def test_set_up_of_a_class(without_pytest):
    """It fails for all tests of its class, and is named by file and class."""
    verdict = without_pytest({"wares.py": "def f(): return 3\n"}).edited("wares.py")
    assert [failure.test for failure in verdict.failures] == ["tests/test_goods.py::TestF::setUpClass"]
    assert verdict.hint == "python -m unittest tests.test_goods"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def f(:", "SyntaxError"),
        ("g = 1", "ImportError: cannot import name 'f' from 'wares'"),
        ("import sys; sys.exit(0)", "SystemExit: 0"),
    ],
)
def test_file_that_cannot_be_imported(without_pytest, code, told):
    """Whatever ends its import is shown as the error it is, with the file's name."""
    verdict = without_pytest({"wares.py": code}).edited("wares.py")
    assert (verdict.word, verdict.problem) == ("error", "tests/test_goods.py could not be collected")
    assert told in message(verdict)
    assert verdict.hint == "python -m unittest tests.test_goods"


def test_process_that_ends_early_has_not_passed(without_pytest):
    """Exit code 0 without a word is no verdict."""
    verdict = without_pytest({"wares.py": "import os; os._exit(0)\n"}).edited("wares.py")
    assert (verdict.word, verdict.problem) == ("error", "unittest ended in the middle of the run, after 0 tests")


def test_all_finds_tests_in_a_folder_that_is_no_package(without_pytest):
    """Which `unittest discover` does not; and what is excluded stays out."""
    files = {"tests/slow/test_x.py": "import unittest\nclass T(unittest.TestCase):\n    def test_x(self): 1 / 0\n"}
    verdict = without_pytest(files, exclude=["tests/slow/**"]).record()
    assert (verdict.word, verdict.report.passed) == ("passed", 1)


def test_red_is_not_answered_from_the_record(without_pytest):
    """Unchanged since a run that failed: it is run again."""
    project = without_pytest({"wares.py": "def f(): return 2\n"})
    assert project.record().word == "failed"
    assert project.edited("wares.py").word == "failed"
