"""What was seen of a test: its tool calls with their results, and the answer. Kept in one small file for each test."""

import posix

from hookwright.masks import cut, trimmed
from hookwright.paths import read_file, replace_file
from hookwright.wire import NotJson, decode, encode, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

WHOLE = 1_000_000  # characters of one result that a test is judged on
DEEPEST = 10  # levels of an expectation that are kept
SHOWN = 4_000  # characters of it that are kept when it has been judged

NO_VARIABLES: "Mapping[str, str]" = {}


class Call:
    """One tool call."""

    __slots__ = ("error", "id", "input", "ms", "result", "tool", "whole")

    def __init__(
        self,
        tool: str,
        input: "Any" = None,
        result: "Any" = None,
        error: str | None = None,
        ms: float | None = None,
        id: str = "",
    ) -> None:
        self.tool = tool
        self.input = input if input is not None else {}
        self.result = result  # as the tool gave it
        self.error = error
        self.ms = ms
        self.id = id  # the client's own, by which a call that came twice is known
        self.whole = 0  # characters that the result had, where not all of them were kept

    @property
    def text(self) -> str:
        """What the model read of it."""
        return self.error if self.error is not None else text_of(self.result)

    @property
    def documents(self) -> "list[dict[str, Any]]":
        """What it gave as data: the structured content of an MCP result, and the result itself."""
        inner = self.result.get("structuredContent") if isinstance(self.result, dict) else None
        return [value for value in (inner, self.result) if isinstance(value, dict)]

    def row(self) -> "dict[str, Any]":
        return {name: getattr(self, name) for name in ("tool", "input", "result", "error", "ms", "id")}


class Evidence:
    """All that was seen of one attempt at a test."""

    __slots__ = ("answer", "calls", "seen_tools", "took_ms")

    def __init__(
        self,
        answer: str = "",
        calls: "list[Call] | None" = None,
        took_ms: float | None = None,
        seen_tools: bool = True,
    ) -> None:
        self.answer = answer
        self.calls = calls or []
        self.took_ms = took_ms
        self.seen_tools = seen_tools  # whether a tool call would have been seen at all

    @property
    def tool_text(self) -> str:
        return "\n".join(call.text for call in self.calls)

    @property
    def text(self) -> str:
        """The tools' texts, a newline, the answer."""
        return "\n".join(text for text in (self.tool_text, self.answer) if text)


def text_of(result: "Any") -> str:
    """A tool's result as text: the texts of MCP content, the output of a command, else its JSON."""
    if isinstance(result, str):
        return result
    if result is None:
        return ""
    if isinstance(result, dict) and isinstance(result.get("content"), list):
        result = result["content"]
    if isinstance(result, dict) and isinstance(result.get("stdout"), str):
        return "\n".join(text for text in (result["stdout"], result.get("stderr")) if text)
    if isinstance(result, list) and all(isinstance(block, dict) for block in result):
        return "\n".join(_block_text(block) for block in result)
    return encode(result)


def _block_text(block: "dict[str, Any]") -> str:
    text = block.get("text")
    return text if isinstance(text, str) else encode(block)


def append(path: str, line: "dict[str, Any]") -> None:
    """Add one line in one write."""
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_CLOEXEC | posix.O_NOFOLLOW
    fd = posix.open(path, flags, 0o600)
    try:
        write_all(fd, encode(line).encode() + b"\n")
    finally:
        posix.close(fd)


def lines(path: str) -> "list[dict[str, Any]]":
    """Every line; the half one of a process that was killed is left out."""
    try:
        data = read_file(path)
    except OSError:
        return []
    found = []
    for line in data.split(b"\n"):
        try:
            value = decode(line) if line else None
        except NotJson:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def given(path: str, at: float) -> None:
    """A test is handed over: what is seen from here on is its evidence."""
    append(path, {"kind": "given", "at": at})


