# mypy: ignore-errors
# ruff: noqa: UP031, UP038, I001 - it must also run on Python 3.8, in an environment that we know nothing of
"""What each test executed, by function, and which files it opened. Runs in the user's interpreter; needs 3.11.

Three kinds of place collect code: a module while it is imported, a fixture that several tests share while it is set
up, and a test. On 3.12 and newer `sys.monitoring` calls us once per function and place, on 3.11 cProfile's core;
`_hookwright_watch` has both.
"""

import os
import sys

import _hookwright_paths
import _hookwright_watch

CODE_ENDINGS = (".pyc", ".pyo", ".so", ".pyd")
SPAWNING = ("popen_spawn_posix.py", "popen_forkserver.py")  # of multiprocessing: no event tells of their processes
PROCESS_EVENTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system")


def start(root, tell):
    """A running recorder, or None where there can be none: an old Python, or somebody else's tracer."""
    if sys.version_info < (3, 11) or sys.implementation.name != "cpython":
        return None
    recorder = Recorder(root, tell)
    if not recorder.watch():
        return None
    recorder.tell_of_earlier_imports()
    return recorder


class Place:
    """Where code was executed: the code objects, by their ids, and the files seen there."""

    def __init__(self):
        self.codes = {}
        self.files = set()
        self.spawns = False


