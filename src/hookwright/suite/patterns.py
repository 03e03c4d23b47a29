"""Regular expressions that cannot hang a run: `re`, the documents' own engine, with a deadline for each search.

All searches of one judged test together have a deadline, too: the client does not wait for a hundred slow ones.

The engine looks for signals while it searches, so an alarm ends it. Only a main thread gets signals; elsewhere the
`regex` library does the search, which has a timeout of its own, and other work goes to a thread that can be ended.
"""

import _signal  # type: ignore[import-not-found]
import _thread
import sys
import time

from hookwright import globs
from hookwright.suite.packages import third_party

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Found = TypeVar("Found")

DEADLINE_S = 2.0  # for one search
BUDGET_S = 10.0  # for all of one test
# pattern -> what `re` made of it when the run began: a hook that judges need not load `re`, which costs most of a start
CODE: "dict[str, dict[str, Any]]" = {}


class BadPattern(ValueError):
    """The pattern cannot be read; the text says why."""


class TookTooLong(Exception):
    """A search was ended at its deadline."""


def in_time(work: "Callable[[], Found]") -> "Found":
    """What this comes to, within the time of one search. Raises TookTooLong."""
    allowed_s = Budget.left_s()
    try:
        with Deadline(allowed_s):
            return work()
    except NotHere:
        from hookwright.suite.ended_threads import done_within

        try:
            return done_within(allowed_s, work)
        except TimeoutError:
            raise TookTooLong(_told(allowed_s)) from None


def search(pattern: str, text: str) -> "Any":
    """The first match anywhere in the text, or None. Raises BadPattern, TookTooLong."""
    ready = compiled(pattern)
    allowed_s = Budget.left_s()
    try:
        with Deadline(allowed_s):
            return ready.search(text)
    except NotHere:
        return _searched_elsewhere(pattern, text, allowed_s)


def compiled(pattern: str) -> "Any":
    """A pattern, read. Raises BadPattern."""
    if pattern in CODE:
        return globs.pattern_of(CODE[pattern])
    import re

    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise BadPattern(str(error)) from error


def code_of(case: "Any") -> "dict[str, dict[str, Any]]":
    """What `re` makes of every pattern of a test that has no variable in it."""
    plain = [pattern for pattern in _patterns_in(case) if "${" not in pattern]
    return {pattern: globs.regex_code(pattern) for pattern in plain}


def engine() -> str:
    """Whose code this is; another Python must not run it."""
    return f"{sys.implementation.cache_tag} {sys.hexversion:x}"


def _patterns_in(value: "Any") -> list[str]:
    if isinstance(value, list):
        return [pattern for member in value for pattern in _patterns_in(member)]
    if not isinstance(value, dict):
        return []
    found = [value["regex"]] if isinstance(value.get("regex"), str) else []
    if isinstance(value.get("save"), dict):
        found += [pattern for pattern in value["save"].values() if isinstance(pattern, str)]
    return found + [pattern for member in value.values() for pattern in _patterns_in(member)]


def _searched_elsewhere(pattern: str, text: str, allowed_s: float) -> "Any":
    regex = third_party("regex")
    try:
        return regex.compile(pattern).search(text, timeout=allowed_s)
    except regex.error as error:
        raise BadPattern(str(error)) from error
    except TimeoutError:
        raise TookTooLong(_told(allowed_s)) from None


class Budget:
    """`with Budget():` all searches of this thread have BUDGET_S together, beside the deadline of each.

    An inner one adds nothing.
    """

    of_thread = _thread._local()

    def __enter__(self) -> None:
        self.before: float | None = getattr(Budget.of_thread, "until", None)
        Budget.of_thread.until = self.before or time.monotonic() + BUDGET_S

    def __exit__(self, *_: object) -> None:
        Budget.of_thread.until = self.before

    @staticmethod
    def left_s() -> float:
        """What the next search may take. Raises TookTooLong where nothing is left."""
        until: float | None = getattr(Budget.of_thread, "until", None)
        if until is None:
            return DEADLINE_S
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise TookTooLong(f"the searches of this test have used up their {BUDGET_S:g} s")
        return min(left_s, DEADLINE_S)


class NotHere(Exception):
    """This thread gets no signals."""


class Deadline:
    """`with Deadline(s):` raises TookTooLong when the time is over; who had the alarm before gets it back.

    Raises NotHere in a thread that gets no signals.
    """

    def __init__(self, allowed_s: float) -> None:
        self.allowed_s = allowed_s

    def __enter__(self) -> None:
        try:
            self.before = _signal.signal(_signal.SIGALRM, self._ring)
        except ValueError:
            raise NotHere from None
        self.entered = time.monotonic()
        self.left_s, self.every_s = _signal.setitimer(_signal.ITIMER_REAL, self.allowed_s)

    def __exit__(self, *_: object) -> None:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, self.before)
        if self.left_s:  # one that is overdue rings at once: 0 would switch it off
            left_s = self.left_s - (time.monotonic() - self.entered)
            _signal.setitimer(_signal.ITIMER_REAL, max(left_s, 0.000_001), self.every_s)

    def _ring(self, _number: int, _frame: object) -> None:
        raise TookTooLong(_told(self.allowed_s))


def _told(allowed_s: float) -> str:
    return f"no answer within {allowed_s:.2g} s"
