# mypy: ignore-errors
# ruff: noqa: UP031, UP038, I001 - it must also run on Python 3.8, in an environment that we know nothing of
"""Injected into one run of the user's pytest: keeps to the selected tests, reports each outcome, records what ran.

It lives in the user's interpreter (3.8 or newer), so it imports nothing of hookwright; recording needs 3.11. The file
named by HOOKWRIGHT_CONTROL says what to do. Outcomes are written as they come, one JSON object per line, so that a run
that is killed has told everything it knew.
"""

import gc
import json
import os
import re

import pytest

import _hookwright_recorder
from _hookwright_failures import failure


def _control():
    try:
        with open(os.environ["HOOKWRIGHT_CONTROL"], encoding="utf-8") as file:
            return json.load(file)
    except (KeyError, OSError, ValueError):
        return None


CONTROL = _control()


class Reporter:
    """One file of JSON lines per process; under xdist only the controller tells outcomes, only workers record."""

    def __init__(self, path):
        self.fd = os.open("%s.%d" % (path, os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, **fields):
        os.write(self.fd, (json.dumps(fields) + "\n").encode("utf-8", "replace"))


# From here on, and not from `pytest_configure`: conftests are imported before that, and the project with them.
REPORTER = Reporter(CONTROL["report"]) if CONTROL else None
RECORDER = _hookwright_recorder.start(CONTROL["root"], REPORTER.tell) if CONTROL and CONTROL.get("record") else None


class Plugin:
    """The hooks; registered only when there is a control file."""

    def __init__(self, control, config, reporter, recorder):
        self.control = control
        self.reporter = reporter
        self.is_worker = hasattr(config, "workerinput")
        self.is_controller = not self.is_worker and bool(getattr(config.option, "numprocesses", None))
        self.recorder = recorder
        if self.recorder and self.is_controller:
            self.recorder.stop()
            self.recorder = None
        self.durations = {}
        owner = control.get("owner", 0)
        self.owner = owner if owner and _lives(owner) else 0  # 0: in a container it may have another number
        self.reporter.tell(kind="start", recording=self.recorder is not None)

    # -- what is run, and in which order

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        wanted = self.control.get("rank")  # test, or file of tests -> its place
        passed_over = set(self.control.get("others") or ())  # known, and not affected; what is not known is new
        excluded = [(include, re.compile(text)) for include, text in self.control.get("exclude") or ()]
        kept, dropped, left_out = [], [], []
        for item in items:
            path = item.nodeid.split("::")[0]
            if item.nodeid in passed_over or _fits(path, excluded):
                dropped.append(item)
            elif self._marks(item):
                left_out.append(item)
            else:
                kept.append(item)
        if wanted:
            kept = _in_order(kept, wanted)
        if dropped or left_out:
            config.hook.pytest_deselected(items=dropped + left_out)
        items[:] = kept
        if not self.is_worker:
            named = [[item.nodeid, self._marks(item)[0]] for item in left_out[:50]]
            self.reporter.tell(kind="collected", tests=len(kept), left_out=named, left_out_count=len(left_out))

    def _marks(self, item):
        names = self.control.get("leave_out") or ()
        return [mark.name for mark in item.iter_markers() if mark.name in names] if names else []

    def pytest_runtest_logfinish(self):
        """Whoever started this was killed, and with it the lock: another run may be on already."""
        if self.owner and not self.is_worker and not _lives(self.owner):
            self.reporter.tell(kind="interrupted", text="nobody waits for this run any more")
            os._exit(2)

    # -- what came of it

    def pytest_collectreport(self, report):
        if report.failed and not self.is_worker:
            self.reporter.tell(kind="broken", id=report.nodeid, **failure(report))

    def pytest_runtest_logreport(self, report):
        if self.is_worker:
            return
        seconds = self.durations.get(report.nodeid, 0.0) + report.duration
        self.durations[report.nodeid] = seconds
        told = {"kind": "test", "id": report.nodeid, "when": report.when, "seconds": round(seconds, 5)}
        if report.failed:
            self.reporter.tell(outcome="failed", **told, **failure(report))
        elif report.skipped:
            self.reporter.tell(outcome="skipped", **told)
        elif report.when == "teardown":
            self.reporter.tell(outcome="passed", **told)  # unless a line before said otherwise

    def pytest_internalerror(self, excrepr):
        self.reporter.tell(kind="internal", text=str(excrepr)[-1000:])

    def pytest_keyboard_interrupt(self, excinfo):
        self.reporter.tell(kind="interrupted", text=str(excinfo.value)[:300])

    def pytest_sessionfinish(self, session):
        if self.recorder:
            self.recorder.finish()
            self.recorder = None
        self.reporter.tell(kind="end")

    def pytest_unconfigure(self):
        """pytest 8.4 collects garbage five times now, and Python once more: once is enough."""
        if getattr(pytest, "version_tuple", (0,)) >= (8, 4):
            gc.collect()
        getattr(gc, "freeze", gc.collect)()

    # -- what it ran through

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if self.recorder:
            self.recorder.enter(item.nodeid)
        yield
        if self.recorder:
            self.recorder.leave(item)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef):
        shared = self.recorder is not None and fixturedef.scope != "function"
        if shared:
            self.recorder.enter_fixture(fixturedef)
        yield
        if shared:
            self.recorder.leave_fixture()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item, nextitem):
        if self.recorder:
            self.recorder.note_fixtures(item)
        shared = self.recorder is not None and (nextitem is None or nextitem.parent is not item.parent)
        if shared:
            self.recorder.enter_teardown()
        yield
        if shared:
            self.recorder.leave_teardown()

    def pytest_fixture_post_finalizer(self, fixturedef):
        if self.recorder:
            self.recorder.fixture_ended(fixturedef)


