"""Glob patterns: whole name, case-sensitive, `* ? [a-z] [!a] {a,b}`.

They are translated when the config is compiled. What is stored needs neither `re` nor `fnmatch` to be used: a plain
name, or the code of the C regex engine, which an interpreter of the same version takes as it is.
"""

import _sre  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SPECIAL = "*?[]{}"
MOST_NAMES, MOST_BRACES = 1000, 50


class BadGlob(ValueError):
    """The pattern cannot be read; the text says why."""


def compiled(pattern: str) -> object:
    """What the bindings store for a pattern: None matches everything, a tuple of names exactly those."""
    if pattern == "*":
        return None
    names = expanded(pattern)
    if not any(c in name for name in names for c in SPECIAL):
        return tuple(names)
    import fnmatch

    return regex_code("|".join(fnmatch.translate(name) for name in names), _common_beginning(names))


def _common_beginning(names: list[str]) -> str:
    """What every name that fits begins with: most names can be told apart by it alone."""
    beginning = names[0]
    while not all(name.startswith(beginning) for name in names) or any(char in beginning for char in SPECIAL):
        beginning = beginning[:-1]
    return beginning


def regex_code(text: str, beginning: str = "") -> "dict[str, Any]":
    """A regular expression with the code `re` made of it, as bytes: a list of numbers takes long to load."""
    from array import array
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(text)
    code = array("I", [int(step) for step in _compiler._code(parsed, parsed.state.flags)]).tobytes()
    groups = parsed.state.groups - 1
    return {"text": text, "flags": int(parsed.state.flags), "code": code, "groups": groups, "begins": beginning}


def matches(stored: "Any", subject: str) -> bool:
    """Whether the whole subject fits what `compiled` made."""
    if stored is None:
        return True
    if isinstance(stored, tuple):
        return subject in stored
    return subject.startswith(stored["begins"]) and bool(pattern_of(stored).match(subject))


def pattern_of(stored: "dict[str, Any]") -> "Any":
    """The compiled regular expression, without importing `re` where that can be had."""
    try:
        code = memoryview(stored["code"]).cast("I").tolist()
        return _sre.compile(stored["text"], stored["flags"], code, stored["groups"], {}, (None,))
    except Exception:  # another build of the engine: let `re` do it again
        import re

        return re.compile(stored["text"])


def expanded(pattern: str) -> list[str]:
    """`{a,b}c` -> `ac`, `bc`; raises BadGlob where a bracket does not close or braces stand for too many names."""
    if not pattern:
        raise BadGlob("the pattern is empty")
    names = 1
    for part in pattern.split("{")[1:]:
        names *= part.count(",") + 1
    if names > MOST_NAMES or pattern.count("{") > MOST_BRACES:
        raise BadGlob(f"its braces stand for more than {MOST_NAMES} names")
    return _expanded(pattern)


def _expanded(pattern: str) -> list[str]:
    opening, depth = -1, 0
    starts: list[int] = []
    in_class = False
    for at, char in enumerate(pattern):
        if in_class:
            # A "]" right after "[" or "[!" stands for itself.
            in_class = not (char == "]" and pattern[starts[-1] + 1 : at] not in ("", "!"))
        elif char == "[":
            in_class = True
            starts.append(at)
        elif char == "{":
            opening = at if depth == 0 else opening
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                return _alternatives(pattern, opening, at)
    if in_class:
        raise BadGlob(f'the "[" at character {starts[-1] + 1} has no closing "]"')
    if depth:
        raise BadGlob(f'the "{{" at character {opening + 1} has no closing "}}"')
    return [pattern]


def _alternatives(pattern: str, opening: int, closing: int) -> list[str]:
    before, after = pattern[:opening], pattern[closing + 1 :]
    names = []
    for choice in _split_choices(pattern[opening + 1 : closing]):
        names += _expanded(before + choice + after)
    return names


def _split_choices(inside: str) -> list[str]:
    choices, depth = [""], 0
    for char in inside:
        if char == "," and depth == 0:
            choices.append("")
            continue
        depth += {"{": 1, "}": -1}.get(char, 0)
        choices[-1] += char
    return choices
