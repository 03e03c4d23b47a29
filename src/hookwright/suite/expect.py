"""What a test expects: one function for each kind, and one row. None is "met", a text says why not.

The texts of `contains`, `not_contains` and `regex` are those of the source documents, to the letter.
"""

from hookwright import globs
from hookwright.masks import cut
from hookwright.reply import HandlerFailed
from hookwright.suite.patterns import BadPattern, TookTooLong, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookwright.suite.evidence import Call, Evidence


class CannotBeJudged(Exception):
    """Neither met nor not met: it fails the test wherever it stands, also inside `not` and `any_of`."""


QUOTED = 200  # characters of a response that a reason repeats


class Scene:
    """What one entry is judged against: the side of the evidence that its `on` names."""

    def __init__(self, evidence: "Evidence", entry: "dict[str, Any]") -> None:
        on = entry.get("on") or "either"
        self.evidence = evidence
        self.entry = entry
        if not evidence.seen_tools and not evidence.calls:
            on = "answer"  # a response that somebody pasted is all there is
        tool, answer = evidence.tool_text, evidence.answer
        self.text = {"tool": tool, "answer": answer, "either": evidence.text}[on]
        parts = [call.text for call in evidence.calls]
        sides = {"tool": [tool, *parts], "answer": [answer], "either": [tool, *parts, answer, evidence.text]}
        self.texts = list(dict.fromkeys(text for text in sides[on] if text)) or [""]
        self.on = on

    def calls(self, pattern: str = "") -> "list[Call]":
        """The tool calls that a glob means, by default the one this entry has in `tool_called`."""
        pattern = pattern or _glob_of(self.entry.get("tool_called") or "*")
        fits = globs.compiled(pattern)
        return [call for call in self.evidence.calls if any(globs.matches(fits, name) for name in names_of(call.tool))]

    def documents(self) -> "list[Any]":
        from hookwright.suite.documents import documents_in

        structured = [call.result for call in self.evidence.calls if self.on != "answer"]
        return [*documents_in(self.texts), *(value for value in structured if isinstance(value, dict))]


def names_of(tool: str) -> tuple[str, ...]:
    """A tool's full name and, for one of an MCP server, its own."""
    return (tool, tool.rpartition("__")[2]) if tool.startswith("mcp__") else (tool,)


def contains(wanted: str, scene: Scene) -> str | None:
    return None if wanted in scene.text else f"Missing: '{wanted}'"


def not_contains(wanted: str, scene: Scene) -> str | None:
    return f"Unexpected: '{wanted}'" if wanted in scene.text else None


def regex(wanted: str, scene: Scene) -> str | None:
    try:
        return None if search(wanted, scene.text) else f"Pattern not found: '{wanted}'"
    except BadPattern as error:
        raise CannotBeJudged(f"Pattern cannot be read: '{wanted}' ({error})") from error
    except TookTooLong as error:
        raise CannotBeJudged(f"Pattern took too long: '{wanted}' ({error})") from error


def icontains(wanted: str, scene: Scene) -> str | None:
    return None if wanted.casefold() in scene.text.casefold() else f"Missing (in any case): '{wanted}'"


def starts_with(wanted: str, scene: Scene) -> str | None:
    met = any(text.lstrip().startswith(wanted) for text in scene.texts)
    return None if met else f"Does not start with: '{wanted}'"


def min_length(wanted: int, scene: Scene) -> str | None:
    length = len(scene.text.strip())
    return None if length >= wanted else f"Too short: {length} characters, at least {wanted} wanted"


def equals(wanted: "Any", scene: Scene) -> str | None:
    texts = [text.strip() for text in scene.texts]
    if isinstance(wanted, str) and wanted.strip() in texts:
        return None
    if any(same(document, wanted) for document in scene.documents()):
        return None
    return f"Not equal: expected {_quoted(wanted)}, got {_quoted(texts[0])}"


def json_path(wanted: "Any", scene: Scene) -> str | None:
    from hookwright.suite.documents import BadPath, values_at

    asked = wanted if isinstance(wanted, dict) else {"path": wanted}
    path = asked["path"]
    try:
        faults = [_values_fault(asked, values_at(path, document)) for document in scene.documents()]
    except (BadPath, BadPattern) as error:
        raise CannotBeJudged(f"JSONPath cannot be read: {path} ({error})") from error
    except TookTooLong as error:
        raise CannotBeJudged(f"JSONPath took too long: {path} ({error})") from error
    if None in faults:
        return None
    missing = f"JSONPath not found: {path}"
    return next((fault for fault in faults if fault != missing), missing)


