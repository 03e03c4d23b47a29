"""The pytest plugin, in a pytest of its own."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.metadata import entry_points

import pytest
from suite.unattended.bed import call, echo

FAILS = {"expect": [{"contains": "nothing of the kind"}]}
GET = {"json_path": {"path": "$.title", "equals": "Milk"}}


@pytest.fixture
def suite(bed):
    bed.suite(
        {
            "id": "create",
            "call": call("create_note", "demo", title="Milk"),
            "save": {"note": r"ID: (\S+)"},
            "category": "crud",
        },
        {
            "id": "get",
            "call": call("get_note", "demo", id="${note}"),
            "expect": [GET],
            "category": "crud",
            "tags": ["smoke"],
        },
        echo("wrong", tags=["slow-ish", "skip"], after="echo still open; exit 3", **FAILS),
        echo("after", depends_on="wrong"),
        {"id": "prose", "action": "Say hello", "tags": ["smoke"]},
    )
    return bed


def under_pytest(bed, *words):
    """What a pytest of the project says; other people's plugins would only make it slow."""
    plugins = ["hookwright.pytest_plugin", "no:cacheprovider", *(["xdist"] if "-n" in words else [])]
    fixed = [word for name in plugins for word in ("-p", name)]
    command = [sys.executable, "-m", "pytest", *fixed, "--strict-markers", *words]
    env = {**bed.env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=bed.folder, env=env, capture_output=True, text=True, timeout=120)


def listed(bed, *words):
    """The tests that such words choose."""
    return re.findall(r"::(\w+)", under_pytest(bed, *words, "--collect-only", "-q").stdout)


def test_an_installed_hookwright_is_known_to_pytest():
    """By its entry point, without `-p`."""
    assert "hookwright.pytest_plugin" in {point.value for point in entry_points(group="pytest11")}


def test_each_test_is_an_item(suite):
    """With its id, its reasons and evidence; JUnit has them all; dependencies run first, whatever is chosen."""
    done = under_pytest(suite, "--hookwright-suite", "tests/functional/tests.json", "--junitxml=j.xml", "-ra")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 passed, 2 skipped" in done.stdout and "1 failed" in done.stdout
    assert "FAILED tests/functional/tests.json::wrong - Missing: 'nothing of the kind'" in done.stdout
    assert "Depends on 'wrong', which failed" in done.stdout and "Has only a prose action" in done.stdout
    assert 'mcp__demo__echo {"text": "wrong"}' in done.stdout and "Traceback" not in done.stdout
    assert "after the test: exit code 3: still open" in done.stdout
    cases = ElementTree.parse(suite.folder / "j.xml").getroot().findall(".//testcase")
    assert [case.get("name") for case in cases] == ["create", "get", "wrong", "after", "prose"]


def test_selection_and_processes(suite):
    """-m by category and tag, -k by id; a chosen test has what it needs; -n spreads them."""
    (suite.folder / "pytest.ini").write_text("[pytest]\nhookwright_suite = tests/functional/tests.json\n")
    assert listed(suite, "-m", "smoke or slow-ish") == ["get", "wrong", "prose"]
    spread = under_pytest(suite, "-n", "2", "-k", "get or prose", "-q")
    assert "1 passed, 1 skipped" in spread.stdout, spread.stdout + spread.stderr


def test_who_asks_for_one_file_gets_that_file(suite):
    """The suite of the ini file joins a run of everything, not that of a file or of one test, as IDEs start it."""
    (suite.folder / "pytest.ini").write_text("[pytest]\nhookwright_suite = tests/functional/tests.json\n")
    (suite.folder / "test_x.py").write_text("def test_x(): ...\n")
    everything = ["create", "get", "wrong", "after", "prose"]
    assert sorted(listed(suite)) == sorted([*everything, "test_x"])
    assert listed(suite, "test_x.py") == ["test_x"]
    assert listed(suite, "tests/functional/tests.json::get") == ["get"]
    assert listed(suite, "test_x.py", "--hookwright-suite", "tests/functional/tests.json") == ["test_x", *everything]


def test_a_broken_suite_is_an_error_of_collection(suite):
    """With its line; a missing one is wrong usage."""
    suite.file.write_text('{"tests": [{"id": "a", "acton": "x"}]}')
    done = under_pytest(suite, "--hookwright-suite", "tests/functional/tests.json")
    assert done.returncode == 2 and "tests.json:1:" in done.stdout and "acton" in done.stdout
    done = under_pytest(suite, "--hookwright-suite", "none.json")
    assert done.returncode == 4 and "there is no suite" in done.stderr
    done = under_pytest(suite, "--hookwright-suite", "tests/functional/tests.json", "--hookwright-via", "codex")
    assert done.returncode == 4 and "codex is not supported yet" in done.stderr


def test_who_does_not_use_it_pays_nothing(suite):
    """Neither our suites nor the SDK nor YAML is imported."""
    (suite.folder / "test_x.py").write_text(
        "import sys\ndef test_x():\n    ours = {m for m in sys.modules if m.startswith('hookwright')}\n"
        "    assert ours == {'hookwright', 'hookwright.pytest_plugin'}\n    assert 'mcp' not in sys.modules\n"
    )
    done = under_pytest(suite, "-q", "test_x.py")
    assert done.returncode == 0, done.stdout
