"""`hookwright suite`: a run from the command line."""

import json
import subprocess
import sys

import pytest
from suite.bed import THREE


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "tests/functional"
    folder.mkdir(parents=True)
    (folder / "tests.json").write_text(json.dumps(THREE, indent=1))
    return folder / "tests.json"


def test_a_run_by_verbs(run_cli, suite):
    """The same words and texts as in a conversation; a failed test is exit code 1."""
    assert run_cli("suite", "init", "--category", "crud").stdout.startswith("# Three tests\n**Total tests:** 2\n")
    assert run_cli("suite", "next").stdout.endswith("### Action\nCall create_note with title: Milk\n")
    passed = run_cli("suite", "validate", stdin="Created: it's $(x)\nID: n1")
    assert (passed.exit_code, passed.stdout.split("\n")[0]) == (0, "## ✅ PASS: create")
    assert "`note_id` = n1" in run_cli("suite", "vars").stdout
    run_cli("suite", "next")
    failed = run_cli("suite", "validate", "nothing")
    assert (failed.exit_code, failed.stdout.split("\n")[1]) == (1, "- Pattern not found: 'id.*n1'")
    assert run_cli("suite", "retry").stdout.startswith("## Test 2/2: get")
    assert run_cli("suite", "skip").stdout.startswith("## ⏭️ SKIP: get")
    assert "**Mode:** completed" in run_cli("suite", "status").stdout
    run_cli("suite", "init")
    run_cli("suite", "skip")
    assert run_cli("suite", "next").stdout.startswith(
        "## ⏭️ SKIP: get\n- Depends on 'create', which was skipped\n## Test 3/3: talk\n"
    )


def test_reports_in_every_form(run_cli, suite, tmp_path):
    """Printed, or written to a file as a whole."""
    run_cli("suite", "init", "--id", "talk", "--id", "create", "--tag", "smoke")
    assert run_cli("suite", "abort").stdout.startswith("# Test run aborted\n")
    assert json.loads(run_cli("suite", "report", "--format", "json").stdout)["summary"]["total"] == 1
    assert run_cli("suite", "report").stdout == (suite.parent / "report.md").read_text()
    assert run_cli("suite", "report", "--output", "out/md").exit_code == 3
    (tmp_path / "out").mkdir()
    for form in ("junit", "html"):
        assert run_cli("suite", "report", "--format", form, "--output", f"out/{form}").exit_code == 0
        assert (tmp_path / "out" / form).stat().st_size > 100


def test_check_says_where(run_cli, suite):
    """0 and one line, or 1 and every problem with file and line."""
    assert run_cli("suite", "check").stdout == "tests/functional/tests.json: 3 tests: no problems\n"
    suite.write_text('{"tests": [{"id": "a", "action": "x", "expect": [{"contains": "y"}]}]}')
    assert run_cli("suite", "check").stdout == "tests/functional/tests.json: 1 test: no problems\n"
    suite.write_text('{"tests": [\n {"id": "a", "acton": "x"}\n]}')
    wrong = run_cli("suite", "check", "tests/functional/tests.json")
    assert wrong.exit_code == 1
    assert (
        'tests/functional/tests.json:2:14: tests[0].acton: unknown key "acton"; did you mean "action"?' in wrong.stdout
    )


def test_what_cannot_be_done(run_cli, tmp_path):
    """Exit 3 and one sentence; wrong usage is 64."""
    for words in (["next"], ["init"], ["check"], ["report"], ["check", "none.json"], ["init", "--suite", "x.yaml"]):
        answer = run_cli("suite", *words)
        assert (answer.exit_code, answer.stdout, answer.stderr.count("\n")) == (3, "", 1), words
    assert list(tmp_path.iterdir()) == []
    assert run_cli("suite").exit_code == 64
    assert run_cli("suite", "init", "--oops").exit_code == 64


def test_the_schema_is_json(run_cli):
    """For editors."""
    assert json.loads(run_cli("suite", "schema").stdout)["required"] == ["tests"]


def test_new_makes_a_suite_that_checks(run_cli, tmp_path):
    """From a real server's own tools; an existing file is not overwritten."""
    made = run_cli("suite", "new", "--", sys.executable, "-m", "hookwright.demo")
    assert made.stdout.startswith("Written: tests/functional/tests.yaml, 9 tests.")
    assert run_cli("suite", "check").exit_code == 0
    assert "exists already" in run_cli("suite", "new", "--", sys.executable, "-m", "hookwright.demo").stderr
    assert run_cli("suite", "init").stdout.startswith("# demo functional tests\n")


def test_prompt_gives_the_text_for_a_word(run_cli, suite, tmp_path):
    """Only for words that stand for an action, and only while a run is on."""
    assert run_cli("suite", "prompt", "next").stdout == ""
    run_cli("suite", "init")
    assert run_cli("suite", "prompt", "--session", "s", "--folder", str(tmp_path), "--", "N ").stdout.startswith(
        "Execute the following test:\n\n## Test 1/3: create"
    )
    for prompt in ("status", "hello", "-x"):
        assert run_cli("suite", "prompt", "--", prompt).stdout == ""
    assert json.loads((tmp_path / ".claude/test-state.json").read_text())["results"] == []


def test_any_bytes_can_be_judged(suite, tmp_path):
    """A response on standard input need not be text."""
    for words, data in ((["init"], b""), (["next"], b""), (["validate"], b"Created \xff\xfe ID: n1")):
        command = [
            sys.executable,
            "-c",
            "import sys; from hookwright.cli import main; sys.exit(main())",
            "suite",
            *words,
        ]
        done = subprocess.run(command, input=data, capture_output=True, cwd=tmp_path, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_suite_is_found_from_inside_the_project(run_cli, suite, tmp_path):
    """`check` and `init` look upwards; one below the config that is nearer wins, and the run is the project's."""
    (tmp_path / ".hookwright.yaml").write_text("suite: {}\n")
    inside = tmp_path / "part/deep"
    inside.mkdir(parents=True)
    assert "3 tests: no problems" in run_cli("suite", "check", cwd=inside).stdout
    (tmp_path / "part/tests/functional").mkdir(parents=True)
    (tmp_path / "part/tests/functional/tests.yaml").write_text("description: Part\ntests: [{id: a, action: x}]\n")
    assert run_cli("suite", "init", cwd=inside).stdout.startswith("# Part\n**Total tests:** 1\n")
    assert (tmp_path / ".claude/test-state.json").exists()
