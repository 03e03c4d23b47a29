"""What a verb prints for a person: nothing in it can drive their terminal, whoever wrote it."""

from __future__ import annotations

from typing import Any

from hookwright.output import plain


class Screen:
    """A text stream without terminal sequences and control characters. Colours go too: they can hide a text."""

    def __init__(self, stream: Any) -> None:
        self.bare = stream

    def write(self, text: str) -> int:
        """Print what is left of the text."""
        self.bare.write(plain(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


def bare(stream: Any) -> Any:
    """The terminal itself, for what has colours or moves about; what others wrote in it is made plain first."""
    return stream.bare if isinstance(stream, Screen) else stream


def on_one_line(text: str) -> str:
    """A name that others gave, so that no part of it can pass for a line of ours."""
    return " ".join(plain(text).split("\n"))
