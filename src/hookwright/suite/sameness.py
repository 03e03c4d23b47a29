"""When two values are equal, as JSON sees it."""

from hookwright.suite.variables import Saved
from hookwright.wire import NotJson, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def same(left: "Any", right: "Any") -> bool:
    """Equal as JSON: true is not 1."""
    for saved, other in ((left, right), (right, left)):
        if isinstance(saved, Saved) and not isinstance(other, str):
            return same(_meant(saved), other)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def _meant(saved: Saved) -> "Any":
    """What a saved text is the JSON of; where it is none, the text."""
    try:
        value = decode(saved.encode("utf-8", "surrogatepass"))
    except NotJson:
        return str(saved)
    return value if value is not None or saved.strip() == "null" else str(saved)  # NaN is read as nothing


def within(wanted: "Any", got: "Any") -> bool:
    """Whether `got` has at least what is wanted, at any depth."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return all(key in got and within(value, got[key]) for key, value in wanted.items())
    return same(wanted, got)
