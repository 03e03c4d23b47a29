"""What a verb prints for a person: nothing in it can drive their terminal, whoever wrote it."""

from __future__ import annotations

import re
from typing import Any

from hookwright.output import plain

_COLOUR = re.compile(r"(\x1b\[[0-9;]{0,8}m)")  # all that we use ourselves, and it harms nobody


class Screen:
    """A text stream without terminal sequences and control characters, colours excepted."""

    def __init__(self, stream: Any) -> None:
        self.bare = stream

    def write(self, text: str) -> int:
        """Print what is left of the text."""
        pieces = _COLOUR.split(text)
        pieces[::2] = map(plain, pieces[::2])
        self.bare.write("".join(pieces))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


def bare(stream: Any) -> Any:
    """The terminal itself, for a display that moves about on it and prints nothing that others wrote."""
    return stream.bare if isinstance(stream, Screen) else stream
