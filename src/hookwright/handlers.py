"""Handlers in Python: the `on` decorators, loading a file of them, calling one."""

import marshal
import posix
import sys

from hookwright.bindings import Binding
from hookwright.events import row_of
from hookwright.paths import OURS
from hookwright.reply import HandlerFailed, Reply, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any

    Handler = Callable[[Any], Any]

DEFAULT_TIMEOUT_S = 60.0
PATIENCE = 5  # rings of the alarm, one a second
LOAD_LIMIT_S = 20.0  # a file that does not come to its end must not hold up a config
MODULE = "hookwright_handlers"  # how the name of each handler file's module begins
_NO_PACKAGES = ("__pycache__", "node_modules")
CODE: dict[str, bytes] = {}  # handler file -> its marshalled code, put here by whoever loaded the bindings
own_process = False  # whether the process is ours to end: set by the hook, not by a user's test
_loaded: "dict[str, list[Registered]]" = {}
_begun: set[str] = set()  # the files that were run, those that raised included: what they imported is here
_names: dict[str, str] = {}  # handler file -> the name of its module
_registered: "list[Registered]" = []  # by the file that is being loaded


class Registered:
    """One decorated function, and what for."""

    def __init__(self, function: "Handler", event_name: str, pattern: str, on_error: str, timeout_s: float) -> None:
        self.function = function
        self.event_name = event_name
        self.pattern = pattern
        self.on_error = on_error
        self.timeout_s = timeout_s


class On:
    """`on.PreToolUse(tool="Bash")` registers the function below it for that event."""

    def __getattr__(self, event_name: str) -> "Registrar":
        if row_of(event_name) is None:
            from hookwright.errors import did_you_mean
            from hookwright.events import BY_NAME

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
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
            raise ValueError(f"timeout is a number of seconds above 0, not {timeout!r}")

        def register(handler: "Handler") -> "Handler":
            if not callable(handler) or isinstance(handler, type):
                raise TypeError(f"@on.{self.event_name} goes above a function; a filter is tool= or match=")
            _registered.append(Registered(handler, self.event_name, pattern, on_error, float(timeout)))
            return handler

        return register(function) if function is not None else register

    def _filter(self, tool: str | None, match: str | None) -> str:
        event = row_of(self.event_name)
        assert event is not None  # `on` knows it
        if tool is not None and not event.tools:
            raise TypeError(f"{self.event_name} is not about a tool; it takes match=, not tool=")
        if match is not None and not event.matches:
            raise TypeError(f"{self.event_name} has nothing to match")
        return tool if tool is not None else match if match is not None else "*"


on = On()


class Loaded:
    """What a handler file brought: bindings, its code, and the user's own modules that it imported."""

    def __init__(self, found: list[tuple[str, Binding]], code: bytes, modules: list[str]) -> None:
        self.found = found
        self.code = code
        self.modules = modules


def bindings_in(path: str, shown_as: str) -> Loaded:
    """Load a handler file and see what it registers. Raises what the file raises."""
    from hookwright.globs import compiled

    with open(path, "rb") as file:
        source = file.read()
    code = compile(source, path, "exec", dont_inherit=True)
    CODE[path] = marshal.dumps(code)
    site_packages = any(name not in (*sys.stdlib_module_names, "hookwright") for name in _imported(code))
    known = set(sys.modules)
    _loaded.pop(path, None)
    found = []
    for number, row in enumerate(_within(LOAD_LIMIT_S, lambda: _load(path, site_packages))):
        name = getattr(row.function, "__name__", type(row.function).__name__)
        options = {"file": path, "number": number, "function": name, "site_packages": site_packages}
        match = compiled(row.pattern)
        binding = Binding("function", f"{shown_as}:{name}", match, row.on_error, row.timeout_s, options, row.pattern)
        found.append((row.event_name, binding))
    return Loaded(found, CODE[path], _own_modules(set(sys.modules) - known, path))


def _imported(code: "CodeType") -> "Iterator[str]":
    """The packages that code imports, at whatever depth; "" for its own. `ast` would take most of a start."""
    from opcode import opmap

    above = 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument |= above
        above = argument << 8 if operation == opmap["EXTENDED_ARG"] else 0
        if operation == opmap["IMPORT_NAME"]:
            yield code.co_names[argument].partition(".")[0]
    for inner in code.co_consts:
        if isinstance(inner, type(code)):
            yield from _imported(inner)


def _own_modules(names: set[str], path: str) -> list[str]:
    """The files of modules beside the handler file or below its folder; a change to one is a change to it."""
    folder = path.rpartition("/")[0] + "/"
    files = [getattr(sys.modules[name], "__file__", None) or "" for name in names if name in sys.modules]
    return sorted({file for file in files if file.startswith(folder) and file != path and "-packages/" not in file})


def forget() -> None:
    """Load every handler file, and the modules beside it, anew: as a new process would."""
    for path in _begun:
        for file in _own_modules(set(sys.modules), path):
            for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", "") == file]:
                del sys.modules[name]
    forget_files()


def forget_files() -> None:
    """Load every handler file anew; the modules that it imported stay."""
    _loaded.clear()
    _begun.clear()


