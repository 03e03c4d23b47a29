"""Selection by what each test really ran through, on real pytest runs."""

import os
import sys
from pathlib import Path

import pytest

from hookwright.affected.languages import python
from hookwright.affected.message import message

OTHER = "src/shop/price.py"


def selected(verdict):
    return sorted(verdict.selection.tests)


def test_only_tests_that_ran_the_function(recorded):
    """An edit inside a function runs the tests that ran through it, and no other."""
    recorded.replace(OTHER, "weight + 1", "weight + 2")
    verdict = recorded.edited(OTHER)
    assert (verdict.word, verdict.selection.kind) == ("failed", "recorded")
    assert selected(verdict) == ["tests/test_price.py::test_shipping"]
    assert verdict.selection.reasons["tests/test_price.py::test_shipping"] == "ran src/shop/price.py::shipping"


def test_breaks_and_is_mended(recorded):
    """A failing edit tells its assertion; edited back within the same second it passes again."""
    recorded.replace(OTHER, "weight + 1", "weight + 2")
    assert "assert 3 == 2" in message(recorded.edited(OTHER))
    recorded.replace(OTHER, "weight + 2", "weight + 1")
    verdict = recorded.edited(OTHER)
    assert verdict.word == "passed"
    assert message(verdict) == "✅ Tests passed (pytest)\n   1 passed"


def test_reached_through_another_module(recorded):
    """A test that calls it through another module is affected too."""
    recorded.replace(OTHER, "net * RATE", "net * RATE + 1")
    verdict = recorded.edited(OTHER)
    failed = sorted(failure.test for failure in verdict.failures)
    assert failed == [
        "tests/test_cart.py::test_total",
        "tests/test_price.py::test_gross[1-2]",
        "tests/test_price.py::test_gross[2-4]",
    ]


def test_constant(recorded):
    """A constant runs at import time: every test behind that import is affected."""
    recorded.replace(OTHER, "RATE = 2", "RATE = 3")
    verdict = recorded.edited(OTHER)
    assert verdict.word == "failed"
    assert len(verdict.failures) == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return weight + 1", "# a remark\n    return weight + 1"),
        ("return weight + 1", "return (weight\n            + 1)"),
        ('"""With tax."""', '"""Tax included."""'),
        ('"""Prices."""', "'''Other words.'''"),
    ],
)
def test_cosmetic(recorded, old, new):
    """Comments, formatting and docstrings run nothing."""
    recorded.replace(OTHER, old, new)
    verdict = recorded.edited(OTHER)
    assert (verdict.word, verdict.selection.tests, verdict.report.ran) == ("nothing", [], [])
    assert "only comments" in verdict.selection.note
    assert message(verdict) == ""


def test_unchanged(recorded):
    """The same content as in a green run is answered from the record."""
    verdict = recorded.edited(OTHER)
    assert verdict.word == "nothing"
    assert "unchanged since" in verdict.selection.note


def test_unchanged_since_a_red_run(shop):
    """Only a green run is answered from the record: what failed is run again."""
    shop.replace("src/shop/price.py", "weight + 1", "weight + 2")
    assert shop.record().word == "failed"
    verdict = shop.edited("src/shop/price.py")
    assert (verdict.word, selected(verdict)) == ("failed", ["tests/test_price.py::test_shipping"])


def test_shared_fixture(recorded):
    """What a module-wide fixture ran through counts for every test that uses it, not only for the first."""
    recorded.replace("src/shop/cart.py", "self.items.append(net)", "self.items.append(net + 1)")
    verdict = recorded.edited("src/shop/cart.py")
    assert selected(verdict) == ["tests/test_cart.py::test_items", "tests/test_cart.py::test_total"]
    assert len(verdict.failures) == 2


