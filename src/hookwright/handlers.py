"""Handlers in Python: the `on` decorators, loading a file of them, calling one."""

import _thread
import marshal
import sys

from hookwright.bindings import Binding
from hookwright.events import BY_NAME
from hookwright.reply import HandlerFailed, Reply, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

    Handler = Callable[[Any], Any]

DEFAULT_TIMEOUT_S = 60.0
LOAD_LIMIT_S = 20.0  # a file that does not come to its end must not hold up a config
REGISTERED = "__hookwright__"  # where a decorated function keeps what it is registered for
_loaded: "dict[str, ModuleType]" = {}
CODE: dict[str, bytes] = {}  # handler file -> its marshalled code, put here by whoever loaded the bindings


class On:
    """`on.PreToolUse(tool="Bash")` registers the function below it for that event."""

    def __getattr__(self, event_name: str) -> "Registrar":
        if event_name not in BY_NAME:
            from hookwright.errors import did_you_mean

            raise AttributeError(f"no event is called {event_name!r}{did_you_mean(event_name, BY_NAME)}")
        return Registrar(event_name)


class Registrar:
    """One event's decorator, used as `@on.Stop`, `@on.Stop()` or `@on.PreToolUse(tool="Bash")`."""

    def __init__(self, event_name: str) -> None:
        self.event_name = event_name

    def __call__(
        self,
        function: "Handler | None" = None,
        *,
        tool: str | None = None,
        match: str | None = None,
        on_error: str = "continue",
        timeout: float = DEFAULT_TIMEOUT_S,
    ) -> "Any":
        pattern = self._filter(tool, match)
        if on_error not in ("continue", "block"):
            raise ValueError(f'on_error is "continue" or "block", not {on_error!r}')

        def register(handler: "Handler") -> "Handler":
            rows = handler.__dict__.setdefault(REGISTERED, [])
            rows.append((self.event_name, pattern, on_error, timeout))
            return handler

        return register(function) if function else register

    def _filter(self, tool: str | None, match: str | None) -> str:
        event = BY_NAME[self.event_name]
        if tool is not None and event.matches != "tool_name" and self.event_name != "PostToolBatch":
            raise TypeError(f"{self.event_name} is not about a tool; it takes match=, not tool=")
        if match is not None and not event.matches:
            raise TypeError(f"{self.event_name} has nothing to match")
        return tool if tool is not None else match if match is not None else "*"


on = On()


def bindings_in(path: str, shown_as: str) -> tuple[list[tuple[str, Binding]], bytes]:
    """Every (event name, binding) that a handler file registers, and its code. Raises what the file raises."""
    from hookwright.globs import compiled

    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    CODE[path] = marshal.dumps(code)
    _loaded.pop(path, None)
    found = []
    functions: dict[int, tuple[str, Any]] = {}
    for name, value in vars(_within(LOAD_LIMIT_S, lambda: _load(path))).items():
        functions.setdefault(id(value), (name, value))  # under its first name, should it have two
    for name, value in functions.values():
        for event_name, pattern, on_error, timeout_s in getattr(value, "__dict__", {}).get(REGISTERED, ()):
            called, options = f"{shown_as}:{name}", {"file": path, "function": name}
            binding = Binding("function", called, compiled(pattern), on_error, timeout_s, options, pattern)
            found.append((event_name, binding))
    return found, CODE[path]


def forget() -> None:
    """Load every handler file anew, as a new process would."""
    _loaded.clear()


def handle(event: "Any", binding: Binding, allowed_s: float) -> Reply | None:
    """Call one function; over its time it is abandoned, and the process ends without it."""
    file, function = binding.options["file"], binding.options["function"]
    try:
        value = _within(allowed_s, lambda: getattr(_load(file), function)(event))
    except HandlerFailed:
        raise
    except BaseException as error:  # sys.exit() in a handler is a failure too, not the end of the hook
        raise HandlerFailed(described(error, file)) from error
    return _as_reply(value)


def _within(allowed_s: float, call: "Callable[[], Any]") -> "Any":
    """What a call returns or raises, or HandlerFailed when it takes too long: its thread is then left behind."""
    outcome: list[Any] = []
    failure: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            failure.append(error)
        finally:
            done.release()

    _thread.start_new_thread(run, ())
    if not done.acquire(True, min(allowed_s, _thread.TIMEOUT_MAX)):
        raise HandlerFailed(f"no answer within {allowed_s:g} s")
    if failure:
        raise failure[0]
    return outcome[0]


def _as_reply(value: object) -> Reply | None:
    if value is None or isinstance(value, Reply):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, Reply) for item in value):
        return merge(list(value))
    raise HandlerFailed(f"it returned {type(value).__name__}; return deny(...), context(...) or None")


def described(error: BaseException, path: str) -> str:
    """An exception as one line, with the line of the user's own file that it came from."""
    line = 0
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno or 0
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    text = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
    return f"{path}:{line}: {text}" if line else f"{path}: {text}"


def _load(path: str) -> "ModuleType":
    module = _loaded.get(path)
    if module is None:
        code: CodeType = marshal.loads(CODE[path])
        try:
            module = _execute(path, code)
        except ModuleNotFoundError:
            # Started with -S there are no site-packages yet; most handlers never need them.
            _bring_site_packages(path)
            module = _execute(path, code)
        _loaded[path] = module
    return module


def _execute(path: str, code: "CodeType") -> "ModuleType":
    module = type(sys)("hookwright_handlers_" + path.rpartition("/")[2].removesuffix(".py"))
    module.__file__ = path
    sys.modules[module.__name__] = module  # dataclasses and pickle look a class's module up
    exec(code, module.__dict__)  # noqa: S102 - running the user's file is what this is for
    return module


def _bring_site_packages(path: str) -> None:
    import site

    site.main()
    folder = path.rpartition("/")[0]
    if folder not in sys.path:
        sys.path.append(folder)  # so that a handler file can import its neighbours
