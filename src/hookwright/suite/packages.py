"""Libraries from site-packages, which the hook's `-S` leaves out until somebody asks."""

import sys

from hookwright.reply import HandlerFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def reachable() -> None:
    """Let imports find site-packages; costs nothing where they do already."""
    if sys.flags.no_site and not any(folder.endswith("site-packages") for folder in sys.path):
        import site

        site.main()


def third_party(name: str) -> "Any":
    """A library. Raises HandlerFailed where it is not installed."""
    module = sys.modules.get(name)
    if module is not None:
        return module
    reachable()
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise HandlerFailed(f"{name} is not installed; `pip install hookwright[suite]` brings it") from None