def handle(event: "Any", binding: Binding, allowed_s: float) -> Reply | None:
    """Call one function; over its time it is abandoned."""
    file, options = binding.options["file"], binding.options

    def call() -> "Any":
        return _function(_load(file, options["site_packages"]), options)(event)

    try:
        value = _within(allowed_s, call)
    except HandlerFailed:
        raise
    except BaseException as error:  # sys.exit() in a handler is a failure too, not the end of the hook
        raise HandlerFailed(described(error, file)) from error
    return _as_reply(value)


def _function(rows: list[Registered], options: "dict[str, Any]") -> "Handler":
    """The function that was bound; a file that registers in another order each time still has it by its name."""
    number, name = options["number"], options["function"]
    likely = rows[number : number + 1] + rows
    for row in likely:
        if getattr(row.function, "__name__", type(row.function).__name__) == name:
            return row.function
    raise HandlerFailed(f"{options['file']} does not register {name} any more")


class _TimeIsUp(BaseException):
    """Raised inside a handler at its deadline; no `except Exception` of the handler's stops it."""


def _within(allowed_s: float, call: "Callable[[], Any]") -> "Any":
    """What a call returns or raises, or HandlerFailed when it takes too long."""
    import _signal  # type: ignore[import-not-found]  # `signal` brings `enum`, half a Python start

    def ring(*_: object) -> None:
        rung.append(True)
        if own_process and len(rung) > PATIENCE:  # it swallows everything: better no answer than a hook without end
            posix._exit(0)
        raise _TimeIsUp

    rung: list[bool] = []
    try:
        before = _signal.signal(_signal.SIGALRM, ring)
    except ValueError:  # not in the main thread, which alone hears signals
        return _within_a_thread(allowed_s, call)
    try:
        # Signals reach code that a thread could not: a runaway regular expression never lets go of the interpreter.
        theirs = _signal.setitimer(_signal.ITIMER_REAL, allowed_s, 1.0)
        try:
            return call()
        finally:
            _signal.setitimer(_signal.ITIMER_REAL, *theirs)
    except _TimeIsUp:
        raise HandlerFailed(f"no answer within {allowed_s:g} s") from None
    finally:
        _signal.signal(_signal.SIGALRM, before if before is not None else _signal.SIG_DFL)


def _within_a_thread(allowed_s: float, call: "Callable[[], Any]") -> "Any":
    """The same where no signal can be heard; a call over its time goes on unheeded."""
    import _thread

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


def _load(path: str, site_packages: bool) -> list[Registered]:
    """What the file registers; it is run once."""
    if path not in _loaded:
        if site_packages:
            _open_to_imports(path)
        code: CodeType = marshal.loads(CODE[path])
        try:
            _loaded[path] = _execute(path, code)
        except ModuleNotFoundError:  # one that it imports in a way nobody can see beforehand
            if site_packages:
                raise
            _open_to_imports(path)
            _loaded[path] = _execute(path, code)
    return _loaded[path]


def _execute(path: str, code: "CodeType") -> list[Registered]:
    module = type(sys)(_module_name(path))
    module.__file__ = path
    sys.modules[module.__name__] = module  # dataclasses and pickle look a class's module up
    _registered.clear()
    _begun.add(path)
    exec(code, module.__dict__)  # noqa: S102 - running the user's file is what this is for
    return list(_registered)


def _module_name(path: str) -> str:
    """Another one for each file, and the same one each time."""
    name = _names.get(path)
    if name is None:
        name = _names[path] = MODULE + "".join(char if char.isalnum() else "_" for char in path)
    return name


def _open_to_imports(path: str) -> None:
    """Installed packages and the file's neighbours can be imported from now on; most handlers never need that."""
    bring_site_packages()
    folder = path.rpartition("/")[0]
    if folder not in sys.path:
        sys.path.append(folder)
        sys.path_hooks.insert(0, lambda place: _finder(place, folder))
        for place in [place for place in sys.path_importer_cache if f"{place}/".startswith(f"{folder}/")]:
            del sys.path_importer_cache[place]


def _finder(place: str, folder: str) -> "Any":
    """Finds modules beside a handler by their source, which is what its user sees and approves, never by bytecode."""
    above, *inside = place.removeprefix(folder).split("/")
    if above or not place.startswith(folder) or not all(part.isidentifier() for part in inside):
        raise ImportError  # another folder; or one that is no package, such as site-packages: found as usual
    from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader

    class FromSource(SourceFileLoader):
        def path_stats(self, path: "Any") -> "Any":
            raise OSError  # so that no bytecode is taken for it

    if not can_be_package(place):
        return FileFinder(place)
    return FileFinder(place, (ExtensionFileLoader, EXTENSION_SUFFIXES), (FromSource, [".py"]))


def can_be_package(folder: str) -> bool:
    """Whether modules are imported from a folder: not from caches, nor from what we write ourselves."""
    above, _, name = folder.rpartition("/")
    return name not in _NO_PACKAGES and not (above.endswith(f"/{OURS}") and name in ("state", "runs"))


def bring_site_packages() -> None:
    """What -S left out, once."""
    if "site" not in sys.modules:
        import site

        site.main()
