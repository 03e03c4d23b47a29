# mypy: ignore-errors
# ruff: noqa: UP031, UP038, I001 - it must also be importable by Python 3.8, in an environment that we know nothing of
"""Being told of each function of the project that is executed, once per place: by `sys.monitoring`, else by a profiler.

A watcher is given a dictionary for each place, and puts the code objects into it by their ids (to hash one, Python
reads all of it). `saw` is called besides while modules are imported, when it matters who called.
"""

import sys
import threading

TOOLS = (4, 3)  # the numbers that are nobody's; both are needed
MOST_FOREIGN = 200000  # code objects kept alive so that their ids stay theirs; beyond that each is looked at again


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
        for tool, callback in zip(TOOLS, callbacks):
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
    """3.11: called for every call and return of every function, so two look-ups must do for most of them.

    A trace function would be called less often, but makes Python look up the line of every instruction: 4.5 times the
    plain run instead of twice.
    """

    def __init__(self, path_of, saw):
        self.path_of, self.saw = path_of, saw
        self.profile = self._made()

    def _made(self):
        path_of, saw, foreign = self.path_of, self.saw, {}
        codes, seen, importing = {}, set(), True

        def profile(frame, _event, _arg):
            code = frame.f_code
            key = id(code)
            if key in foreign or key in seen:
                return
            if path_of(code.co_filename):
                seen.add(key)
                codes[key] = code
                if importing or code.co_name == "<module>":
                    saw(code, frame)
            elif len(foreign) < MOST_FOREIGN:
                foreign[key] = code

        def place(found, is_import):
            nonlocal codes, seen, importing
            codes, seen, importing = found, set(), is_import
            if not self.is_watching():
                sys.setprofile(profile)

        self.place = place
        return profile

    def start(self):
        if sys.getprofile() is not None:
            return False
        sys.setprofile(self.profile)
        threading.setprofile(self.profile)
        return True

    def is_watching(self):
        """Whether our function is in place: a test may have put its own there."""
        return sys.getprofile() is self.profile

    def stop(self):
        sys.setprofile(None)
        threading.setprofile(None)
