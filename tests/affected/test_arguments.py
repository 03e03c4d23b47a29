"""What is passed to pytest: precise, and never too much for the system."""

from hypothesis import given
from hypothesis import strategies as st

from hookwright.affected.contract import Selection
from hookwright.affected.progress import bar, counted
from hookwright.affected.python.arguments import MOST_BYTES, arguments
from hookwright.affected.python.plugins import plugin_flags


def test_functions_without_parameters():
    """One argument for all parameters of a function; the plugin keeps to the selected ones."""
    chosen = Selection(
        "recorded", {"t/test_a.py::test_x[1]": "", "t/test_a.py::test_x[a::b]": "", "t/test_b.py": ""}, ("t/test_b.py",)
    )
    assert arguments(chosen) == ["t/test_a.py::test_x", "t/test_b.py"]


def test_all():
    assert arguments(Selection("all", {"": "asked for"}, ("",))) == []


@given(st.integers(1, 3000), st.integers(1, 60))
def test_never_too_many(tests, files):
    """Whole files stand for many functions, and nothing at all for too many files."""
    names = [
        f"tests/folder/test_{number % files}.py::TestClass::test_with_a_long_name_{number}" for number in range(tests)
    ]
    given = arguments(Selection("recorded", dict.fromkeys(names, "why")))
    assert sum(len(argument) + 1 for argument in given) <= MOST_BYTES
    assert {argument.split("::")[0] for argument in given} == {name.split("::")[0] for name in names}


def test_bar(tmp_path):
    assert bar(0, 0, 0) == "[------------------------------] collecting"
    assert bar(15, 1, 30) == "[###############---------------] 15/30, 1 failed"
    (tmp_path / "report.1").write_text(
        '{"kind": "collected", "tests": 2, "left_out": []}\n{"kind": "test", "outcome": "passed", "when": "teardown"}\n'
    )
    assert counted(str(tmp_path)) == (1, 0, 2)
    assert counted("/nowhere") == (0, 0, 0)


INSTALLED = {
    "anyio": "anyio.pytest_plugin",
    "pytest-testmon": "testmon.pytest_testmon",
    "pytest_cov": "pytest_cov.plugin",
    "xdist": "xdist.plugin",
    "xdist.looponfail": "xdist.looponfail",
    "mock": "pytest_mock",
}


def left_out(options="", mentioned=()):
    flags = plugin_flags(INSTALLED, options, set(mentioned))
    return {flag.removeprefix("no:") for flag in flags if flag != "-p"}


def test_plugins_that_do_nothing_are_left_out():
    """By the names of their entry points; one that we know nothing of always stays."""
    assert left_out() == {"anyio", "pytest-testmon", "pytest_cov", "xdist", "xdist.looponfail"}


def test_plugins_that_are_needed_stay():
    """Named by an option of pytest's, or by a mark, fixture or import in the tests; coverage data stays as it is."""
    assert left_out('{"addopts": "-n 2 --cov=src"}') == {"anyio", "pytest-testmon", "--no-cov"}
    assert left_out(mentioned=["anyio", "worker_id"]) == {"pytest-testmon", "pytest_cov"}
    assert left_out('{"required_plugins": "pytest-xdist"}') == {"--no-cov"}