def test_failed_last_time_is_run_again(recorded):
    """A red test stays with its file until it is green, also when the next edit does not touch what it runs."""
    recorded.replace(OTHER, "weight + 1", "weight + 2")
    recorded.edited(OTHER)
    recorded.replace(OTHER, "net * RATE", "RATE * net")
    verdict = recorded.edited(OTHER)
    assert verdict.selection.tests[0] == "tests/test_price.py::test_shipping"
    assert [failure.test for failure in verdict.failures] == ["tests/test_price.py::test_shipping"]


def test_new_test_of_a_recorded_file(recorded):
    """A test that was written since is run as well."""
    recorded.write(
        "tests/test_more.py", "from shop.price import shipping\n\n\ndef test_more():\n    assert shipping(5) == 6\n"
    )
    recorded.replace(OTHER, "weight + 1", "weight + 2")
    verdict = recorded.edited(OTHER)
    assert "tests/test_more.py::test_more" in {failure.test for failure in verdict.failures}


def test_test_that_is_gone(recorded):
    """A known test that was deleted does not keep the others from running."""
    text = (recorded.root / "tests/test_price.py").read_text().partition("\n\ndef test_shipping")[0]
    recorded.write("tests/test_price.py", text + "\n")
    recorded.replace(OTHER, "net * RATE", "net * RATE + 1")
    verdict = recorded.edited(OTHER)
    assert verdict.word == "failed"
    assert len(verdict.failures) == 3


def test_deleted_file(recorded):
    """Deleting a module breaks the tests that ran through it: shown as the error it is."""
    (recorded.root / OTHER).unlink()
    verdict = recorded.edited(OTHER)
    assert verdict.word in ("failed", "error")
    assert "No module named 'shop.price'" in message(verdict)


def test_syntax_error(recorded):
    """A file that cannot be parsed is a collection error, not a failed test."""
    recorded.replace(OTHER, "def shipping(weight):", "def shipping(weight:")
    verdict = recorded.edited(OTHER)
    assert verdict.word == "error"
    assert message(verdict).startswith("⚠️ Test execution error: ")
    assert "SyntaxError" in message(verdict)


DATA = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "greeting.py": """
        from pathlib import Path

        def greeting():
            return (Path(__file__).parent / "greeting.txt").read_text().strip()
        """,
    "greeting.txt": "hello\n",
    "test_greeting.py": "from greeting import greeting\n\ndef test_it():\n    assert greeting() == 'hello'\n\ndef test_other():\n    pass\n",
}


def test_data_file(make):
    """A data file affects the tests that opened it."""
    project = make(DATA)
    project.record()
    project.write("greeting.txt", "bye\n")
    verdict = project.edited("greeting.txt")
    assert selected(verdict) == ["test_greeting.py::test_it"]
    assert verdict.word == "failed"


def test_examples_in_docstrings(make):
    """An edit of an example is no cosmetic one where doctest runs it; the tests of that function are not concerned."""
    files = {
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--doctest-modules"\n',
        "sums.py": 'def add(a, b):\n    """Add.\n\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n',
        "test_sums.py": "import sums\n\ndef test_add():\n    assert sums.add(1, 1) == 2\n",
    }
    project = make(files)
    assert project.record().report.passed == 2
    project.replace("sums.py", "    3\n", "    4\n")
    verdict = project.edited("sums.py")
    assert [failure.test for failure in verdict.failures] == ["sums.py::sums.add"]
    assert verdict.report.ran == ["sums.py::sums.add"]


