"""Which edits are worth a run, and whose they are."""

import pytest

from hookwright.affected.languages.python import is_test
from hookwright.affected.languages.table import language_of
from hookwright.affected.projects import sorted_by_project
from hookwright.affected.python.testfiles import named_after
from hookwright.affected.settings import Settings
from hookwright.affected.trigger import passed_over


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("src/latest_news.py", ""),
        ("src/contest.py", ""),
        ("src/testing/tools.py", ""),
        ("src/coverage/data.py", ""),
        ("src/django/test/client.py", ""),
        ("src/build/env.py", ""),
        ("tests/helpers.py", "it belongs to the tests"),
        ("src/__tests__/a.ts", "it belongs to the tests"),
        ("test/unit.py", "it belongs to the tests"),
        ("tests/test_a.py", "it is a test"),
        ("setup.py", "it is configuration"),
        ("vite.config.ts", "it is configuration"),
        ("docs/conf.py", "it is documentation"),
        ("api/service_pb2.py", "it is generated"),
        ("src/generated/api.py", "it is generated"),
        ("build/lib/a.py", "it is generated"),
        ("vendor/six.py", "it is not the project's own"),
        (".venv/lib/a.py", "it is not the project's own"),
    ],
)
def test_passed_over(path, why):
    """By the file's name and its folders, not by letters that happen to be in its path."""
    assert passed_over(path, is_test(path)) == why


@pytest.mark.parametrize("path", ["README.md", "a.json", "b.yaml", "pyproject.toml", "Makefile", "x.ipynb"])
def test_no_language(path):
    assert language_of(path) is None


@pytest.mark.parametrize("path", ["test_a.py", "pkg/a_test.py"])
def test_is_a_test(path):
    assert is_test(path)


@pytest.mark.parametrize("path", ["latest.py", "attest_x.py", "src/pkg/tests.py", "conftest.py", "test_data.json"])
def test_is_no_test(path):
    assert not is_test(path)


def test_named_after():
    files = ["tests/test_auth.py", "tests/auth_test.py", "tests/test_author.py", "tests/test_shop.py"]
    assert named_after("src/auth.py", files) == ["tests/auth_test.py", "tests/test_auth.py"]
    assert named_after("src/_auth.py", files) == ["tests/auth_test.py", "tests/test_auth.py"]
    assert named_after("src/shop/__init__.py", files) == ["tests/test_shop.py"]


def test_each_file_to_its_own_project(tmp_path):
    """The nearest marker above a file; what lies outside is nobody's."""
    for folder in ("one", "two/inner"):
        (tmp_path / "repo" / folder).mkdir(parents=True)
    (tmp_path / "repo/one/pyproject.toml").touch()
    (tmp_path / "repo/two/setup.cfg").touch()
    root = str((tmp_path / "repo").resolve())
    found = sorted_by_project(
        [f"{root}/one/a.py", f"{root}/two/inner/b.py", f"{root}/c.py", f"{root}/one/test_a.py", str(tmp_path / "d.py")],
        Settings(root),
    )
    assert [(edit.project.root.removeprefix(root), edit.files) for edit in found.edits] == [
        ("/one", ["a.py"]),
        ("/two", ["inner/b.py"]),
        ("", ["c.py"]),
    ]
    assert len({edit.project.state for edit in found.edits}) == 3
    assert found.passed_over[f"{root}/one/test_a.py"] == "it is a test"
    assert found.passed_over[str((tmp_path / "d.py").resolve())] == "it is outside the project"


def test_settings_of_one_project(tmp_path):
    """`projects` has the last word on a project of its own."""
    (tmp_path / "api").mkdir()
    (tmp_path / "api/pyproject.toml").touch()
    root = str(tmp_path.resolve())
    from hookwright.affected.settings import from_options, options_of

    settings = from_options(
        options_of({"budget": 5, "exclude": ["slow/**"], "projects": {"api/": {"budget": 20}}}), root
    )
    api, other = sorted_by_project([f"{root}/api/a.py", f"{root}/b.py"], settings).edits
    assert (api.project.budget_s, other.project.budget_s) == (20, 5)
    assert api.project.exclude == other.project.exclude != ()
