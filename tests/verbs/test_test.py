"""`hookwright test` and `hookwright languages`, as a person or a program uses them."""

import argparse
import json
import os
import subprocess
import sys

import pytest

from hookwright.errors import Refusal
from hookwright.verbs import test as verb

FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\nmarkers = ["slow"]\n',
    "price.py": "def gross(net):\n    return net * 2\n\n\ndef other():\n    return 1\n",
    "test_price.py": "import pytest\nimport price\n\n\ndef test_gross():\n    assert price.gross(1) == 2\n\n\ndef test_other():\n    assert price.other() == 1\n\n\n@pytest.mark.slow\ndef test_slow():\n    assert price.other() == 1\n",
}
KEYS = [
    "verdict",
    "language",
    "runner",
    "command",
    "selected",
    "failed",
    "passed",
    "skipped",
    "selection",
    "reasons",
    "took_ms",
]


@pytest.fixture
def project(tmp_path, monkeypatch):
    for path, text in FILES.items():
        (tmp_path / path).write_text(text)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *words):
    parser = argparse.ArgumentParser()
    verb.arguments(parser)
    code = verb.main(parser.parse_args(words))
    return code, capsys.readouterr().out


def as_json(capsys, *words):
    code, out = call(capsys, "--json", *words)
    return code, json.loads(out)


def test_document(project, capsys):
    """One JSON document with every promised key."""
    code, told = as_json(capsys, "price.py")
    assert code == 0
    assert [key for key in KEYS if key not in told] == []
    assert (told["verdict"], told["language"], told["runner"], told["selection"]) == (
        "passed",
        "python",
        "pytest",
        "graph",
    )
    assert sorted(told["selected"]) == ["test_price.py::test_gross", "test_price.py::test_other"]
    assert told["passed"] == 2
    assert told["left_out"] == [["test_price.py::test_slow", "slow"]]


def test_all_then_one(project, capsys):
    """--all records everything, slow tests too; then an edit runs only what it touches, and exit 1 says "failed"."""
    code, told = as_json(capsys, "--all")
    assert (code, told["verdict"], told["passed"], told["selection"]) == (0, "passed", 3, "all")
    (project / "price.py").write_text(FILES["price.py"].replace("net * 2", "net * 3"))
    code, told = as_json(capsys, "price.py")
    assert (code, told["failed"], told["selected"]) == (1, ["test_price.py::test_gross"], ["test_price.py::test_gross"])
    assert told["reasons"] == {"test_price.py::test_gross": "ran price.py::gross"}
    (project / "price.py").unlink()  # the record knows it
    code, told = as_json(capsys, "price.py")
    assert (code, told["verdict"]) == (3, "error")


def test_explain(project, capsys):
    _, out = call(capsys, "--explain", "price.py")
    assert "chosen by: graph" in out
    assert "test_price.py  imports price.py" in out


def test_edited_test_by_hand(project, capsys):
    """A hook passes tests over; by hand a test file is run itself."""
    _, told = as_json(capsys, "test_price.py")
    assert (told["verdict"], told["reasons"]) == ("passed", {"test_price.py": "was edited itself"})


def test_nothing(project, capsys):
    """A file of no language: exit 0, and a sentence."""
    (project / "notes.md").write_text("x")
    assert call(capsys, "notes.md") == (0, "Nothing to run: no edited file has tests here.\n")
    assert as_json(capsys, "notes.md")[1]["verdict"] == "nothing"


@pytest.mark.parametrize("name", ["nowhere/x.py", "prise.py", "data.txt"])
def test_name_that_never_was_a_file(project, capsys, name):
    """A slip of the pen is no edit."""
    with pytest.raises(Refusal, match=f"there is no {name}, and neither git nor a recorded run knows of one"):
        call(capsys, name)


def test_folder(project, capsys):
    with pytest.raises(Refusal, match=r"\. is a folder: name the edited files"):
        call(capsys, ".")


def test_deleted_file_that_git_knows(project, capsys):
    """It is an edit like any other, also when its end is committed."""
    (project / "spare.py").write_text("")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    git("rm", "-q", "spare.py")
    git("commit", "-qm", "two")
    assert call(capsys, "--json", "spare.py")[0] == 0


def test_budget(project, capsys):
    """Out of time is exit 3."""
    (project / "test_price.py").write_text("import price, time\n\ndef test_sleep():\n    time.sleep(60)\n")
    code, told = as_json(capsys, "--budget", "3", "price.py")
    assert (code, told["verdict"], told["cut_off"]) == (3, "timeout", True)


@pytest.mark.parametrize("budget", ["0", "-1", "soon", "nan"])
def test_budget_that_makes_no_sense(project, capsys, budget):
    with pytest.raises(SystemExit):
        call(capsys, f"--budget={budget}", "price.py")
    assert f"'{budget}' is no number of seconds above 0" in capsys.readouterr().err


def git(*words):
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words], check=True, capture_output=True
    )


def test_since_a_revision(project, capsys):
    """The files that git says have changed; without FILE, those that are not committed."""
    git("init", "-q")
    git("add", *FILES)
    git("commit", "-qm", "one")
    assert call(capsys)[1] == "Nothing to run: no edited file has tests here.\n"
    (project / "price.py").write_text(FILES["price.py"].replace("net * 2", "net * 3"))
    assert as_json(capsys)[1]["failed"] == ["test_price.py::test_gross"]
    git("commit", "-qam", "two")
    assert as_json(capsys, "--since", "HEAD~1")[1]["failed"] == ["test_price.py::test_gross"]
    with pytest.raises(Refusal, match="no revision 'nowhere'"):
        call(capsys, "--since", "nowhere")


def test_since_without_git(project, capsys):
    with pytest.raises(Refusal, match="is in no git repository"):
        call(capsys, "--since", "HEAD")


def test_config(project, capsys):
    """The config's autoTest section holds by hand too."""
    (project / ".hookwright.yaml").write_text('autoTest:\n  exclude: ["test_price.py"]\n')
    assert as_json(capsys, "price.py")[1]["verdict"] == "nothing"


def test_watch(project):
    """Each save is one run, until it is ended."""
    code = "import argparse, sys; from hookwright.verbs import test; p = argparse.ArgumentParser(); test.arguments(p); test.main(p.parse_args(['--watch']))"
    watcher = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert "Watching" in watcher.stderr.readline()
        (project / "price.py").write_text(FILES["price.py"].replace("net * 2", "net * 3"))
        assert watcher.stdout.readline() == "❌ Tests failed (pytest)\n"
    finally:
        watcher.kill()
        watcher.communicate()
