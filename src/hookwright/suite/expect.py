"""What a test expects: one row for each kind, and the function that judges it. None is "met", a text says why not."""

from hookwright.masks import cut
from hookwright.reply import HandlerFailed
from hookwright.suite import expect_documents as documents
from hookwright.suite import expect_texts as texts
from hookwright.suite import expect_tools as tools
from hookwright.suite.scene import QUOTED, CannotBeJudged, Scene, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookwright.suite.evidence import Evidence


def any_of(wanted: "list[dict[str, Any]]", scene: Scene) -> str | None:
    failures = [_failures(_inherit(entry, scene), scene.evidence) for entry in wanted]
    if any(not failure for failure in failures):
        return None
    return f"None of these: {' | '.join('; '.join(failure) for failure in failures)}"


def all_of(wanted: "list[dict[str, Any]]", scene: Scene) -> str | None:
    return "; ".join(text for entry in wanted for text in _failures(_inherit(entry, scene), scene.evidence)) or None


def not_(wanted: "dict[str, Any]", scene: Scene) -> str | None:
    if _failures(_inherit(wanted, scene), scene.evidence):
        return None
    return f"Should not hold: {quoted(wanted)}"


def _inherit(entry: "dict[str, Any]", scene: Scene) -> "dict[str, Any]":
    return {"on": scene.entry["on"], **entry} if scene.entry.get("on") else entry


class Kind:
    """One kind of expectation: how it is judged, which shape its value has in a suite file, what it means."""

    __slots__ = ("help", "judge", "takes")

    def __init__(self, judge: "Callable[[Any, Scene], str | None]", takes: str, help: str) -> None:
        self.judge = judge
        self.takes = takes
        self.help = help


EXPECTATIONS = {
    "contains": Kind(texts.contains, "text", "The response has this text."),
    "not_contains": Kind(texts.not_contains, "text", "The response does not have this text."),
    "regex": Kind(texts.regex, "pattern", "The response matches this regular expression somewhere."),
    "icontains": Kind(texts.icontains, "text", "The response has this text, in any case."),
    "equals": Kind(texts.equals, "any value", "The response is this text, or JSON with this value."),
    "starts_with": Kind(texts.starts_with, "text", "The response begins with this text."),
    "min_length": Kind(texts.min_length, "count", "The response has at least so many characters."),
    "json_path": Kind(documents.json_path, "path", "This JSONPath (RFC 9535) finds something, or what is asked of it."),
    "json_schema": Kind(documents.json_schema, "schema", "JSON in the response fits this JSON Schema."),
    "tool_called": Kind(tools.tool_called, "tool", "A tool that fits this glob was called (so often)."),
    "tool_not_called": Kind(tools.tool_not_called, "glob", "No tool that fits this glob was called."),
    "tool_args": Kind(tools.tool_args, "mapping", "A call (of `tool_called`, if given) had at least these arguments."),
    "tool_error": Kind(tools.tool_error, "flag or text", "A tool failed (with this text), or none did."),
    "latency_ms": Kind(tools.latency_ms, "milliseconds", "No call took longer; without one, the whole test."),
    "any_of": Kind(any_of, "entries", "One of these entries holds."),
    "all_of": Kind(all_of, "entries", "All of these entries hold."),
    "not": Kind(not_, "entry", "This entry does not hold."),
}


def failures_of(entries: "list[dict[str, Any]]", evidence: "Evidence") -> list[str]:
    """Why a test failed, a sentence for each expectation; [] when it passed."""
    return [text for entry in entries for text in judged(entry, evidence)]


def judged(entry: "dict[str, Any]", evidence: "Evidence") -> list[str]:
    """One entry: all of its kinds count. Whatever goes wrong in one is a reason, too: a test is never left unjudged."""
    scene = Scene(evidence, entry)
    faults = [_outcome(name, entry[name], scene) for name in EXPECTATIONS if name in entry]
    return list(dict.fromkeys(fault for fault in faults if fault is not None))


def _outcome(name: str, wanted: "Any", scene: Scene) -> str | None:
    try:
        return EXPECTATIONS[name].judge(wanted, scene)
    except CannotBeJudged as reason:
        return str(reason)
    except HandlerFailed as missing:  # a library that is not installed
        return f"Cannot be judged: {missing}"
    except Exception as error:
        return f"Cannot be judged: {name} ({type(error).__name__}: {cut(str(error), QUOTED)})"


def _failures(entry: "dict[str, Any]", evidence: "Evidence") -> list[str]:
    """One entry inside another: what cannot be judged goes on up."""
    scene = Scene(evidence, entry)
    faults = [kind.judge(entry[name], scene) for name, kind in EXPECTATIONS.items() if name in entry]
    return list(dict.fromkeys(fault for fault in faults if fault is not None))
