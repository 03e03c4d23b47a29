"""Our plugin as the client has it: whether it is switched on, and where its files lie."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hookwright.setup import command_line, plugin

INSTALLED = "plugins/installed_plugins.json"


def switched_on(documents: Iterable[object]) -> str:
    """The id of our plugin, if one of these settings switches it on; "" else."""
    for document in documents:
        enabled = document.get("enabledPlugins") if isinstance(document, dict) else None
        for name, on in enabled.items() if isinstance(enabled, dict) else ():
            if on and name.partition("@")[0] == plugin.NAME:
                return str(name)
    return ""


def folder(client_folder: Path | None, name: str) -> str:
    """Where the client keeps a plugin's files; "" where that cannot be told, or its launcher is not as we write it."""
    if client_folder is None:
        return ""
    try:
        installed = json.loads((client_folder / INSTALLED).read_bytes())["plugins"][name]
        path = Path(installed[-1]["installPath"])
        is_ours = (path / "hooks" / command_line.LAUNCHER).read_bytes() == command_line.launcher()
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return ""
    return str(path) if is_ours else ""
