"""How tests can be tried without a person: one row each. A way is a module with `begin(options, ...) -> Way`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple

from hookwright.errors import Refusal

if TYPE_CHECKING:
    from hookwright.suite.unattended.children import Children
    from hookwright.suite.unattended.one_test import Way
    from hookwright.suite.unattended.options import Options
    from hookwright.suite.unattended.servers import Servers


class Kind(NamedTuple):
    """Where a way is, and how long a test may take that does not say it."""

    module: str
    timeout_s: float


WAYS = {
    "direct": Kind("hookwright.suite.unattended.direct", 60.0),
    "claude-code": Kind("hookwright.suite.unattended.claude_code", 300.0),
}


NOT_YET = ("codex",)  # promised, and not built


def check(via: str) -> None:
    """Raises Refusal where this way cannot be gone yet."""
    if via in NOT_YET:
        raise Refusal(f"--via {via} is not supported yet; use --via {' or --via '.join(WAYS)}.")


def begun(options: Options, servers: Servers, folder: str, children: Children) -> Way:
    """A way, ready for tests. Raises Refusal where it cannot be gone here."""
    way: Way = importlib.import_module(WAYS[options.via].module).begin(options, servers, folder, children)
    return way