class Recorder:
    """Tells, for each module, shared fixture and test, the numbers of the functions that it ran through."""

    def __init__(self, root, tell):
        self.path = _hookwright_paths.Paths(root).path
        self.tell = tell
        self.numbers = {}  # (path, qualified name) -> number
        self.by_code = {}  # id of a code object -> its number
        self.codes = []  # those, kept alive
        self.modules = {}  # path -> Place
        self.fixtures = {}  # fixture definition -> Places
        self.users = {}  # fixture definition -> tests that had it
        self.stack = []
        self.used = []
        self.ended = []
        self.importing = True
        self.active = True
        self.nodeid = ""

    def watch(self):
        sys.addaudithook(self.on_audit)
        self.watcher = _hookwright_watch.started(self.path, self.saw)
        return self.watcher is not None

    def saw(self, code, frame):
        """A code object of the project's while something is imported: it belongs to that module too."""
        if code.co_name == "<module>":
            self._import_begins()
        self.module_place(frame).codes[id(code)] = code

    def _import_begins(self):
        self.importing = True
        self._watch_place()  # what it calls may have been seen in another place

    def _watch_place(self):
        """Everything is told anew, into the innermost place; outside of tests `saw` finds the module."""
        self.watcher.place(self.stack[-1].codes if self.stack else {}, self.importing)

    def module_place(self, frame):
        """The module that is being imported here: the nearest one up the stack.

        Outside of tests there may be none: then a hook of a conftest runs, and belongs to that file.
        """
        outermost = ""
        while frame is not None:
            code = frame.f_code
            path = self.path(code.co_filename)
            if path and code.co_name == "<module>":
                return self.modules.setdefault(path, Place())
            outermost = path or outermost
            frame = frame.f_back
        return self.modules.setdefault(outermost, Place()) if outermost and not self.stack else Place()

    def on_audit(self, event, args):
        if event == "open":
            if not self.active:
                return
            if isinstance(args[0], int):
                self._piped(sys._getframe(1))
            elif isinstance(args[0], str) and not args[0].endswith(CODE_ENDINGS):
                self._opened(args)
        elif self.active and event in PROCESS_EVENTS and self.stack:
            self.stack[-1].spawns = self.stack[-1].spawns or _may_run_python(event, args)
        elif event == "exec" and self.stack and not self.importing and _is_module(args[0]):
            self._import_begins()

    def _piped(self, frame):
        """A descriptor becomes a file: multiprocessing hands a new process its work in that way."""
        if self.stack and frame.f_code.co_filename.endswith(SPAWNING):
            self.stack[-1].spawns = True

    def _opened(self, args):
        name, mode, flags = args
        writes = flags & (os.O_WRONLY | os.O_RDWR) if isinstance(flags, int) else "r" not in (mode or "r")
        if writes or (not self.stack and not self.importing):
            return
        place = self.stack[-1] if self.stack else self.module_place(sys._getframe(2))
        place.files.add(name if os.path.isabs(name) else os.path.join(os.getcwd(), name))

    # -- places

    def enter(self, nodeid):
        self.nodeid = nodeid
        self.stack = [Place()]
        self.used = []
        self.importing = False
        self._watch_place()

    def enter_fixture(self, definition):
        self.stack.append(Place())
        self.fixtures.setdefault(definition, []).append(self.stack[-1])
        self._watch_place()

    def leave_fixture(self):
        if len(self.stack) > 1:
            inner = self.stack.pop()
            self._merge(self.stack[-1], inner)
            self._watch_place()

    def note_fixtures(self, item):
        """The shared fixtures that this test had; another test may have set them up."""
        request = getattr(item, "_request", None)
        used = dict(getattr(request, "_fixture_defs", None) or {})
        info = getattr(item, "_fixtureinfo", None)
        for name, definitions in (getattr(info, "name2fixturedefs", None) or {}).items():
            used.setdefault(name, definitions[-1])
            for definition in definitions:
                used.setdefault((name, id(definition)), definition)
        self.used = [definition for definition in used.values() if definition in self.fixtures]
        for definition in self.used:
            self.users.setdefault(definition, []).append(self.nodeid)

    def enter_teardown(self):
        """Shared fixtures end with this test, which may not even have had them."""
        self.stack.append(Place())
        self.ended = []
        self._watch_place()

    def leave_teardown(self):
        """What their ends ran through counts for every test that had them; the others have been told of already."""
        if len(self.stack) < 2:
            return
        place = self.stack[-1]
        self.leave_fixture()
        users = {nodeid for definition in self.ended for nodeid in self.users.pop(definition, ())}
        if place.codes or place.files or place.spawns:
            for nodeid in sorted(users - {self.nodeid}):
                self.tell(kind="ran", id=nodeid, **self._told(place))

    def fixture_ended(self, definition):
        if definition in self.users:
            self.ended.append(definition)

    def leave(self, item):
        place, self.stack = self.stack[0], []
        place.spawns = place.spawns or not self.watcher.is_watching()  # what it did then is as unknown as elsewhere
        self.importing = True
        self._watch_place()
        for definition in self.used:
            for shared in self.fixtures[definition]:
                self._merge(place, shared)
        self.tell(kind="ran", id=self.nodeid, **self._told(place))

    def _merge(self, place, other):
        place.codes.update(other.codes)
        place.files |= other.files
        place.spawns = place.spawns or other.spawns

    def finish(self):
        """Stop watching; tell what importing each module ran through."""
        self.stop()
        for path, place in self.modules.items():
            self.tell(kind="module", id=path, **self._told(place))

    def stop(self):
        self.active = False
        self.watcher.stop()

    def tell_of_earlier_imports(self):
        """Modules that another plugin imported before us: their own code has run, that much is certain."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            path = self.path(file) if isinstance(file, str) and file.endswith(".py") else ""
            if path:
                classes = [
                    value.__qualname__
                    for value in list(vars(module).values())
                    if isinstance(value, type) and value.__module__ == name
                ]
                units = [self._number_of((path, unit)) for unit in ["<module>", *classes]]
                self.tell(kind="module", id=path, units=units)

    def _told(self, place):
        units = {self._number(key, code) for key, code in place.codes.items()}
        told = {"units": sorted(units)}
        files = sorted({path for name in place.files if (path := self._data(name))})
        if files:
            told["files"] = files
        if place.spawns:
            told["spawns"] = True
        return told

    def _data(self, name):
        """A data file of the project: code is recorded as code."""
        path = self.path(name)
        return path if path and not path.endswith(".py") and os.path.isfile(name) else ""

    def _number(self, key, code):
        number = self.by_code.get(key)
        if number is None:
            number = self.by_code[key] = self._number_of((self.path(code.co_filename), code.co_qualname))
            self.codes.append(code)  # its id must not become another's
        return number

    def _number_of(self, unit):
        number = self.numbers.get(unit)
        if number is None:
            number = self.numbers[unit] = len(self.numbers)
            self.tell(kind="unit", n=number, path=unit[0], name=unit[1])
        return number


def _is_module(code):
    return getattr(code, "co_name", "") == "<module>" and not code.co_filename.startswith("<")


def _may_run_python(event, args):
    """Whether a new process may run code of the project, which we cannot see there."""
    if event in ("os.fork", "os.forkpty"):
        return True
    words = []
    for arg in args[:2]:
        words += [str(word) for word in arg] if isinstance(arg, (list, tuple)) else [str(arg)]
    scripts = os.path.join(sys.prefix, "bin")
    if any("python" in word or word.endswith(".py") or word.startswith(scripts) for word in words):
        return True
    return any("/" not in word and word and os.path.exists(os.path.join(scripts, word)) for word in words[:2])
