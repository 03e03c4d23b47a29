"""JSON edited as text: a member is put in or taken out, every other byte stays as its owner wrote it.

Key order, spellings of numbers, unicode, indentation and line ends survive: nothing is parsed and printed again.
"""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not list it
from typing import Any, NamedTuple, NoReturn

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_STRING_OR_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')


class NotJson(Exception):
    """The text is not JSON; `line` and `column` say where."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line, self.column = line, column


class Span(NamedTuple):
    """One member of an object, or one item of an array (whose key is ""), as a stretch of the text."""

    key: str
    start: int
    value: int  # where the value starts
    end: int


class Style(NamedTuple):
    """How the file is laid out."""

    unit: str  # one step of indentation; "" where all stands on one line
    newline: str
    colon: str


def parsed(text: str) -> Any:
    """The value, by the rules of JSON proper: no comments, no NaN. Raises NotJson."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        what, at = _slip(text, error)
        raise NotJson(f"not valid JSON: {what}", *position(text, at)) from error
    except _NoJsonValue as error:
        words = (match for match in _STRING_OR_WORD.finditer(text) if not match[0].startswith('"'))
        raise NotJson(f"not valid JSON: {error}", *position(text, next(words).start())) from error
    except RecursionError as error:
        raise NotJson("it is nested too deep") from error


def _slip(text: str, error: json.JSONDecodeError) -> tuple[str, int]:
    """What is wrong and where; the commonest slips by name, which not every Python's decoder calls by theirs."""
    if text.startswith(("//", "/*", "#"), error.pos):
        return "a comment", error.pos
    comma = error.pos if text[error.pos : error.pos + 1] == "," else len(text[: error.pos].rstrip()) - 1
    after = text[comma + 1 :].lstrip()[:1]
    if text[comma : comma + 1] == "," and after in ("}", "]"):
        return f"a comma before the closing {after}", comma
    return error.msg, error.pos


class _NoJsonValue(Exception):
    """A word that Python's decoder takes for a number and JSON does not know."""


def _refuse(word: str) -> NoReturn:
    raise _NoJsonValue(word)


def position(text: str, at: int) -> tuple[int, int]:
    """Line and column of a place in the text, from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def beginning(text: str) -> int:
    """Where the document's value starts."""
    return _skip(text, 0)


def spans(text: str, at: int) -> list[Span]:
    """The members of the object or array that starts at `at`, in their order."""
    closing = {"{": "}", "[": "]"}[text[at]]
    found, here = [], _skip(text, at + 1)
    while text[here] != closing:
        start, key = here, ""
        if closing == "}":
            key, here = scanstring(text, here + 1)
            here = _skip(text, _skip(text, here) + 1)
        end = _DECODER.raw_decode(text, here)[1]
        found.append(Span(key, start, here, end))
        here = _skip(text, end)
        if text[here] == ",":
            here = _skip(text, here + 1)
    return found


def member(text: str, at: int, key: str) -> Span | None:
    """The member of an object with this key; of several the last, which is the one that counts."""
    named = [span for span in spans(text, at) if span.key == key]
    return named[-1] if named else None


def style(text: str) -> Style:
    """How the file is laid out, told from its first member."""
    newline = "\r\n" if "\r\n" in text else "\n"
    at = beginning(text)
    inside = spans(text, at) if text[at] in "{[" else []
    if not inside:
        return Style("  ", newline, ": ")
    before = text[at + 1 : inside[0].start]
    unit = before.rpartition("\n")[2] if "\n" in before else ""
    compact = inside[0].key and text[inside[0].value - 1] == ":"
    return Style(unit, newline, ":" if compact else ": ")


def appended(text: str, at: int, key: str, value: object, how: Style) -> str:
    """The text with one more member at the end of the container that starts at `at`."""
    inside = spans(text, at)
    if inside:
        gap = _gap(text, at, inside, how)
        new = "," + gap + _member(key, value, how, gap.rpartition("\n")[2] if "\n" in gap else None)
        return text[: inside[-1].end] + new + text[inside[-1].end :]
    end = text.index({"{": "}", "[": "]"}[text[at]], at)
    if not how.unit:
        return text[: at + 1] + _member(key, value, how, None) + text[end:]
    outer = _indent_of_line(text, at)
    new = f"{how.newline}{outer}{how.unit}{_member(key, value, how, outer + how.unit)}{how.newline}{outer}"
    return text[: at + 1] + new + text[end:]


def removed(text: str, at: int, span: Span) -> str:
    """The text without one member of the container that starts at `at`."""
    inside = spans(text, at)
    index = inside.index(span)
    if len(inside) == 1:
        return text[: at + 1] + text[_skip(text, span.end) :]
    if index + 1 < len(inside):
        return text[: span.start] + text[inside[index + 1].start :]
    return text[: inside[index - 1].end] + text[span.end :]


def _member(key: str, value: object, how: Style, indent: str | None) -> str:
    """One member printed in the file's own layout; on one line where `indent` is None."""
    if indent is None or not how.unit:
        text = json.dumps(value, ensure_ascii=False, separators=("," if how.colon == ":" else ", ", how.colon))
    else:
        text = json.dumps(value, ensure_ascii=False, indent=how.unit, separators=(",", how.colon))
        text = text.replace("\n", how.newline + indent)  # no string has a raw newline in JSON
    return json.dumps(key, ensure_ascii=False) + how.colon + text if key else text


def _gap(text: str, at: int, inside: list[Span], how: Style) -> str:
    """What stands between a comma and the next member here."""
    if len(inside) > 1:
        return text[inside[-2].end : inside[-1].start].partition(",")[2]
    before = text[at + 1 : inside[0].start]
    return before if "\n" in before else how.colon[1:]


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    assert match is not None  # it matches the empty text too
    return match.end()
