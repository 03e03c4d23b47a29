"""Who imports whom, by the text of the files; and selection without a record."""

import marshal

import pytest

from hookwright.affected.projects import sorted_by_project
from hookwright.affected.python.graph import Graph
from hookwright.affected.python.imports import imports_of


@pytest.fixture
def graph(tmp_path):
    def build(files):
        for path, text in files.items():
            file = tmp_path / "p" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Graph(str(tmp_path / "p"), str(tmp_path / "cache"))

    return build


def test_forms_of_import(graph):
    """Absolute, relative, of a package, inside a function, of a namespace: each is an edge."""
    made = graph(
        {
            "src/pkg/__init__.py": "from .a import x",
            "src/pkg/a.py": "",
            "src/pkg/b.py": "from . import a\nfrom .sub.c import z",
            "src/pkg/sub/__init__.py": "",
            "src/pkg/sub/c.py": "from ..a import y\ndef f():\n    import ns.deep",
            "src/ns/deep.py": "",
            "tests/test_b.py": "import pkg.b as b",
        }
    )
    assert made.imported_by("src/pkg/__init__.py") == {"src/pkg/a.py"}
    assert made.imported_by("src/pkg/b.py") == {
        "src/pkg/__init__.py",
        "src/pkg/a.py",
        "src/pkg/sub/__init__.py",
        "src/pkg/sub/c.py",
    }
    assert made.imported_by("src/pkg/sub/c.py") == {"src/pkg/__init__.py", "src/pkg/a.py", "src/ns/deep.py"}
    assert made.imported_by("tests/test_b.py") == {"src/pkg/__init__.py", "src/pkg/b.py"}
    assert made.reaching(["src/ns/deep.py"])["tests/test_b.py"] == 3


def test_conftest_is_an_edge(graph):
    """A test depends on the conftests above it, and so on what they import."""
    made = graph({"conftest.py": "import helper", "helper.py": "", "tests/test_a.py": ""})
    assert "tests/test_a.py" in made.reaching(["helper.py"])


def test_plugins_and_dynamic_imports(graph):
    """Names in texts are edges; an import that is made up at run time reaches all that lies beside it."""
    made = graph(
        {
            "conftest.py": 'pytest_plugins = ["fixtures.one"]',
            "fixtures/one.py": "",
            "pkg/__init__.py": "import importlib\ndef load(n): return importlib.import_module('.' + n, __name__)",
            "pkg/hidden.py": "",
            "known.py": "import importlib\nimportlib.import_module('pkg.hidden')",
        }
    )
    assert made.imported_by("conftest.py") == {"fixtures/one.py"}
    assert "pkg/hidden.py" in made.imported_by("pkg/__init__.py")
    assert "pkg/hidden.py" in made.imported_by("known.py")


def test_names_that_tests_patch(graph):
    """A text that names what is replaced is an import of its module; any other call of that name is none."""
    made = graph(
        {
            "shop/__init__.py": "",
            "shop/price.py": "RATE = 1",
            "shop/other.py": "",
            "test_a.py": "from unittest import mock\n@mock.patch('shop.price.RATE', 2)\ndef test_a(_): pass",
            "test_b.py": "def test_b(monkeypatch): monkeypatch.setattr('shop.price.RATE', 2)",
            "test_c.py": "def test_c(client, url): client.patch(url, '/shop/price')",
        }
    )
    for path in ("test_a.py", "test_b.py"):
        assert made.imported_by(path) == {"shop/__init__.py", "shop/price.py"}
    assert made.imported_by("test_c.py") == set()


def test_deleted_file_is_reached_by_who_still_imports_it(graph):
    """Also where no run has recorded it."""
    made = graph({"pkg/__init__.py": "", "pkg/user.py": "from . import lost", "test_lost.py": "from pkg.lost import x"})
    made.expect(["pkg/lost.py", "pkg/user.py"])
    assert made.reaching(["pkg/lost.py"]) == {"pkg/lost.py": 0, "pkg/user.py": 1, "test_lost.py": 1}


def test_foreign_folders_are_not_looked_into(graph, tmp_path):
    """Environments, whatever they are called, and vendored code."""
    made = graph({"a.py": "", ".venv/lib/b.py": "", "env/pyvenv.cfg": "", "env/lib/c.py": "", "node_modules/d.py": ""})
    assert set(made.files) == {"a.py"}


def test_read_once_per_content(graph, tmp_path):
    """What is kept is used as long as a file is the same; a broken or old file of ours is made anew."""
    graph({"a.py": "import b", "b.py": ""})
    cache = tmp_path / "cache"
    kept = cache.read_bytes()
    graph({})
    assert cache.read_bytes() == kept
    cache.write_bytes(marshal.dumps((0, {})))
    assert graph({}).imported_by("a.py") == {"b.py"}
    cache.write_bytes(b"junk")
    assert graph({"a.py": "import c", "c.py": ""}).imported_by("a.py") == {"c.py"}


