"""Python handlers: registering, loading and calling them."""

import os
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
        return bindings_in(str(path), "handlers.py").found

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
    assert [(name, binding.options["function"], binding.filter) for name, binding in found] == [
        ("Stop", "first", "*"),
        ("PreToolUse", "first", "Write"),
        ("PreToolUse", "first", "Edit"),
        ("Stop", "second", "*"),
    ]


def test_handlers_of_one_name_in_a_loop_or_without_a_name_all_count(project):
    """None is lost because another is called the same."""
    project.handlers(
        "from hookwright import on, context, deny\n"
        "@on.PreToolUse(tool='Bash')\ndef check(event): return deny('first')\n"
        "@on.PostToolUse\ndef check(event): return context('second')\n"
        "for tool in ('Edit', 'Write'):\n"
        "    @on.PreToolUse(tool=tool)\n    def looped(event, tool=tool): return deny(tool)\n"
        "on.Stop(lambda event: context('lambda'))\n"
    )
    for _ in range(2):  # compiled now, and from the compiled rows
        for tool, told in (("Bash", "first"), ("Edit", "Edit"), ("Write", "Write")):
            assert told in project.hook("PreToolUse", tool_name=tool).stdout
        assert "second" in project.hook("PostToolUse", tool_name="Bash").stdout
        assert "lambda" in project.hook("Stop", session_id=str(_)).stdout


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
    for timeout in (0, -1, "5", float("nan"), True):
        with pytest.raises(ValueError, match="above 0"):
            on.Stop(timeout=timeout)
    with pytest.raises(TypeError, match="goes above a function"):
        on.PreToolUse("Bash")


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


def test_a_runaway_regular_expression_is_stopped(load):
    """It never lets go of the interpreter, so no thread could do it; a signal can."""
    source = "import re\nfrom hookwright import on\n@on.Stop\ndef f(e): re.match(r'(a+)+$', 'a' * 60 + 'b')\n"
    with pytest.raises(HandlerFailed, match=r"no answer within 0\.05 s"):
        call(load(source), 0.05)


@pytest.mark.parametrize("catch", ["except Exception:", "except BaseException:"])
def test_a_handler_that_catches_everything_does_not_keep_the_hook(project, catch):
    """Broad excepts do not catch the deadline; one that catches even that is given up with the whole hook."""
    project.handlers(
        "import time\nfrom hookwright import on\n@on.Stop(timeout=0.1)\ndef stubborn(event):\n    while True:\n"
        f"        try:\n            time.sleep(60)\n        {catch}\n            pass\n"
    )
    assert project.hook("Stop").exit_code == 0


def test_outside_the_main_thread_a_handler_is_left_behind(load):
    """No signal is heard there; the caller gets its failure all the same."""
    source = "import threading\nfrom hookwright import on\nstop_of_this_test = threading.Event()\n@on.Stop\ndef f(e): stop_of_this_test.wait(60)\n"
    found, failures = load(source), []

    def run():
        try:
            call(found, 0.05)
        except HandlerFailed as failure:
            failures.append(str(failure))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert failures == ["no answer within 0.05 s"]
    next(module for module in sys.modules.values() if hasattr(module, "stop_of_this_test")).stop_of_this_test.set()


def test_a_handler_over_its_time_is_left_behind(load):
    """The caller gets its failure at the deadline, whatever the handler does."""
    source = (
        "import threading\nfrom hookwright import on\nstop = threading.Event()\n@on.Stop\ndef f(e): stop.wait(60)\n"
    )
    with pytest.raises(HandlerFailed, match=r"no answer within 0\.05 s"):
        call(load(source), 0.05)


def test_a_file_that_does_not_come_to_its_end_is_given_up(load, monkeypatch):
    """A loop at import cannot hold up the config."""
    monkeypatch.setattr(handlers, "LOAD_LIMIT_S", 0.05)
    with pytest.raises(HandlerFailed, match="no answer within"):
        load("import time\ntime.sleep(60)\n")


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


