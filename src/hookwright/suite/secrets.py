"""Saved variables that `masks` knows for secrets, by their look or by their name: what is kept or shown has none."""

from hookwright.masks import MASK, masked
from hookwright.suite.variables import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SHORTEST = 6  # characters: a shorter value would be found in half of all words


def hidden(value: "Any", known: "Mapping[str, str]") -> "Any":
    """The texts of a value of any depth, with the secrets among the variables masked."""
    secrets = _secrets_of(known)
    return _replaced(value, secrets) if secrets else value


def _secrets_of(known: "Mapping[str, str]") -> "dict[str, str]":
    """Secret -> what stands in its place. Most runs have none, and one look at all of them together tells."""
    lines = {f"{name}={text}": text for name, text in known.items() if len(text) >= SHORTEST}
    together = "\n".join(lines)
    if masked(together) == together:
        return {}
    found: dict[str, str] = {}
    for text in (text for line, text in lines.items() if masked(line) != line):
        by_look = masked(text)
        safe = by_look if by_look != text else MASK
        found |= {text: safe, escaped(text): safe}  # as it stands in a pattern, too
    return found


def _replaced(value: "Any", secrets: "dict[str, str]") -> "Any":
    if isinstance(value, str):
        for text, safe in secrets.items():
            value = value.replace(text, safe)
        return value
    if isinstance(value, dict):
        return {key: _replaced(member, secrets) for key, member in value.items()}
    if isinstance(value, list):
        return [_replaced(member, secrets) for member in value]
    return value
