"""Python handlers: registering, loading and calling them."""

import sys
import threading

import pytest

from hookwright import handlers
from hookwright.events import event_of
from hookwright.handlers import CODE, bindings_in, forget, handle, on
from hookwright.reply import HandlerFailed


@pytest.fixture
def load(tmp_path):
    """The (event, binding) pairs of a handler file with this source."""

    def write_and_load(source):
        path = tmp_path / "handlers.py"
        path.write_text(source)
        return bindings_in(str(path), "handlers.py")[0]

    yield write_and_load
    forget()
    CODE.clear()


def only(found):
    assert len(found) == 1
    return found[0]


def test_a_decorated_function_becomes_a_binding(load):
    """Event, filter, name, failure rule and deadline come from the decorator."""
    source = (
        "from hookwright import on\n@on.PreToolUse(tool='Bash', on_error='block', timeout=5)\ndef guard(event): ...\n"
    )
    event_name, binding = only(load(source))
    assert (event_name, binding.name, binding.match) == ("PreToolUse", "handlers.py:guard", ("Bash",))
    assert (binding.on_error, binding.timeout_s, binding.filter) == ("block", 5, "Bash")


@pytest.mark.parametrize("form", ["@on.Stop", "@on.Stop()"])
def test_a_decorator_works_with_and_without_brackets(load, form):
    """Both forms register the function, and it stays a plain function."""
    assert only(load(f"from hookwright import on\n{form}\ndef f(event): return 'plain'\nassert f(1) == 'plain'\n"))


def test_one_function_may_answer_several_events_and_keeps_its_order(load):
    """Decorators stack; functions are called in the order of the file."""
    found = load(
        "from hookwright import on\n"
        "@on.PreToolUse(tool='Edit')\n@on.PreToolUse(tool='Write')\n@on.Stop\ndef first(event): ...\n"
        "@on.Stop\ndef second(event): ...\nalias = first\n"
    )
    assert [(name, binding.options["function"]) for name, binding in found] == [
        ("Stop", "first"),
        ("PreToolUse", "first"),
        ("PreToolUse", "first"),
        ("Stop", "second"),
    ]


def test_wrong_use_of_a_decorator_is_told():
    """The message names the right word."""
    with pytest.raises(AttributeError, match='did you mean "PreToolUse"'):
        on.PreTolUse  # noqa: B018
    with pytest.raises(TypeError, match="takes match="):
        on.SessionStart(tool="Bash")
    with pytest.raises(TypeError, match="nothing to match"):
        on.Stop(match="x")
    with pytest.raises(ValueError, match="on_error"):
        on.Stop(on_error="explode")


def call(found, allowed_s=30.0):
    event_name, binding = only(found)
    return handle(event_of(event_name, {"session_id": "s"}), binding, allowed_s)


def test_a_handler_gets_the_typed_event(load):
    """What it returns is the answer; None is no opinion; several are merged."""
    assert call(load("from hookwright import on, deny\n@on.Stop\ndef f(e): return deny(e.session_id)\n")).reason == "s"
    assert call(load("from hookwright import on\n@on.Stop\ndef f(e): return None\n")) is None
    source = "from hookwright import on, context, deny\n@on.Stop\ndef f(e): return [context('a'), deny('b')]\n"
    assert (call(load(source)).context, call(load(source)).reason) == ("a", "b")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return 'deny'", "it returned str"),
        ("return {'decision': 'block'}", "it returned dict"),
        ("return e.no_such_field", r"handlers\.py:3: AttributeError"),
        ("raise SystemExit(2)", r"handlers\.py:3: SystemExit: 2"),
    ],
)
def test_a_failing_handler_says_where(load, body, told):
    """File and line of the user's own code, and what is wrong."""
    with pytest.raises(HandlerFailed, match=told):
        call(load(f"from hookwright import on\n@on.Stop\ndef f(e): {body}\n"))


def test_a_handler_over_its_time_is_left_behind(load):
    """The caller gets its failure at the deadline, whatever the handler does."""
    source = (
        "import threading\nfrom hookwright import on\nstop = threading.Event()\n@on.Stop\ndef f(e): stop.wait(60)\n"
    )
    with pytest.raises(HandlerFailed, match=r"no answer within 0\.05 s"):
        call(load(source), 0.05)
    sys.modules["hookwright_handlers_handlers"].stop.set()
    for thread in threading.enumerate():
        assert thread is threading.main_thread() or thread.daemon


def test_a_file_that_does_not_come_to_its_end_is_given_up(load, monkeypatch):
    """A loop at import cannot hold up the config."""
    monkeypatch.setattr(handlers, "LOAD_LIMIT_S", 0.05)
    source = "import sys, threading\nsys.blocked = threading.Event()\nsys.blocked.wait(60)\n"
    with pytest.raises(HandlerFailed, match="no answer within"):
        load(source)
    sys.blocked.set()


def test_a_handler_may_use_dataclasses_and_its_neighbours(project):
    """Module-level machinery works, and so does an import of a file beside it or of an installed package."""
    project.handlers(
        "import dataclasses, neighbour, yaml\nfrom hookwright import on, context\n"
        "@dataclasses.dataclass\nclass Row:\n    text: str\n"
        "@on.Stop\ndef f(e): return context(Row(neighbour.WORD + yaml.__name__).text)\n"
    )
    (project.folder / ".hookwright" / "neighbour.py").write_text("WORD = 'hello '\n")
    for _ in range(2):  # compiled now, and from the compiled rows
        answer = project.hook("Stop", session_id=str(_))
        assert answer.document["hookSpecificOutput"]["additionalContext"] == "hello yaml"
