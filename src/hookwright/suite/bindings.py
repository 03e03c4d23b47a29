"""Which events a config's `suite:` section binds."""

from __future__ import annotations

from hookwright.bindings import Binding
from hookwright.suite.places import SUITE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# The last three for runs that drive themselves, which any conversation may begin: without a run they cost one look.
EVENTS = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop")


def signs(folder: str) -> list[str]:
    """A suite in its usual place: its words work without a section in the config."""
    return [f"{folder.rstrip('/')}/{name}" for name in SUITE_NAMES]


def bindings_of(values: dict[str, Any], folder: str, _handlers: Sequence[str] = ()) -> list[tuple[str, Binding]]:
    """A binding for each event that a run needs."""
    options = {
        "folder": folder,
        "delivery": values.get("delivery") or "additionalContext",
        "drive": values.get("drive") or "manual",
    }
    return [(event, Binding("suite", f"suite ({event})", options=options)) for event in EVENTS]