def _values_fault(asked: "dict[str, Any]", found: "list[Any]") -> str | None:
    """What is wrong with the values that one document has there."""
    path = asked["path"]
    if "count" in asked and len(found) != asked["count"]:
        return f"JSONPath {path} found {len(found)} values, not {asked['count']}"
    if not found:
        return None if asked.get("count") == 0 else f"JSONPath not found: {path}"
    if "equals" in asked and not any(same(value, asked["equals"]) for value in found):
        return f"JSONPath {path}: expected {_quoted(asked['equals'])}, got {_quoted(found[0])}"
    texts = [value if isinstance(value, str) else _json(value) for value in found]
    if "contains" in asked and not any(asked["contains"] in text for text in texts):
        return f"JSONPath {path}: Missing: '{asked['contains']}'"
    if "regex" in asked and not any(search(asked["regex"], text) for text in texts):
        return f"JSONPath {path}: Pattern not found: '{asked['regex']}'"
    return None


def json_schema(wanted: "Any", scene: Scene) -> str | None:
    from hookwright.suite.documents import BadSchema, schema_fault

    documents = scene.documents()
    if not documents:
        return "No JSON in the response"
    try:
        faults = [schema_fault(wanted, document) for document in documents]
    except (BadSchema, BadPattern) as error:
        raise CannotBeJudged(f"JSON Schema cannot be read ({error})") from error
    except TookTooLong as error:
        raise CannotBeJudged(f"JSON Schema took too long ({error})") from error
    return None if None in faults else f"JSON Schema not met at {faults[0]}"


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
    return f"Should not hold: {_quoted(wanted)}"


def _inherit(entry: "dict[str, Any]", scene: Scene) -> "dict[str, Any]":
    return {"on": scene.entry["on"], **entry} if scene.entry.get("on") else entry


def tool_called(wanted: "Any", scene: Scene) -> str | None:
    name = _glob_of(wanted)
    count = len(scene.calls(name))
    if isinstance(wanted, dict) and "count" in wanted:
        return None if count == wanted["count"] else f"Tool called {count} times, not {wanted['count']}: '{name}'"
    return None if count else _never_called(name, scene.evidence)


def tool_not_called(wanted: "Any", scene: Scene) -> str | None:
    name = _glob_of(wanted)
    return f"Tool called: '{name}'" if scene.calls(name) else None


def tool_args(wanted: "dict[str, Any]", scene: Scene) -> str | None:
    calls = scene.calls()
    if any(within(wanted, call.input) for call in calls):
        return None
    if not calls:
        return _never_called(_glob_of(scene.entry.get("tool_called") or "*"), scene.evidence)
    return f"Tool arguments differ: expected {_quoted(wanted)}, got {_quoted(calls[-1].input)}"


def tool_error(wanted: "bool | str", scene: Scene) -> str | None:
    errors = [call.error for call in scene.calls() if call.error is not None]
    if wanted is False:
        return f"Unexpected tool error: {_quoted(errors[0])}" if errors else None
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


class Kind:
    """One kind of expectation: how it is judged, which shape its value has in a suite file, what it means."""

    __slots__ = ("help", "judge", "takes")

    def __init__(self, judge: "Callable[[Any, Scene], str | None]", takes: str, help: str) -> None:
        self.judge = judge
        self.takes = takes
        self.help = help


EXPECTATIONS = {
    "contains": Kind(contains, "text", "The response has this text."),
    "not_contains": Kind(not_contains, "text", "The response does not have this text."),
    "regex": Kind(regex, "pattern", "The response matches this regular expression somewhere."),
    "icontains": Kind(icontains, "text", "The response has this text, in any case."),
    "equals": Kind(equals, "any value", "The response is this text, or JSON with this value."),
    "starts_with": Kind(starts_with, "text", "The response begins with this text."),
    "min_length": Kind(min_length, "count", "The response has at least so many characters."),
    "json_path": Kind(json_path, "path", "This JSONPath (RFC 9535) finds something, or what is asked of it."),
    "json_schema": Kind(json_schema, "schema", "JSON in the response fits this JSON Schema."),
    "tool_called": Kind(tool_called, "tool", "A tool that fits this glob was called (so often)."),
    "tool_not_called": Kind(tool_not_called, "glob", "No tool that fits this glob was called."),
    "tool_args": Kind(tool_args, "mapping", "A call (of `tool_called`, if given) had at least these arguments."),
    "tool_error": Kind(tool_error, "flag or text", "A tool failed (with this text), or none did."),
    "latency_ms": Kind(latency_ms, "milliseconds", "No call took longer; without one, the whole test."),
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


def same(left: "Any", right: "Any") -> bool:
    """Equal as JSON: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def within(wanted: "Any", got: "Any") -> bool:
    """Whether `got` has at least what is wanted, at any depth."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return all(key in got and within(value, got[key]) for key, value in wanted.items())
    return same(wanted, got)


def _never_called(name: str, evidence: "Evidence") -> str:
    blind = "" if evidence.seen_tools else " (tool calls are seen only with `suite: {drive: self}`)"
    return f"Tool not called: '{name}'{blind}"


def _glob_of(wanted: "Any") -> str:
    return str(wanted.get("tool") or "*") if isinstance(wanted, dict) else str(wanted)


def _quoted(value: "Any") -> str:
    return f"'{cut(value if isinstance(value, str) else _json(value), QUOTED)}'"


def _json(value: "Any") -> str:
    from hookwright.wire import encode

    return encode(value)
