"""An event comes, the affected tests run, and whoever should hears of it."""

import json
import time

import pytest

from hookwright.affected.bindings import bindings_of
from hookwright.affected.handler import handle
from hookwright.bindings import meets
from hookwright.events import event_of

PRICE = "src/shop/price.py"


def fire(bench, event_name="PostToolUse", allowed_s=100, values=None, **fields):
    """What the binding of this event answers; None for no opinion."""
    given = {
        "when": {"PostToolUse": "edit", "PostToolBatch": "batch", "Stop": "stop"}[event_name],
        "budget": 60,
        **(values or {}),
    }
    event = event_of(event_name, {"cwd": str(bench.root), "hook_event_name": event_name, **fields})
    for name, binding in bindings_of(given, str(bench.root)):
        if name == event_name and meets(event, binding):
            return handle(event, binding, allowed_s)
    return None


def edit(bench, path=PRICE, **more):
    return fire(bench, tool_name="Edit", tool_input={"file_path": str(bench.root / path)}, **more)


def test_failure_reaches_model_and_person(recorded):
    recorded.replace(PRICE, "weight + 1", "weight + 2")
    reply = edit(recorded)
    assert "assert 3 == 2" in reply.context
    assert reply.user == reply.context
    assert reply.decision == ""


@pytest.mark.parametrize(
    "path", ["tests/test_price.py", "pyproject.toml", "README.md", "../elsewhere.py", "src/shop/nothing.json"]
)
def test_silence(shop, path):
    """Tests, configuration, documents and what lies outside run nothing."""
    assert edit(shop, path) is None


def test_no_framework_is_silence(shop, monkeypatch, tmp_path):
    """Without an interpreter, or with nothing it could run, nothing is said."""
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert edit(shop) is None


def test_cosmetic_edit_is_silence(recorded):
    recorded.replace(PRICE, "return weight", "# so\n    return weight")
    assert edit(recorded) is None