def test_broken_file_imports_nothing_we_know():
    assert imports_of(b"def (") == ([], True)


def test_selected_by_graph(shop):
    """Without a record: the tests that import it, the nearest first."""
    verdict = shop.edited("src/shop/price.py")
    assert (verdict.word, verdict.selection.kind) == ("passed", "graph")
    assert verdict.selection.tests == ["tests/test_price.py", "tests/test_cart.py"]
    assert verdict.selection.reasons["tests/test_cart.py"] == "imports src/shop/price.py, 2 steps away"
    assert verdict.report.passed == 5


def test_selected_by_name(make):
    """A file that no test imports is matched by its name."""
    project = make(
        {
            "pyproject.toml": "",
            "auth.py": "",
            "tests/test_auth.py": "def test_a(): pass",
            "tests/test_b.py": "def test_b(): pass",
        }
    )
    verdict = project.edited("auth.py")
    assert (verdict.word, verdict.selection.kind, verdict.report.ran) == (
        "passed",
        "name",
        ["tests/test_auth.py::test_a"],
    )


def test_all_when_nothing_else_is_known(make):
    project = make({"pyproject.toml": "", "alone.py": "", "tests/test_b.py": "def test_b(): pass"})
    verdict = project.edited("alone.py")
    assert (verdict.word, verdict.selection.kind, verdict.report.passed) == ("passed", "all", 1)
    assert project.edited("alone.py").word == "nothing"  # now every test is known, and none goes through it


EXAMPLE = {
    "code.toml": "",
    "goods.py": "X = 1\n",
    "tests/test_goods.py": "import goods\ndef test_it(): assert goods.X == 1\n",
}


@pytest.mark.parametrize(
    "more",
    [
        {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\ntestpaths = ["tests"]\n'},
        {"pytest.ini": "[pytest]\npythonpath = .\ntestpaths =\n    tests\n"},
        {"setup.cfg": "[tool:pytest]\npythonpath = .\ntestpaths = tests\n"},
        {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n', "examples/one/pyproject.toml": ""},
    ],
)
def test_only_the_projects_own_suite(make, more):
    """Tests beside `testpaths`, or of a project inside the project, are not ours to run."""
    broken = {"examples/one/tests/conftest.py": "import nowhere", "examples/one/tests/test_one.py": "import goods\n"}
    project = make({**EXAMPLE, **broken, **more})
    verdict = project.edited("goods.py")
    assert (verdict.word, verdict.report.ran) == ("passed", ["tests/test_goods.py::test_it"])
    project.write("goods.py", "X = 2\n")
    assert project.edited("goods.py").word == "failed"


def test_new_file_in_a_recorded_project(recorded):
    """A file that no record knows is looked up in the graph."""
    recorded.write("src/shop/tax.py", "def tax(): return 1\n")
    recorded.write("tests/test_tax.py", "from shop.tax import tax\ndef test_tax(): assert tax() == 2\n")
    verdict = recorded.edited("src/shop/tax.py")
    assert (verdict.selection.kind, [failure.test for failure in verdict.failures]) == (
        "graph",
        ["tests/test_tax.py::test_tax"],
    )


def test_names_of_tests_as_pytest_is_told(make):
    """`python_files`, `python_functions` and `testpaths` say what a test is; an edit of such a file triggers nothing."""
    project = make(
        {
            "pytest.ini": "[pytest]\npythonpath = .\npython_files = check_*.py specs/*.py\npython_functions = it_*\ntestpaths = checks\n",
            "goods.py": "X = 1\n",
            "checks/check_goods.py": "import goods\ndef it_is_one(): assert goods.X == 1\ndef test_not_me(): assert 0\n",
            "checks/specs/more.py": "import goods\ndef it_is_more(): assert goods.X\n",
            "other/check_other.py": "import goods\ndef it_is_elsewhere(): assert 0\n",
        }
    )
    verdict = project.edited("goods.py")
    ran = ["checks/check_goods.py::it_is_one", "checks/specs/more.py::it_is_more"]
    assert (verdict.word, verdict.selection.kind, sorted(verdict.report.ran)) == ("passed", "graph", ran)
    paths = [str(project.root / path) for path in ("checks/check_goods.py", "checks/specs/more.py", "goods.py")]
    sorted_out = sorted_by_project(paths, project.settings())
    assert [edit.files for edit in sorted_out.edits] == [["goods.py"]]
