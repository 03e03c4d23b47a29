"""What a state must look like: it may be anybody's. The first thing that is wrong with it, as a sentence for people."""

from hookwright.suite.results import Results
from hookwright.wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

MODES = ("running", "completed", "aborted")
STATUSES = ("pass", "fail", "skip")
LONGEST = 60  # characters of a wrong value that are shown


def fault(state: "dict[str, Any]") -> str:
    """What is wrong with a state by itself; "" for nothing. A key that is missing or null is not wrong."""
    for key, (fits, wanted) in SHAPES.items():
        if state[key] is not None and not fits(state[key]):
            return f"{key} is {_shown(state[key])}, not {wanted}"
    if state["mode"] is None:
        return f"it has no mode ({', '.join(MODES)})"
    if len(state["results"]) > state["current_index"]:
        return f"it has {len(state['results'])} results, but current_index is {state['current_index']}"
    return ""


def fault_of_plan(state: "dict[str, Any]", total: int, planned: str) -> str:
    """What does not fit the plan: `total` tests, the one at the state's index with this id."""
    index, current = state["current_index"], state["current_test"]
    if index > total:
        return f"current_index is {index}, but the run has {total} tests"
    if current is not None and current["id"] != planned:
        return f"current_test is {_shown(current['id'])}, but test {index + 1} of the run is {_shown(planned)}"
    return ""


def results_fault(results: "Iterable[object]") -> str:
    """What is wrong with results that somebody else wrote."""
    ids: set[str] = set()
    for number, result in enumerate(results, 1):
        if not isinstance(result, dict) or not isinstance(result.get("id"), str):
            return f"result {number} is {_shown(result)}, not a mapping with id and status"
        if result.get("status") not in STATUSES:
            return f"the status of result {number} is {_shown(result.get('status'))}, not {', '.join(STATUSES)}"
        if not isinstance(result.get("failures") or [], list):
            return f"the failures of result {number} are {_shown(result['failures'])}, not a list"
        if result["id"] in ids:
            return f"two results are of {_shown(result['id'])}"
        ids.add(result["id"])
    return ""


def _shown(value: object) -> str:
    text = encode(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_mode(value: object) -> bool:
    return value in MODES


def _is_test(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str)


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def _is_results(value: object) -> bool:
    return isinstance(value, Results)


SHAPES: "dict[str, tuple[Callable[[object], bool], str]]" = {
    "mode": (_is_mode, f"one of {', '.join(MODES)}"),
    "total_tests": (_is_whole, "a whole number"),
    "current_index": (_is_whole, "a whole number"),
    "current_test": (_is_test, "a test with an id"),
    "results": (_is_results, "a list"),
    "saved_vars": (_is_mapping, "a mapping"),
    "filter_category": (_is_text, "a text"),
    "filter_tag": (_is_text, "a text"),
    "started_at": (_is_text, "a text"),
    "completed_at": (_is_text, "a text"),
}