def test_batch_is_one_run(recorded):
    """Several edits of one batch are one run, with one message."""
    recorded.replace(PRICE, "weight + 1", "weight + 2")
    recorded.replace("src/shop/cart.py", "append(net)", "append(net + 1)")
    calls = [
        {"tool_name": "Write", "tool_input": {"file_path": PRICE}},
        {"tool_name": "MultiEdit", "tool_input": {"files": [{"path": "src/shop/cart.py"}]}},
        {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    ]
    reply = fire(recorded, "PostToolBatch", tool_calls=calls)
    assert reply.context.count("Tests failed") == 1
    assert "3 failed" in reply.context


def test_batch_without_edits(recorded):
    assert fire(recorded, "PostToolBatch", tool_calls=[{"tool_name": "Bash", "tool_input": {}}]) is None


def test_patch(recorded):
    """A Codex patch names its files in its text."""
    recorded.replace(PRICE, "weight + 1", "weight + 2")
    patch = f"*** Begin Patch\n*** Update File: {PRICE}\n@@\n*** End Patch"
    assert "1 failed" in fire(recorded, tool_name="apply_patch", tool_input={"command": patch}).context


def test_stop_tells_only_the_person(recorded, git):
    """A context at Stop would keep the agent going."""
    git(recorded.root, "init", "-q")
    recorded.replace(PRICE, "weight + 1", "weight + 2")
    reply = fire(recorded, "Stop")
    assert (reply.context, reply.decision) == ("", "")
    assert "1 failed" in reply.user


def test_stop_without_git(recorded):
    """What is younger than the last run, and what was left failing."""
    recorded.edited(PRICE)
    time.sleep(0.02)
    recorded.replace(PRICE, "weight + 1", "weight + 2")
    assert "1 failed" in fire(recorded, "Stop").user


def test_gate(recorded):
    """Failing tests keep the agent from stopping; mended ones let it go."""
    recorded.replace(PRICE, "weight + 1", "weight + 2")
    gate = {"when": "batch", "gate": "stop"}
    recorded.edited(PRICE)
    reply = fire(recorded, "Stop", values=gate)
    assert reply.decision == "deny"
    assert "assert 3 == 2" in reply.reason
    recorded.replace(PRICE, "weight + 2", "weight + 1")
    reply = fire(recorded, "Stop", values=gate)
    assert reply.decision == ""
    assert fire(recorded, "Stop", values=gate) is None


def test_two_projects_in_one_batch(make):
    bench = make(
        {
            "one/pyproject.toml": "", "one/a.py": "A = 1\n", "one/test_a.py": "import a\ndef test_a(): assert a.A == 2\n",
            "two/pyproject.toml": "", "two/b.py": "B = 1\n", "two/test_b.py": "import b\ndef test_b(): assert b.B == 1\n",
        }
    )  # fmt: skip
    calls = [{"tool_name": "Write", "tool_input": {"file_path": path}} for path in ("one/a.py", "two/b.py")]
    reply = fire(bench, "PostToolBatch", tool_calls=calls)
    assert "test_a.py::test_a" in reply.context
    assert "Tests passed (pytest)\n   1 passed" in reply.context


def test_rest_goes_on_in_the_background(make):
    """What the budget cut off is finished by a detached run; the next event tells it."""
    bench = make(
        {
            "pyproject.toml": "",
            "a.py": "A = 1\n",
            "test_a.py": "import a, time\ndef test_1(): assert a.A\ndef test_2():\n    time.sleep(5)\n    assert a.A == 2, 'found out late'\n",
        }
    )
    values = {"background": True, "budget": 3}
    reply = edit(bench, "a.py", values=values)
    assert "goes on in the background" in reply.context
    later = None
    for _ in range(300):
        later = edit(bench, "README.md", values=values)
        if later:
            break
        time.sleep(0.1)
    assert "found out late" in later.context
    assert edit(bench, "README.md", values=values) is None


def test_rows(tmp_path):
    """Which events are bound, and that a binding is plain values."""
    rows = {
        when: [(name, b.options["tell"]) for name, b in bindings_of({"when": when}, "/x")]
        for when in ("edit", "batch", "stop")
    }
    assert rows == {
        "edit": [("PostToolUse", "both")],
        "batch": [("PostToolBatch", "both")],
        "stop": [("Stop", "person")],
    }
    assert [name for name, _ in bindings_of({"gate": "stop"}, "/x")] == ["PostToolBatch", "Stop"]
    assert [name for name, _ in bindings_of({"when": "stop", "gate": "stop"}, "/x")] == ["Stop"]
    assert bindings_of({"enabled": False}, "/x") == bindings_of({}, "/x") == []
    row = bindings_of({"exclude": ["a/**"], "projects": {"x": {"budget": 3}}}, "/x")[0][1].row()
    json.dumps(row)


def test_data_file_that_a_test_opened(make):
    """An edit of it runs that test; other files without a language, documents and configuration run nothing."""
    bench = make(
        {
            "pyproject.toml": "",
            "rates.json": "[1]\n",
            "notes.md": "",
            "other.json": "",
            "test_rates.py": "import json\ndef test_rates():\n    open('notes.md').close()\n    assert json.load(open('rates.json')) == [1]\n",
        }
    )
    assert bench.record().word == "passed"
    bench.write("rates.json", "[2]\n")
    assert "assert [2] == [1]" in edit(bench, "rates.json").context
    assert edit(bench, "other.json") is None
    assert edit(bench, "notes.md") is None


def test_gate_holds_for_code_that_cannot_be_imported(recorded):
    """Tests that cannot even be collected do not pass."""
    recorded.replace(PRICE, "def shipping(weight):", "def shipping(weight:")
    recorded.edited(PRICE)
    reply = fire(recorded, "Stop", values={"when": "batch", "gate": "stop"})
    assert (reply.decision, "SyntaxError" in reply.reason) == ("deny", True)


def test_newer_edit_ends_a_run_in_the_background(make):
    """Nobody needs the outcome of old code: the newer edit has its turn at once, for the files of both."""
    bench = make(
        {
            "pyproject.toml": "",
            "a.py": "A = 1\n",
            "test_a.py": "import a, time\ndef test_1():\n    if a.A == 1: time.sleep(90)\n    assert a.A == 1, 'found out'\n",
        }
    )
    values = {"background": True, "budget": 3}
    assert "goes on in the background" in edit(bench, "a.py", values=values).context
    state = next(bench.root.glob(".hookwright/state/affected-*"))
    for _ in range(600):
        if list(state.glob("run-*")):
            break
        time.sleep(0.05)
    bench.write("a.py", "A = 2\n")
    assert "found out" in edit(bench, "a.py", values={**values, "budget": 30}).context
