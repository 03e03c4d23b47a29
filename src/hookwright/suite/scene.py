"""What one expectation is judged against, and the words that all of them share."""

from hookwright import globs
from hookwright.masks import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.suite.evidence import Call, Evidence

QUOTED = 200  # characters of a response that a reason repeats


class CannotBeJudged(Exception):
    """Neither met nor not met: it fails the test wherever it stands, also inside `not` and `any_of`."""


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
        pattern = pattern or glob_of(self.entry.get("tool_called") or "*")
        fits = globs.compiled(pattern)
        return [call for call in self.evidence.calls if any(globs.matches(fits, name) for name in names_of(call.tool))]

    def documents(self) -> "list[Any]":
        from hookwright.suite.documents import documents_in

        structured = [value for call in self.evidence.calls if self.on != "answer" for value in call.documents]
        return [*documents_in(self.texts), *structured]


def names_of(tool: str) -> tuple[str, ...]:
    """A tool's full name and, for one of an MCP server, its own."""
    return (tool, tool.rpartition("__")[2]) if tool.startswith("mcp__") else (tool,)


def glob_of(wanted: "Any") -> str:
    return str(wanted.get("tool") or "*") if isinstance(wanted, dict) else str(wanted)


def quoted(value: "Any") -> str:
    return f"'{cut(value if isinstance(value, str) else as_json(value), QUOTED)}'"


def as_json(value: "Any") -> str:
    from hookwright.wire import encode

    return encode(value)