def _lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _fits(path, patterns):
    """The last gitignore-style pattern that fits decides."""
    verdict = False
    for include, pattern in patterns:
        if pattern.match(path):
            verdict = include
    return verdict


def _in_order(items, rank):
    """Likely failures first, but a file and a class stay together: their shared fixtures are set up once."""
    last = len(rank)
    place_of = {}
    best_of = {}
    for item in items:
        path = item.nodeid.split("::")[0]
        place = place_of[item.nodeid] = rank.get(item.nodeid, rank.get(path, last))
        parts = item.nodeid.split("[")[0].split("::")
        for depth in (1, len(parts) - 1):
            group = tuple(parts[:depth])
            best_of[group] = min(place, best_of.get(group, last))

    def key(item):
        parts = item.nodeid.split("[")[0].split("::")
        return (best_of[(parts[0],)], parts[0], best_of[tuple(parts[:-1])], parts[:-1], place_of[item.nodeid])

    return sorted(items, key=key)


def pytest_load_initial_conftests(early_config, args):
    """A handful of tests is done before xdist has started its workers."""
    plugins = early_config.pluginmanager
    if CONTROL and CONTROL.get("few") and plugins.hasplugin("xdist"):
        args[:] = [*args, "-n0"]


def pytest_configure(config):
    """Only for the run itself: tests may run pytest too, in this process or in another."""
    global CONTROL
    if CONTROL:
        plugin = Plugin(CONTROL, config, REPORTER, RECORDER)
        config.pluginmanager.register(plugin, "hookwright")
        CONTROL = None
        if not plugin.is_controller:
            _leave_no_trace()


def _leave_no_trace():
    os.environ.pop("HOOKWRIGHT_CONTROL", None)
    folder = os.path.dirname(os.path.abspath(__file__))
    for name, between, ours in (("PYTHONPATH", os.pathsep, folder), ("PYTEST_PLUGINS", ",", __name__)):
        left = [part for part in os.environ.get(name, "").split(between) if part != ours]
        if any(left):
            os.environ[name] = between.join(left)
        else:
            os.environ.pop(name, None)
