"""Expectations of the tool calls: which, with what, how they ended, how long they took."""

from hookwright.suite.sameness import within
from hookwright.suite.scene import Scene, glob_of, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.suite.evidence import Evidence


def tool_called(wanted: "Any", scene: Scene) -> str | None:
    name = glob_of(wanted)
    count = len(scene.calls(name))
    if isinstance(wanted, dict) and "count" in wanted:
        return None if count == wanted["count"] else f"Tool called {count} times, not {wanted['count']}: '{name}'"
    return None if count else never_called(name, scene.evidence)


def tool_not_called(wanted: "Any", scene: Scene) -> str | None:
    name = glob_of(wanted)
    return f"Tool called: '{name}'" if scene.calls(name) else None


def tool_args(wanted: "dict[str, Any]", scene: Scene) -> str | None:
    calls = scene.calls()
    if any(within(wanted, call.input) for call in calls):
        return None
    if not calls:
        return never_called(glob_of(scene.entry.get("tool_called") or "*"), scene.evidence)
    return f"Tool arguments differ: expected {quoted(wanted)}, got {quoted(calls[-1].input)}"


def tool_error(wanted: "bool | str", scene: Scene) -> str | None:
    errors = [call.error for call in scene.calls() if call.error is not None]
    if wanted is False:
        return f"Unexpected tool error: {quoted(errors[0])}" if errors else None
    if not errors:
        return "No tool error"
    if wanted is True or any(wanted in error for error in errors):
        return None
    return f"Missing in the tool error: '{wanted}'"


def latency_ms(wanted: float, scene: Scene) -> str | None:
    measured = [call.ms for call in scene.calls() if call.ms is not None]
    took = max(measured) if measured else scene.evidence.took_ms
    if took is None:
        return "No duration was measured"
    return None if took <= wanted else f"Too slow: {took:.0f} ms, at most {wanted:g} ms wanted"


def never_called(name: str, evidence: "Evidence") -> str:
    blind = "" if evidence.seen_tools else " (tool calls are seen only with `suite: {drive: self}`)"
    return f"Tool not called: '{name}'{blind}"