ODD = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "odd.py": """
        import functools
        import threading
        from loads.loading import by_name

        def twice(function):
            @functools.wraps(function)
            def inner(*args):
                return function(*args) * 2
            return inner

        @twice
        def three():
            return 3

        class Base:
            limit = 10

            @property
            def size(self):
                return 1

            @staticmethod
            def kind():
                return "base"

        def in_thread():
            found = []
            thread = threading.Thread(target=lambda: found.append(from_thread()))
            thread.start()
            thread.join()
            return found

        def from_thread():
            return "thread"

        def lazily():
            import later
            return later.VALUE

        def generated():
            yield from (number + 1 for number in range(2))

        async def awaited():
            return 1

        def patched():
            return helper()

        def helper():
            return "real"
        """,
    "later.py": "VALUE = 7\n",
    "plugs/one.py": "VALUE = 1\n",
    "loads/loading.py": """
        import importlib

        def by_name(name):
            return importlib.import_module(f"plugs.{name}").VALUE
        """,
    "conftest.py": """
        import pytest

        def setting():
            return 5

        @pytest.fixture(scope="session", autouse=True)
        def session():
            yield setting()

        @pytest.fixture(params=[1, 2])
        def number(request):
            return request.param

        @pytest.fixture(scope="module")
        def opened():
            yield
            close()

        def close():
            return 1
        """,
    "test_odd.py": """
        import asyncio
        import odd

        def test_decorated(): assert odd.three() == 6
        def test_property(): assert odd.Base().size == 1
        def test_static(): assert odd.Base.kind() == "base"
        def test_class_level(): assert odd.Base.limit == 10
        def test_thread(): assert odd.in_thread() == ["thread"]
        def test_lazy(): assert odd.lazily() == 7
        def test_lazy_too(): assert odd.lazily() == 7
        def test_generator(): assert list(odd.generated()) == [1, 2]
        def test_async(): assert asyncio.run(odd.awaited()) == 1
        def test_patched(monkeypatch):
            monkeypatch.setattr(odd, "helper", lambda: "fake")
            assert odd.patched() == "fake"
        def test_number(number): assert number in (1, 2)
        def test_by_name(): assert odd.by_name("one") == 1
        def test_by_name_too(): assert odd.by_name("one") == 1
        def test_opened(opened): pass

        class TestSession:
            def test_session(self, session): assert session == 5
            def test_session_too(self, session): assert session == 5
        """,
}


@pytest.mark.parametrize(
    ("path", "old", "new", "fails"),
    [
        ("odd.py", "function(*args) * 2", "function(*args) * 3", ["test_decorated"]),
        ("odd.py", "return 3", "return 4", ["test_decorated"]),
        ("odd.py", "@twice\ndef three", "def three", ["test_decorated"]),
        ("odd.py", "return 1\n\n    @static", "return 2\n\n    @static", ["test_property"]),
        ("odd.py", 'return "base"', 'return "other"', ["test_static"]),
        ("odd.py", "limit = 10", "limit = 11", ["test_class_level"]),
        ("odd.py", 'return "thread"', 'return "other"', ["test_thread"]),
        ("later.py", "VALUE = 7", "VALUE = 8", ["test_lazy", "test_lazy_too"]),
        ("odd.py", "number + 1", "number + 2", ["test_generator"]),
        ("odd.py", "async def awaited():\n    return 1", "async def awaited():\n    return 2", ["test_async"]),
        ("odd.py", "return helper()", "return helper() * 2", ["test_patched"]),
        ("plugs/one.py", "VALUE = 1", "VALUE = 2", ["test_by_name", "test_by_name_too"]),
        ("conftest.py", "return 5", "return 6", ["TestSession::test_session", "TestSession::test_session_too"]),
    ],
)
def test_kinds_of_code(odd, path, old, new, fails):
    """Whatever kind of code an edit changes, exactly the tests that a whole run would fail are reported."""
    odd.replace(path, old, new)
    verdict = odd.edited(path)
    assert sorted(failure.test.removeprefix("test_odd.py::") for failure in verdict.failures) == fails


@pytest.fixture
def odd(make_recorded):
    return make_recorded("odd", ODD)


def test_end_of_a_shared_fixture(odd):
    """It came with a test that did not have the fixture: one that had it is run, for the other would not end it."""
    odd.replace("conftest.py", "return 1", "raise OSError")
    verdict = odd.edited("conftest.py")
    assert "test_odd.py::test_opened" in selected(verdict)
    assert [failure.text for failure in verdict.failures] == [("OSError",)]


def test_unused_helper_runs_nothing(odd):
    """A function that no test came through is nobody's business."""
    odd.replace("odd.py", 'return "real"', 'return "still"')
    assert odd.edited("odd.py").word == "nothing"


