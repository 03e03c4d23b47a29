"""The autoTest section as bindings: which events run affected tests, and whom each tells."""

from __future__ import annotations

from hookwright import globs
from hookwright.bindings import Binding
from hookwright.edits import EDITING_TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

EDITORS = f"{{{','.join(EDITING_TOOLS)}}}"
# when -> event, the filter on its tools, whom the outcome is told
EVENTS = {
    "edit": ("PostToolUse", EDITORS, "both"),
    "batch": ("PostToolBatch", EDITORS, "both"),
    "stop": ("Stop", "*", "person"),  # a context there would keep the agent going
}


def signs(folder: str) -> list[str]:
    """No file switches it on: running tests is asked for."""
    return []


def bindings_of(values: dict[str, Any], folder: str, _handlers: Sequence[str] = ()) -> list[tuple[str, Binding]]:
    """(event, binding) of a checked autoTest mapping; none when it is not enabled."""
    if not values or values.get("enabled") is False:
        return []
    from hookwright.affected.settings import options_of  # dataclasses: a third of what compiling a config costs

    when = values.get("when") or "batch"
    gate = values.get("gate") == "stop"
    rows = [EVENTS[when]] if not (gate and when == "stop") else []
    rows += [("Stop", "*", "gate")] if gate else []
    options = options_of(values)
    return [(event, _binding(filter, {**options, "folder": folder, "tell": tell})) for event, filter, tell in rows]


def _binding(filter: str, options: dict[str, Any]) -> Binding:
    return Binding("affected", "autoTest", globs.compiled(filter), options=options, filter=filter)
