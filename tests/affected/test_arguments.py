"""What is passed to pytest: precise, and never too much for the system."""

from hypothesis import given
from hypothesis import strategies as st

from hookwright.affected.contract import Selection
from hookwright.affected.progress import bar, counted
from hookwright.affected.python.arguments import MOST_BYTES, arguments


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