def test_processes(make):
    """Nothing is recorded in a process that a test starts: such a test runs after every change of code."""
    project = make(
        {
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            "tool.py": "def main():\n    print('ok')\n\ndef other():\n    return 1\n\nif __name__ == '__main__':\n    main()\n",
            "test_tool.py": """
                import multiprocessing, subprocess, sys
                import pytest
                import tool

                def test_runs():
                    assert subprocess.check_output([sys.executable, "tool.py"]) == b"ok\\n"

                @pytest.mark.parametrize("method", ["spawn", "forkserver"])
                def test_multiprocessing(method, capfd):
                    process = multiprocessing.get_context(method).Process(target=tool.main)
                    process.start()
                    process.join()
                    assert capfd.readouterr().out == "ok\\n"

                def test_other():
                    assert tool.other() == 1
                """,
        }
    )
    assert project.record().word == "passed"
    project.replace("tool.py", "'ok'", "'no'")
    verdict = project.edited("tool.py")
    assert sorted(failure.test.partition("::")[2] for failure in verdict.failures) == [
        "test_multiprocessing[forkserver]",
        "test_multiprocessing[spawn]",
        "test_runs",
    ]


def test_under_xdist(make):
    """A project that always runs with xdist is recorded in its workers."""
    pytest.importorskip("xdist")
    project = make(
        {
            **{path: text for path, text in DATA.items() if path != "pyproject.toml"},
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "-n 2"\n',
        }
    )
    assert project.record().word == "passed"
    project.replace("greeting.py", ".strip()", "")
    verdict = project.edited("greeting.py")
    assert selected(verdict) == ["test_greeting.py::test_it"]
    assert verdict.word == "failed"


def test_nothing_is_left_in_the_project(recorded):
    """No file of ours but those in .hookwright."""
    names = {path.name for path in recorded.root.iterdir()}
    assert names <= {"pyproject.toml", "src", "tests", ".hookwright", ".pytest_cache"}
    assert not list(recorded.root.glob(".hookwright/state/*/run-*"))
    assert sys.version_info >= (3, 11)


def test_what_a_killed_run_left_is_cleared(recorded):
    """Whoever has the turn knows that no other run is on."""
    project = recorded.project()
    left = Path(project.file("run-1"))
    left.mkdir()
    runner = python.runner(project)
    python.argv(project, runner, python.select_all(project, runner))
    assert [path.name for path in left.parent.glob("run-*")] == [f"run-{os.getpid()}"]


def test_hook_of_a_conftest(make):
    """A hook runs outside of every test: all tests below its conftest are affected."""
    project = make(
        {
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            "chosen.py": "def numbers():\n    return [1, 2]\n",
            "conftest.py": "import chosen\n\ndef pytest_generate_tests(metafunc):\n    if 'n' in metafunc.fixturenames:\n        metafunc.parametrize('n', chosen.numbers())\n",
            "test_a.py": "def test_n(n):\n    assert n < 3\n",
        }
    )
    assert project.record().report.passed == 2
    project.replace("chosen.py", "[1, 2]", "[1, 2, 3]")
    verdict = project.edited("chosen.py")
    assert set(verdict.selection.tests) == {"test_a.py::test_n[1]", "test_a.py::test_n[2]"}
    assert [failure.test for failure in verdict.failures] == ["test_a.py::test_n[3]"]


def test_tests_that_run_pytest(make):
    """A run inside a test, in the same process or another, is none of ours."""
    project = make(
        {
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            "goods.py": "X = 1\n",
            "conftest.py": 'pytest_plugins = ["pytester"]\n',
            "test_goods.py": """
                import os
                import goods

                def test_inner(pytester):
                    pytester.makepyfile("def test_inner(): assert 0")
                    pytester.runpytest_inprocess().assert_outcomes(failed=1)
                    pytester.runpytest_subprocess().assert_outcomes(failed=1)

                def test_environment():
                    assert not [name for name in os.environ if "HOOKWRIGHT" in name]
                    assert "hookwright" not in os.environ.get("PYTHONPATH", "") + os.environ.get("PYTEST_PLUGINS", "")
                """,
        }
    )
    verdict = project.record()
    assert (verdict.word, sorted(verdict.report.ran)) == (
        "passed",
        ["test_goods.py::test_environment", "test_goods.py::test_inner"],
    )


