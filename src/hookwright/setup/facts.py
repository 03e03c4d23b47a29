"""What the doctor looks at, gathered once and only as far as a check asks for it."""

from __future__ import annotations

import json
import os
import shutil
from functools import cached_property
from pathlib import Path
from typing import Any

from hookwright import journal_view, paths
from hookwright.bindings import Table
from hookwright.config import HandlerFile, Reading, examine
from hookwright.errors import Refusal
from hookwright.setup import canary, claude_client, command_line, install, rehearsal, scopes, settings
from hookwright.setup.canary import Flight
from hookwright.setup.scopes import Place
from hookwright.setup.settings import Entry

MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)
PLUGIN_ASKS = "HOOKWRIGHT_PLUGIN"  # set by the plugin's launcher when it runs a verb


class Facts:
    """One project on this machine."""

    def __init__(self, start: Path) -> None:
        self.start = start
        self.project = scopes.project_of(start)
        self.places = scopes.places(self.project)

    @cached_property
    def client(self) -> str:
        return claude_client.found()

    @cached_property
    def client_version(self) -> tuple[int, ...]:
        return claude_client.version(self.client) if self.client else ()

    @cached_property
    def config(self) -> Path | None:
        """The config that events in this project meet."""
        found = paths.find_config(str(self.project))
        return Path(found) if found else None

    @cached_property
    def reading(self) -> tuple[Reading, list[HandlerFile]] | None:
        return examine(str(self.config), self.config.name) if self.config else None

    @cached_property
    def table(self) -> Table:
        return rehearsal.compiled(self.config, {}) if self.config else Table({})

    @cached_property
    def _settings(self) -> tuple[dict[Place, Any], dict[Place, str]]:
        read, refused = {}, {}
        for place in self.places:
            try:
                read[place] = install.document_of(place)
            except Refusal as refusal:
                refused[place] = str(refusal)
        return read, refused

    @property
    def documents(self) -> dict[Place, Any]:
        """The settings that can be read."""
        return self._settings[0]

    @property
    def unreadable(self) -> dict[Place, str]:
        """The settings that cannot, and why."""
        return self._settings[1]

    @cached_property
    def managed(self) -> dict[str, Any]:
        """The administrator's settings."""
        for path in map(Path, MANAGED):
            try:
                document = json.loads(path.read_bytes())
            except (OSError, ValueError):
                continue
            return document if isinstance(document, dict) else {}
        return {}

    @cached_property
    def ours(self) -> dict[Place, list[Entry]]:
        """Settings file -> our entries in it."""
        found = {place: settings.entries(document) for place, document in self.documents.items()}
        return {place: entries for place, entries in found.items() if entries}

    @cached_property
    def entries(self) -> list[Entry]:
        return [entry for entries in self.ours.values() for entry in entries]

    @cached_property
    def plugin(self) -> str:
        """Our plugin's id, if one is switched on, or its folder, if it is the one that asks."""
        if os.environ.get(PLUGIN_ASKS):
            return os.path.normpath(os.environ[PLUGIN_ASKS])
        for document in self.documents.values():
            enabled = document.get("enabledPlugins") if isinstance(document, dict) else None
            for name, on in enabled.items() if isinstance(enabled, dict) else ():
                if on and name.partition("@")[0] == "hookwright":
                    return str(name)
        return ""

    @cached_property
    def flights(self) -> dict[str, Flight]:
        """Command line -> what came of the canary."""
        commands = [str(entry.handler.get("command")) for entry in self.entries]
        if os.environ.get(PLUGIN_ASKS):
            commands.append(command_line.of_the_plugin().replace("${CLAUDE_PLUGIN_ROOT}", self.plugin))
        return {command: canary.fly(command, self.project) for command in dict.fromkeys(commands)}

    @cached_property
    def journal(self) -> list[journal_view.Entry]:
        """Every entry but our own canaries."""
        folder = paths.our_folder(str(self.config)) if self.config else ""
        entries = journal_view.entries(folder) if folder else iter(())
        return [entry for entry in entries if entry.get("event") != canary.EVENT]

    @cached_property
    def trusted(self) -> bool | None:
        """Whether the person has trusted the folder in the client; None where that cannot be told."""
        chosen = os.environ.get("CLAUDE_CONFIG_DIR")
        folder = Path(chosen) if chosen else scopes.home()
        try:
            known = json.loads((folder / ".claude.json").read_bytes())["projects"] if folder else {}
            return any(
                known.get(str(each), {}).get("hasTrustDialogAccepted") is True
                for each in (self.project, *self.project.parents)
            )
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return None

    @cached_property
    def on_path(self) -> str:
        return shutil.which("hookwright") or ""
