"""Which files an event's tool calls edited."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.events import Event


def touches(event: Event, files: Any, folder: str) -> bool:
    """Whether one of the edited files meets the compiled `files:` patterns."""
    raise NotImplementedError
