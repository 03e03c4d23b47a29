"""`${name}` in actions and expectations: what an earlier test saved. Values are text, whatever is in them.

`$${name}` stands for a plain `${name}`. A `${name}` that stands alone is `Saved`: equal to the text and to what it is
the JSON of.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

REGEX_KEYS = ("regex", "save")  # in a pattern a value stands for itself, not for what its characters mean there


class Saved(str):
    """The whole of an expected value: a saved 3 is the text "3" and the number 3."""

    __slots__ = ()


def names_in(value: "Any") -> "Iterator[str]":
    """Every variable that a value of any depth refers to."""
    if isinstance(value, str):
        yield from (name for name, _ in _parts(value) if name)
    elif isinstance(value, dict):
        for member in value.values():
            yield from names_in(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from names_in(member)


def saved_by(case: "Mapping[str, Any]") -> list[str]:
    """The variables that a test saves."""
    save_as = case.get("save_as") or ()
    return [*(case.get("save") or ()), *([save_as] if isinstance(save_as, str) else save_as)]


def filled(value: "Any", known: "Mapping[str, str]", escape: "Callable[[str], str]" = str) -> "Any":
    """The value with its variables replaced; one that is not known stays as it is written."""
    if isinstance(value, str):
        return _filled_text(value, known, escape) if "${" in value else value
    if isinstance(value, dict):
        return {key: filled(member, known, escaped if key in REGEX_KEYS else escape) for key, member in value.items()}
    if isinstance(value, list):
        return [filled(member, known, escape) for member in value]
    return value


def escaped(text: str) -> str:
    """The text as a pattern that matches itself; `re.escape` without `re`."""
    return "".join(char if char.isalnum() or char == "_" else f"\\{char}" for char in text)


def is_name(name: str) -> bool:
    """Whether this can be a variable's name."""
    return bool(name) and name.replace("-", "_").replace(".", "_").isidentifier()


def _filled_text(text: str, known: "Mapping[str, str]", escape: "Callable[[str], str]") -> str:
    parts = [part for part in _parts(text) if part != ("", "")]
    if len(parts) == 1 and parts[0][0] in known and escape is str:
        return Saved(known[parts[0][0]])
    return "".join(
        (escape(str(known[name])) if name in known else f"${{{name}}}") if name else plain for name, plain in parts
    )


def _parts(text: str) -> "Iterator[tuple[str, str]]":
    """(name, "") for each variable and ("", text) for what stands between them."""
    plain, *others = text.split("${")
    for piece in others:
        name, brace, rest = piece.partition("}")
        if plain.endswith("$"):
            plain = f"{plain[:-1]}${{{piece}"
        elif brace and is_name(name):
            yield "", plain
            yield name, ""
            plain = rest
        else:
            plain = f"{plain}${{{piece}"
    yield "", plain