def test_test_with_a_tracer_of_its_own(make):
    """Tests that trace, and those after them, are not taken for tests that ran through nothing."""
    project = make(
        {
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            "goods.py": "def f():\n    return 1\n",
            "test_goods.py": "import sys\nimport goods\n\ndef test_1():\n    sys.settrace(None)\n    assert goods.f() == 1\n\ndef test_2():\n    assert goods.f() == 1\n",
        }
    )
    assert project.record().word == "passed"
    project.replace("goods.py", "return 1", "return 2")
    assert len(project.edited("goods.py").failures) == 2


def test_imported_by_a_conftest(make):
    """pytest imports the first conftests, and the project with them, before it is set up: that is recorded too."""
    project = make(
        {
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\ntestpaths = ["tests"]\n',
            "goods.py": "LIMIT = 3\n\n\ndef under(x):\n    return x < LIMIT\n",
            "tests/conftest.py": "import pytest\nimport goods\n\n@pytest.fixture\ndef under():\n    return goods.under\n",
            "tests/test_goods.py": "def test_under(under):\n    assert under(2)\n",
        }
    )
    assert project.record().word == "passed"
    project.replace("goods.py", "LIMIT = 3", "LIMIT = 1")
    verdict = project.edited("goods.py")
    assert (verdict.selection.kind, len(verdict.failures)) == ("recorded", 1)
    project.replace("goods.py", "LIMIT = 1", "LIMIT = 1  # low")
    project.replace("goods.py", "LIMIT = 1", "LIMIT = 3")
    assert project.edited("goods.py").word == "passed"
    project.replace("goods.py", "# low", "# high")
    assert project.edited("goods.py").word == "nothing"


def test_failing_test_stays_with_what_it_ran_through_before(make):
    """It failed before it came there; the mend is made there, and it is run."""
    project = make(
        {
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            "first.py": "def f():\n    return 1\n",
            "second.py": "def g(x):\n    return x\n",
            "test_both.py": "import first, second\n\ndef test_both():\n    one = first.f()\n    assert second.g(one) == one\n",
        }
    )
    assert project.record().word == "passed"
    project.replace("first.py", "return 1", "raise ValueError")
    assert project.edited("first.py").word == "failed"
    project.replace("second.py", "return x", "return x * 1")
    assert selected(project.edited("second.py")) == ["test_both.py::test_both"]


def test_new_function_at_module_level(recorded):
    """Nobody could have used it: only the tests of the function that does now are run."""
    recorded.replace(OTHER, "return weight + 1", "return step(weight)")
    recorded.replace(
        OTHER, "def shipping", "import math\n\n\ndef step(weight):\n    return math.floor(weight) + 1\n\n\ndef shipping"
    )
    verdict = recorded.edited(OTHER)
    assert (verdict.word, selected(verdict)) == ("passed", ["tests/test_price.py::test_shipping"])
    recorded.replace(OTHER, "def step", "def stop")
    assert recorded.edited(OTHER).word == "failed"


def test_new_function_that_somebody_looks_for(recorded):
    """A test that looks at all names of a module is run for a new one."""
    recorded.write(
        "tests/test_names.py",
        "import inspect\nimport shop.price\n\ndef test_names():\n    assert len(inspect.getmembers(shop.price, inspect.isfunction)) == 2\n",
    )
    assert recorded.record().word == "passed"
    recorded.replace(OTHER, "def shipping", "def new():\n    pass\n\n\ndef shipping")
    assert "tests/test_names.py::test_names" in {failure.test for failure in recorded.edited(OTHER).failures}
