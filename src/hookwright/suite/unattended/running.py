"""A run: lanes take units of tests, the main thread judges, tells how it goes, and ends everything when told to.

Only the main thread can end a runaway regular expression, and only it hears Ctrl-C. So lanes hand their evidence over.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from hookwright.suite.unattended import one_test
from hookwright.suite.unattended.children import GRACE_S, Children, Ended
from hookwright.suite.unattended.one_test import Bench, Judged, Outcome, Round, Way
from hookwright.suite.unattended.seen import Seen

Json = dict[str, Any]
LOOK_EVERY_S = 0.1
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Watcher:
    """Who is told how a run goes; does nothing by itself."""

    live = False  # whether it wants to be told that time has passed

    def began(self, lane: int, round: int, case: Json) -> None:
        """A test has begun in a lane."""

    def ended(self, lane: int, outcome: Outcome) -> None:
        """A test has its verdict."""

    def tick(self) -> None:
        """Time has passed."""


class Running:
    """One run under way."""

    def __init__(
        self,
        way: Way,
        children: Children,
        folder: str,
        *,
        timeout_s: float,
        jobs: int = 1,
        isolate: bool = False,
        ends_run: Callable[[Outcome], bool] = lambda _: False,
    ) -> None:
        self._bench = Bench(way, children, folder, timeout_s, self._judged_in_main)
        self._children = children
        self._jobs = jobs
        self._isolate = isolate
        self._ends_run = ends_run
        self._told: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._bug: BaseException | None = None
        self.signal = 0

    def __enter__(self) -> Running:
        """From here to the last line of the report Ctrl-C is ours; outside a main thread it is somebody else's."""
        self._former = {number: signal.signal(number, self._heard) for number in (SIGNALS if _is_main() else ())}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def run(self, units: Sequence[Sequence[Json]], index_of: dict[str, int], rounds: int, watcher: Watcher) -> None:
        """Every unit in every round; returns when all is done, or ended."""
        places = [Round(number) for number in range(1, rounds + 1)]
        work = iter([(place, unit) for place in places for unit in units])
        lock = threading.Lock()

        def lane(number: int) -> None:
            before: Round | None = None
            while not self._stop.is_set():
                with lock:
                    place, unit = next(work, (None, ()))
                if place is None:
                    return
                if before not in (None, place):
                    self._bench.way.fresh(number)
                before = place
                self._unit(number, place, unit, index_of, watcher)

        lanes = [
            threading.Thread(target=self._guarded, args=(lane, number), daemon=True) for number in range(self._jobs)
        ]
        if len(lanes) == 1 and _is_main() and not watcher.live:
            self._guarded(lane, 0)  # nobody to draw for, and each hand-over would cost more than a call
        else:
            for thread in lanes:
                thread.start()
            self._serve(lanes, watcher)
        if self._bug is not None:
            raise self._bug

    def _serve(self, lanes: Sequence[threading.Thread], watcher: Watcher) -> None:
        """Do what lanes ask for, until they are through."""
        while any(thread.is_alive() for thread in lanes) or not self._told.empty():
            try:
                self._told.get(timeout=LOOK_EVERY_S)()
            except queue.Empty:
                watcher.tick()

    def _heard(self, number: int, _frame: object) -> None:
        """Ctrl-C: the first ends every child kindly, the second at once. The report is written in any case."""
        self._stop.set()
        if self.signal:
            self._children.end_all(0)
        else:
            self._children.ended = True
            threading.Thread(target=self._children.end_all, args=(GRACE_S,), daemon=True).start()
        self.signal = number

    def _guarded(self, lane: Callable[[int], None], number: int) -> None:
        try:
            lane(number)
        except Ended:
            pass
        except BaseException as bug:  # to be raised where somebody hears it
            self._bug = bug
            self._stop.set()
        self._told.put(lambda: None)

    def _unit(self, lane: int, place: Round, unit: Sequence[Json], index_of: dict[str, int], watcher: Watcher) -> None:
        for case in unit:
            if self._stop.is_set() or not self._bench.way.may_go_on():
                return
            self._in_main(partial(watcher.began, lane, place.number, case))
            outcome = one_test.run(self._bench, lane, place, index_of[case["id"]], case)
            place.statuses[case["id"]] = outcome.status
            if self._ends_run(outcome):
                self._stop.set()
            self._in_main(partial(watcher.ended, lane, outcome))
            if self._isolate:
                self._bench.way.fresh(lane)

    def _judged_in_main(self, case: Json, seen: Seen) -> Judged:
        judged: Judged = self._in_main(lambda: one_test.judged(case, seen))
        return judged

    def _in_main(self, work: Callable[[], Any]) -> Any:
        if _is_main():
            return work()
        future: Future[Any] = Future()

        def do() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._told.put(do)
        return future.result()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