def call_of_event(raw: "Mapping[str, Any]") -> Call:
    """The tool call that a client tells of after it."""
    error = raw.get("error")
    ms = raw.get("duration_ms")
    return Call(
        str(raw.get("tool_name") or ""),
        raw.get("tool_input"),
        raw.get("tool_response"),
        None if error is None else str(error),
        ms if isinstance(ms, int | float) else None,
        str(raw.get("tool_use_id") or ""),
    )


def add_call(path: str, call: Call) -> None:
    """A tool was called for the test."""
    row = call.row()
    if len(call.text) > WHOLE:
        row |= {"error" if call.error is not None else "result": call.text[:WHOLE], "whole": len(call.text)}
    append(path, {"kind": "call", **row})


def add_attempt(path: str, failures: list[str]) -> None:
    """The test failed and is tried again."""
    append(path, {"kind": "attempt", "failures": failures})


def attempts(path: str) -> int:
    """How many attempts have failed before this one."""
    return sum(line.get("kind") == "attempt" for line in lines(path))


def _call_of(line: "dict[str, Any]") -> Call:
    call = Call(str(line.get("tool")), line.get("input"), line.get("result"), line.get("error"), line.get("ms"))
    call.id = str(line.get("id") or "")
    call.whole = int(line.get("whole") or 0)
    return call


def since_given(path: str, answer: str, now: float, seen_tools: bool) -> Evidence:
    """The evidence of the attempt under way."""
    since: list[dict[str, Any]] = []
    at: float | None = None
    for line in lines(path):
        if line.get("kind") == "given":
            since, at = [], line.get("at")
        else:
            since.append(line)
    took_ms = (now - at) * 1000 if isinstance(at, int | float) else None
    return Evidence(answer, calls_in(since), took_ms, seen_tools)


def calls_in(rows: "list[dict[str, Any]]") -> list[Call]:
    """The tool calls among some lines; hooks that are registered twice tell of each twice."""
    calls: list[Call] = []
    for row in rows:
        if row.get("kind") == "call":
            call = _call_of(row)
            if not call.id or all(call.id != other.id for other in calls):
                calls.append(call)
    return calls


def close(path: str, verdict: "dict[str, Any]", evidence: Evidence, known: "Mapping[str, str]" = NO_VARIABLES) -> None:
    """The test is judged: what is kept of it has its secrets masked and its long texts cut."""
    told = shown(verdict.get("action", ""), verdict.get("expect", []), known)
    took_ms = None if evidence.took_ms is None else round(evidence.took_ms)
    calls = [_shown_call(call, known) for call in evidence.calls]
    seen = {"took_ms": took_ms, "calls": calls, "answer": cut(_hidden(evidence.answer, known), SHOWN)}
    replace_file(path, encode({"kind": "judged", **verdict, **told, **seen}).encode() + b"\n")


def _shown_call(call: Call, known: "Mapping[str, str]") -> "dict[str, Any]":
    text = cut(_hidden(call.text, known), SHOWN)
    return {
        "tool": call.tool,
        "input": trimmed(_hidden(call.input, known), SHOWN),
        "result": text if call.error is None else None,
        "error": text if call.error is not None else None,
        "ms": call.ms,
        **({"whole": call.whole} if call.whole else {}),
    }


def shown(action: str, expect: "list[Any]", known: "Mapping[str, str]") -> "dict[str, Any]":
    """What a test asks for, as it may be kept."""
    action, expect = _hidden([action, expect], known)
    return {"action": cut(action, WHOLE), "expect": trimmed(expect, SHOWN, DEEPEST)}


def _hidden(value: "Any", known: "Mapping[str, str]") -> "Any":
    from hookwright.suite.secrets import hidden  # only who judges has to load it

    return hidden(value, known)


def judged(path: str, test_id: str) -> "dict[str, Any]":
    """What was kept of a judged test; {} where there is nothing."""
    kept = [line for line in lines(path) if line.get("kind") == "judged" and line.get("id") == test_id]
    return kept[-1] if kept else {}
