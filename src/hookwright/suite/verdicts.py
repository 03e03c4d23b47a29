"""Judging one test: its expectations, its time, the tool it was about; and what it saves for later tests."""

from hookwright.suite.evidence import WHOLE, Evidence
from hookwright.suite.expect import failures_of
from hookwright.suite.patterns import BadPattern, Budget, TookTooLong, search
from hookwright.suite.scene import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PLAIN_FORM = "call "
NO_TOOLS = ("it", "that", "them", "these", "this", "those")  # "Call it" says nothing of a tool's name


def failures(case: "dict[str, Any]", evidence: Evidence) -> list[str]:
    """Everything that speaks against a test; [] when it passed."""
    with Budget():
        unmet = failures_of(case.get("expect") or [], evidence)
    found = list(dict.fromkeys([*_tool_missed(case, evidence), *_late(case, evidence), *unmet]))
    return [*found, *_cut(evidence)] if unmet else found


def _cut(evidence: Evidence) -> list[str]:
    """What was looked for may stand in what was not kept."""
    return [
        f"Note: of the {call.whole:,} characters of {call.tool} only the first {WHOLE:,} were judged"
        for call in evidence.calls
        if call.whole
    ]


def _tool_missed(case: "dict[str, Any]", evidence: Evidence) -> list[str]:
    """A test about a tool that was never called has failed, whatever was said about it."""
    tool = tool_of(case)
    if not tool or not evidence.seen_tools or any(tool in names_of(call.tool) for call in evidence.calls):
        return []
    return [f"Tool not called: '{tool}'"]


def tool_of(case: "dict[str, Any]") -> str:
    """The tool that a test is about: its `call`, or an action in the plain form "Call TOOL with key: value"."""
    if case.get("call"):
        return str(case["call"].get("tool") or "")
    action = str(case.get("action") or "").strip()
    if action[: len(PLAIN_FORM)].lower() != PLAIN_FORM:
        return ""
    name, _, rest = action[len(PLAIN_FORM) :].strip().partition(" ")
    name = name.strip("`.,:")
    plain = name.replace("-", "_")
    if not plain.isidentifier() or plain.lower() in NO_TOOLS:
        return ""
    return name if not rest or "_" in plain or _names_arguments(rest.strip()) else ""


def _names_arguments(rest: str) -> bool:
    """Whether this is "with key: value", or "with no arguments"."""
    word, _, after = rest.partition(" ")
    if word.lower() != "with":
        return False
    key, colon, _ = after.partition(":")
    return (bool(colon) and key.strip("` \"'").replace("-", "_").isidentifier()) or after.lower().startswith("no arg")


def _late(case: "dict[str, Any]", evidence: Evidence) -> list[str]:
    limit_s = case.get("timeout")
    if not limit_s or evidence.took_ms is None or evidence.took_ms <= limit_s * 1000:
        return []
    return [f"Timed out: took {evidence.took_ms / 1000:.1f} s, at most {limit_s:g} s allowed"]


def saved(case: "dict[str, Any]", evidence: Evidence) -> tuple[dict[str, str], list[str]]:
    """(variables that the response gave, names of those that it did not give)."""
    with Budget():
        found = _found(case, evidence)
    return (
        {name: value for name, value in found.items() if value is not None},
        [name for name, value in found.items() if value is None],
    )


def _found(case: "dict[str, Any]", evidence: Evidence) -> "dict[str, str | None]":
    found: dict[str, str | None] = {}
    for name, pattern in (case.get("save") or {}).items():
        found[name] = _captured(pattern, evidence.text)
    save_as = case.get("save_as")
    if isinstance(save_as, str):
        found[save_as] = (evidence.tool_text or evidence.answer).strip()
    for name, path in (save_as if isinstance(save_as, dict) else {}).items():
        found[name] = _first_at(path, evidence)
    return found


def _captured(pattern: str, text: str) -> str | None:
    try:
        match = search(pattern, text)
    except (BadPattern, TookTooLong):
        return None
    if match is None:
        return None
    value = match[1] if match.re.groups else match[0]
    return None if value is None else str(value)


def _first_at(path: str, evidence: Evidence) -> str | None:
    from hookwright.suite.documents import BadPath, documents_in, values_at
    from hookwright.wire import encode

    texts = [*(call.text for call in evidence.calls), evidence.answer]
    structured = [value for call in evidence.calls for value in call.documents]
    for document in [*documents_in(texts), *structured]:
        try:
            values = values_at(path, document)
        except (BadPath, BadPattern, TookTooLong):
            return None
        if values:
            return values[0] if isinstance(values[0], str) else encode(values[0])
    return None
