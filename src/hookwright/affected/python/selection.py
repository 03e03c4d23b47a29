"""Which tests an edit can break: by what they ran through, by who imports whom, by name; each with its reason."""

from __future__ import annotations

import time
from collections.abc import Collection

from hookwright.affected.contract import KINDS, Selection
from hookwright.affected.python.graph import Graph
from hookwright.affected.python.memos import callers, keepers
from hookwright.affected.python.record import units_in
from hookwright.affected.python.store import Known, Store
from hookwright.affected.python.suite import Suite
from hookwright.affected.python.testfiles import named_after
from hookwright.affected.python.units import EXAMPLES, MODULE, Units


class Choice:
    """Tests and files of tests while they are being chosen."""

    def __init__(
        self, store: Store, graph: Graph, suite: Suite, edited: list[str], unresolved: Collection[str]
    ) -> None:
        self.store, self.graph, self.suite, self.edited = store, graph, suite, edited
        self.unresolved = unresolved  # files whose edit left tests failing
        self.known = store.tests()
        self.reasons: dict[str, str] = {}  # test -> why
        self.by_import: set[str] = set()  # tests that only import what was edited
        self.whole: dict[str, tuple[int, str]] = {}  # file of tests -> distance, why
        self.notes: list[str] = []
        self.kinds: set[str] = set()

    # -- recorded

    def by_record(self, path: str) -> str:
        """The tests that ran through what has changed in a file: "unknown" to the record, "unchanged" or "changed"."""
        now = units_in(f"{self.store.root}/{path}")
        stale = self.store.stale_units(path, now)
        if self.store.adds_names(path, now) and self.graph.is_looked_at(path):
            stale |= dict.fromkeys(self.store.units_named([(path, MODULE)]), MODULE)
        if not stale and not self.store.is_changed(path, now):
            self.kinds.add("recorded")
            if path in self.unresolved or self.store.recorded_at(path):  # only a green run answers for the next
                self._failed_before(path)
            self._unchanged(path)
            return "unchanged"
        if not self.store.knows(path):
            return "unknown"
        self.kinds.add("recorded")
        self._failed_before(path)
        self.notes.append(f"{path}: no test runs through what changed")
        for nodeid, unit in self.store.tests_through(stale).items():
            self.reasons.setdefault(nodeid, f"ran {_named(path, stale[unit])}")
        self._by_what_imports_ran(stale, path)
        self._by_kept_results(stale, path)
        self._by_examples(path, now)
        for test in self.known.values():
            if test.spawns:
                self._by_import(test.nodeid, "starts processes, in which nothing is recorded")
        return "changed"

    def _by_import(self, nodeid: str, why: str) -> None:
        if nodeid not in self.reasons:
            self.by_import.add(nodeid)
            self.reasons[nodeid] = why

    def _failed_before(self, path: str) -> None:
        failed = {nodeid for nodeid, test in self.known.items() if test.outcome == "failed"}
        if not failed:
            return
        touching = self.store.tests_touching([path])
        if self.store.is_empty:  # unittest's tests are known, and nothing of what they ran through
            reached = self.graph.reaching([path])
            touching = {nodeid for nodeid in failed if self.known[nodeid].path in reached}
        for nodeid in failed & touching:
            self.reasons[nodeid] = "failed last time"

    def _unchanged(self, path: str) -> None:
        at = self.store.recorded_at(path)
        since = f"unchanged since {time.strftime('%H:%M:%S', time.localtime(at))}" if at else ""
        self.notes.append(f"{path}: {since or 'only comments, formatting or docstrings changed'}")

    def _by_what_imports_ran(self, stale: dict[int, str], path: str) -> None:
        """Code that runs at import time is behind every test that imports the module, however far."""
        modules = self.store.modules_through(stale)
        if not modules:
            return
        reached = self.graph.reaching(modules)
        found = {nodeid for nodeid, test in self.known.items() if test.path in reached}
        found |= self.store.tests_touching(modules)
        for nodeid in found:
            self._by_import(nodeid, f"imports {path}, whose import-time code changed")
        for nodeid in self.store.tests_through(self.store.units_named(self.graph.dynamic)):
            self._by_import(nodeid, f"imports by names made up as it runs, and {path} changed")

    def _by_kept_results(self, stale: dict[int, str], path: str) -> None:
        """A result that a function keeps was made in one test and is used in others."""
        habits = self.graph.habits
        for keeper, decorated in keepers([(path, name) for name in stale.values() if name], habits).items():
            users = [*callers([keeper], habits), keeper] if decorated else [keeper]
            for nodeid in self.store.tests_through(self.store.units_named(users)):
                self._by_import(nodeid, f"uses {keeper[1]}, which keeps results, and {path} changed")

    def _by_examples(self, path: str, now: Units) -> None:
        """Where doctest ran examples of this very file: they stand in docstrings, which are nobody else's business."""
        before = self.store.units_before(path) or {}
        if before.get(EXAMPLES) != now.get(EXAMPLES) and any(test.path == path for test in self.known.values()):
            self.whole.setdefault(path, (0, "its examples changed"))

    # -- graph and name

    def by_graph(self, paths: list[str], only: set[str] | None = None) -> None:
        """The files of tests that import one of these, however far."""
        for path, distance in self.graph.reaching(paths if only is None or only else ()).items():
            if self.suite.is_test(path) and (only is None or path in only) and self.suite.has(path):
                self.kinds.add("graph")
                steps = f", {distance} steps away" if distance > 1 else ""
                self.whole.setdefault(path, (distance, f"imports {', '.join(paths)}{steps}"))

    def by_name(self, paths: list[str]) -> None:
        for path in paths:
            for test_file in filter(self.suite.has, named_after(path, self.graph.files)):
                self.kinds.add("name")
                self.whole.setdefault(test_file, (1, f"is named after {path}"))

    def unrecorded(self) -> set[str]:
        """Files of tests that are new, or not what they were when they were recorded."""
        recorded = self.store.known_files()
        tested = {test.path for test in self.known.values()}
        files = {path for path in self.graph.files if self.suite.is_test(path)}
        return {path for path in files if path not in tested or recorded.get(path) != self.graph.files[path]}

    # -- the outcome

    def selection(self) -> Selection:
        """What was chosen, in the order to run: failed last time, new tests (they fail easily), closest, fastest."""
        tests = sorted((nodeid for nodeid in self.reasons if self._is_needed(nodeid)), key=self._rank)
        files = sorted(self.whole, key=lambda path: (self.whole[path][0], not self._is_named(path), path))
        failed = [nodeid for nodeid in tests if self._failed(nodeid)]
        reasons = {nodeid: self.reasons[nodeid] for nodeid in failed}
        reasons |= {path: self.whole[path][1] for path in files}
        reasons |= {nodeid: self.reasons[nodeid] for nodeid in tests}
        kind = next((kind for kind in KINDS if kind in self.kinds), "all")
        return Selection(kind, reasons, tuple(files), "" if reasons else self._note())

    def _is_needed(self, nodeid: str) -> bool:
        path = self.known[nodeid].path
        return path in self.graph.files and (path not in self.whole or self._failed(nodeid))

    def _failed(self, nodeid: str) -> bool:
        return self.known[nodeid].outcome == "failed"

    def _is_named(self, test_file: str) -> bool:
        return any(test_file in named_after(path, (test_file,)) for path in self.edited)

    def _rank(self, nodeid: str) -> tuple[bool, bool, bool, float]:
        test: Known = self.known[nodeid]
        return (not self._failed(nodeid), nodeid in self.by_import, not self._is_named(test.path), test.seconds)

    def _note(self) -> str:
        return "; ".join(self.notes) or "no test can be reached from here"


def select(store: Store, graph: Graph, suite: Suite, edited: list[str], unresolved: Collection[str] = ()) -> Selection:
    """The tests for an edit of these files, all paths in the project."""
    graph.expect(edited)
    choice = Choice(store, graph, suite, edited, unresolved)
    for path in edited:
        if suite.is_test(path) and path in graph.files:
            choice.kinds.add("name")
            choice.whole[path] = (0, "was edited itself")
    sources = [path for path in edited if not suite.is_test(path)]
    found = {path: choice.by_record(path) for path in sources}
    unknown = [path for path, state in found.items() if state == "unknown" and path.endswith(".py")]
    choice.by_graph(unknown)
    choice.by_name(unknown)
    changed = [path for path, state in found.items() if state == "changed"]
    if changed:
        choice.by_graph(changed, choice.unrecorded())
    if unknown and not choice.kinds and store.is_empty:
        return everything("nothing is known of these files yet")
    return choice.selection()


def everything(reason: str) -> Selection:
    """Every test there is."""
    return Selection("all", {"": reason}, ("",))


def _named(path: str, unit: str) -> str:
    return f"{path}::{unit}" if unit else f"with {path}"