@pytest.mark.parametrize(
    "body",
    [
        "def f(e):\n    import yaml, neighbour\n    return context(neighbour.WORD)\n",
        "try:\n    import yaml, neighbour\nexcept ImportError:\n    neighbour = None\n@on.Stop\ndef f(e): return context(neighbour.WORD)\n",
        "import importlib\nneighbour = importlib.import_module('neighbour')\n@on.Stop\ndef f(e): return context(neighbour.WORD)\n",
    ],
    ids=["inside a function", "optional", "by name"],
)
def test_imports_work_on_every_event_however_they_are_written(project, body):
    """Not only on the event that compiles the config."""
    body = body if "@on" in body else "@on.Stop\n" + body
    project.handlers("from hookwright import on, context\n" + body)
    (project.folder / ".hookwright" / "neighbour.py").write_text("WORD = 'hello'\n")
    for turn in range(3):
        assert "hello" in project.hook("Stop", session_id=str(turn)).stdout


def test_a_file_is_run_once_per_event(project):
    """Also one that imports an installed package."""
    project.handlers(
        "import yaml, pathlib\nfrom hookwright import on\n"
        "with open(pathlib.Path(__file__).parent / 'runs', 'a') as runs: runs.write('x')\n@on.Stop\ndef f(e): ...\n"
    )
    project.hook("Stop")
    runs = project.folder / ".hookwright" / "runs"
    runs.write_text("")
    project.hook("Stop")
    assert runs.read_text() == "x"


def test_an_edit_to_a_neighbour_is_noticed(project):
    """A module that a handler file imports is a part of it."""
    project.handlers("from rules import guard\n")
    rules = project.folder / ".hookwright" / "rules.py"
    rules.write_text("from hookwright import on, deny\n@on.PreToolUse(tool='Write')\ndef guard(e): return deny('no')\n")
    assert not project.hook("PreToolUse", tool_name="Bash").stdout
    rules.write_text(rules.read_text().replace("Write", "Bash"))
    assert project.hook("PreToolUse", tool_name="Bash").stdout


def test_files_of_one_name_are_two_modules(project):
    """A class of one is not looked for in the other."""
    for folder in ("a", "b"):
        (project.folder / folder).mkdir()
        source = "import sys\nfrom hookwright import on, context\n@on.Stop\ndef f(e): return context(sys.modules[f.__module__].__file__)\n"
        (project.folder / folder / "handlers.py").write_text(source)
    project.config("handlers: [a/handlers.py, b/handlers.py]\n")
    told = project.hook("Stop").stdout
    assert "a/handlers.py" in told and "b/handlers.py" in told


@pytest.mark.parametrize(
    "mischief",
    ["sys.stdout.close()", "sys.stdout = None", "os.close(1)", "os.close(2)", "os.chdir('/'); os.environ.clear()"],
)
def test_a_handler_may_do_anything_to_its_streams(project, mischief):
    """Its answer does not depend on them."""
    project.handlers(
        "import os, sys\nfrom hookwright import on, deny\n@on.PreToolUse\ndef f(e):\n"
        f"    print('x'); {mischief}\n    return deny('no')\n"
    )
    assert project.hook("PreToolUse").document["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_what_a_broken_file_imported_is_forgotten_too(tmp_path):
    """Its neighbours that came before the one that raised: an edit of them must not go unseen in a process that stays."""
    (tmp_path / "neighbour_one.py").write_text("")
    (tmp_path / "neighbour_two.py").write_text("raise ValueError('not yet')\n")
    path = tmp_path / "handlers.py"
    path.write_text("import neighbour_one, neighbour_two\n")
    with pytest.raises(ValueError, match="not yet"):
        bindings_in(str(path), "handlers.py")
    assert "neighbour_one" in sys.modules
    forget()
    assert "neighbour_one" not in sys.modules
    CODE.clear()


def test_a_handler_that_swallows_its_deadline_ends_its_process(load, monkeypatch):
    """Where the process is ours: better no answer than a hook without end."""
    _, binding = only(
        load(
            "from hookwright import on\n@on.Stop\ndef f(event):\n    while True:\n"
            "        try:\n            while True: pass\n        except BaseException: pass\n"
        )
    )
    monkeypatch.setattr(handlers, "own_process", True)
    monkeypatch.setattr(handlers, "PATIENCE", 0)
    pid = os.fork()
    if pid == 0:
        try:
            handle(event_of("Stop", {}), binding, 0.05)
        finally:
            os._exit(7)
    assert os.waitpid(pid, 0)[1] == 0
