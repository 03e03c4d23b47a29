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
        echo("wrong", tags=["slow-ish", "skip"], **FAILS),
        echo("after", depends_on="wrong"),
        {"id": "prose", "action": "Say hello", "tags": ["smoke"]},
    )
    return bed


def under_pytest(bed, *words, strict=True):
    """What a pytest of the project says; `-p` loads the plugin where no entry point is installed."""
    known = any(point.value == "hookwright.pytest_plugin" for point in entry_points(group="pytest11"))
    plugin = [] if known else ["-p", "hookwright.pytest_plugin"]
    fixed = ["-p", "no:cacheprovider", "-p", "no:randomly", *(["--strict-markers"] if strict else [])]
    command = [sys.executable, "-m", "pytest", *plugin, *fixed, *words]
    return subprocess.run(command, cwd=bed.folder, env=bed.env, capture_output=True, text=True, timeout=120)


def test_each_test_is_an_item(suite):
    """With its id, its reasons and evidence; JUnit has them all; dependencies run first, whatever is chosen."""
    done = under_pytest(suite, "--hookwright-suite", "tests/functional/tests.json", "--junitxml=j.xml", "-ra")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 passed, 2 skipped" in done.stdout and "1 failed" in done.stdout
    assert "FAILED tests/functional/tests.json::wrong - Missing: 'nothing of the kind'" in done.stdout
    assert "Depends on 'wrong', which failed" in done.stdout and "Has only a prose action" in done.stdout
    assert 'mcp__demo__echo {"text": "wrong"}' in done.stdout and "Traceback" not in done.stdout
    cases = ElementTree.parse(suite.folder / "j.xml").getroot().findall(".//testcase")
    assert [case.get("name") for case in cases] == ["create", "get", "wrong", "after", "prose"]


def test_selection_and_processes(suite):
    """-m by category and tag, -k by id; a chosen test has what it needs; -n spreads them."""
    (suite.folder / "pytest.ini").write_text("[pytest]\nhookwright_suite = tests/functional/tests.json\n")
    listed = under_pytest(suite, "-m", "smoke or slow-ish", "--collect-only", "-q").stdout
    assert re.findall(r"::(\w+)", listed) == ["get", "wrong", "prose"]
    only = under_pytest(suite, "-k", "get", "-q")
    assert "1 passed, 4 deselected" in only.stdout, only.stdout
    spread = under_pytest(suite, "-n", "2", "-m", "crud", "-q")
    assert "2 passed" in spread.stdout, spread.stdout + spread.stderr


def test_a_broken_suite_is_an_error_of_collection(suite):
    """With its line; a missing one is wrong usage."""
    suite.file.write_text('{"tests": [{"id": "a", "acton": "x"}]}')
    done = under_pytest(suite, "--hookwright-suite", "tests/functional/tests.json")
    assert done.returncode == 2 and "tests.json:1:" in done.stdout and "acton" in done.stdout
    done = under_pytest(suite, "--hookwright-suite", "none.json")
    assert done.returncode == 4 and "there is no suite" in done.stderr


def test_who_does_not_use_it_pays_nothing(suite):
    """Neither our suites nor the SDK nor YAML is imported."""
    (suite.folder / "test_x.py").write_text(
        "import sys\ndef test_x():\n    ours = {m for m in sys.modules if m.startswith('hookwright')}\n"
        "    assert ours == {'hookwright', 'hookwright.pytest_plugin'}\n    assert 'mcp' not in sys.modules\n"
    )
    done = under_pytest(suite, "-q", "test_x.py")
    assert done.returncode == 0, done.stdout
