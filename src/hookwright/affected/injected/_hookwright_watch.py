# mypy: ignore-errors
# ruff: noqa: UP031, UP038, I001 - it must also be importable by Python 3.8, in an environment that we know nothing of
"""Being told of each function of the project that is executed, once per place: by `sys.monitoring`, else by
the profiler of the standard library.

A watcher is given a dictionary for each place, and puts the code objects into it by their ids (to hash one, Python
reads all of it). `saw` is called besides while modules are imported, when it matters who called.
"""

import _lsprof
import sys
import threading

TOOLS = (4, 3)  # the numbers that are nobody's; both are needed


def started(path_of, saw):
    """A running watcher, or None where somebody else is at work. `path_of` is "" for a file that is not ours."""
    watcher = Monitor(path_of, saw) if hasattr(sys, "monitoring") else Profiler(path_of, saw)
    return watcher if watcher.start() else None


class Monitor:
    """Two tools: one meets every code object once in its life, the other those of the project once per place.

    `restart_events` would do with one, but wakes up the whole library and pytest for every test.
    """

    def __init__(self, path_of, saw):
        self.path_of, self.saw = path_of, saw

    def start(self):
        monitoring = sys.monitoring
        if any(monitoring.get_tool(tool) is not None for tool in TOOLS):
            return False
        self.event = monitoring.events.PY_START
        callbacks = self._callbacks(monitoring.set_local_events, self.event, monitoring.DISABLE)
        for tool, callback in zip(TOOLS, callbacks):  # noqa: B905 - 3.8 has no strict
            monitoring.use_tool_id(tool, "hookwright")
            monitoring.register_callback(tool, self.event, callback)
        monitoring.set_events(TOOLS[0], self.event)
        return True

    def _callbacks(self, set_local, event, disable):
        own = TOOLS[1]
        path_of, saw = self.path_of, self.saw
        seen, importing = {}, True

        def on_first(code, _offset):
            if path_of(code.co_filename):
                seen[id(code)] = code  # this call is told here, the next one in the next place
                if importing or code.co_name == "<module>":
                    saw(code, sys._getframe(1))
            return disable

        def on_start(code, _offset):
            seen[id(code)] = code
            set_local(own, code, 0)  # until the next place; DISABLE would need more to be woken up
            if importing or code.co_name == "<module>":
                saw(code, sys._getframe(1))

        def place(found, is_import):
            nonlocal seen, importing
            before, seen, importing = seen, found, is_import
            for code in list(before.values()):
                set_local(own, code, event)

        self.place = place
        return on_first, on_start

    def is_watching(self):
        return True

    def stop(self):
        for tool in TOOLS:
            sys.monitoring.register_callback(tool, self.event, None)
            sys.monitoring.free_tool_id(tool)


class Profiler:
    """3.11: cProfile's C core in tests, a trace function while modules are imported and in threads.

    Any tracer makes 3.11 slow; on jinja2's suite a trace function took 4.5 times the plain run, this twice.
    """

    def __init__(self, path_of, saw):
        self.path_of, self.saw = path_of, saw
        self.codes, self.seen, self.importing, self.profiler = {}, set(), True, None
        self.trace = self._on_call  # one object: a bound method is made anew each time

    def start(self):
        if sys.gettrace() is not None or sys.getprofile() is not None:
            return False
        sys.settrace(self.trace)
        threading.settrace(self.trace)
        return True

    def _on_call(self, frame, _event, _arg):
        code = frame.f_code
        if id(code) in self.seen or not self.path_of(code.co_filename):
            return
        self.seen.add(id(code))
        self.codes[id(code)] = code
        if self.importing or code.co_name == "<module>":
            self.saw(code, frame)

    def place(self, found, is_import):
        self._collect()
        self.codes, self.seen, self.importing = found, set(), is_import
        sys.settrace(self.trace if is_import else None)
        if not is_import:
            self.profiler = _lsprof.Profiler(subcalls=False, builtins=False)
            self.profiler.enable()

    def _collect(self):
        profiler, self.profiler = self.profiler, None
        if profiler is not None:
            profiler.disable()  # functions that are still at work are counted by this too
            for entry in profiler.getstats():
                if self.path_of(entry.code.co_filename):
                    self.codes[id(entry.code)] = entry.code

    def is_watching(self):
        """Whether we still are in place: a test may have put a tracer or profiler of its own there."""
        return sys.getprofile() is self.profiler if self.profiler else sys.gettrace() is self.trace

    def stop(self):
        self._collect()
        sys.settrace(None)
        threading.settrace(None)
