"""Regular expressions that cannot hang a run: `re`, the documents' own engine, with a deadline for each search.

The engine looks for signals while it searches, so an alarm ends it. Only a main thread gets signals; elsewhere the
`regex` library does the search, which has a timeout of its own.
"""

import _signal  # type: ignore[import-not-found]
import sys

from hookwright import globs
from hookwright.suite.packages import third_party

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEADLINE_S = 2.0
# pattern -> what `re` made of it when the run began: a hook that judges need not load `re`, which costs most of a start
CODE: "dict[str, dict[str, Any]]" = {}


class BadPattern(ValueError):
    """The pattern cannot be read; the text says why."""


class TookTooLong(Exception):
    """A search was ended at its deadline."""


def search(pattern: str, text: str) -> "Any":
    """The first match anywhere in the text, or None. Raises BadPattern, TookTooLong."""
    ready = compiled(pattern)
    try:
        with _Deadline():
            return ready.search(text)
    except _NotHere:
        return _searched_elsewhere(pattern, text)


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


def _searched_elsewhere(pattern: str, text: str) -> "Any":
    regex = third_party("regex")
    try:
        return regex.compile(pattern).search(text, timeout=DEADLINE_S)
    except regex.error as error:
        raise BadPattern(str(error)) from error
    except TimeoutError:
        raise TookTooLong(_told()) from None


class _NotHere(Exception):
    """This thread gets no signals."""


class _Deadline:
    """`with _Deadline():` raises TookTooLong when the time is over; who had the alarm before gets it back."""

    def __enter__(self) -> None:
        try:
            self.before = _signal.signal(_signal.SIGALRM, _ring)
        except ValueError:
            raise _NotHere from None
        self.left_s, self.every_s = _signal.setitimer(_signal.ITIMER_REAL, DEADLINE_S)

    def __exit__(self, *_: object) -> None:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, self.before)
        if self.left_s:
            _signal.setitimer(_signal.ITIMER_REAL, self.left_s, self.every_s)


def _ring(_number: int, _frame: object) -> None:
    raise TookTooLong(_told())


def _told() -> str:
    return f"no answer within {DEADLINE_S:g} s"
