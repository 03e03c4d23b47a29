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
from hookwright.setup import (
    canary,
    claude_client,
    command_line,
    install,
    installed_plugin,
    registration,
    rehearsal,
    scopes,
    settings,
    settings_file,
    standing,
)
from hookwright.setup.canary import Flight
from hookwright.setup.scopes import Place
from hookwright.setup.settings import Entry, Group

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
        """What the config binds; nothing where it is not approved, and so must not be run to find out."""
        try:
            return rehearsal.compiled(self.config, {}) if self.config else Table({})
        except Refusal:
            return Table({})

    @cached_property
    def _settings(self) -> tuple[dict[Place, Any], dict[Place, str]]:
        read, refused = {}, {}
        for place in self.places:
            try:
                read[place] = settings_file.document_of(place)
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
        """The administrator's settings, those of the drop-in folder over those of the file, in the order of names."""
        together: dict[str, Any] = {}
        for path in map(Path, MANAGED):
            dropped_in = sorted(path.with_suffix(".d").glob("[!.]*.json"))
            for file in (path, *dropped_in):
                try:
                    document = json.loads(file.read_bytes().removeprefix(settings_file.BOM.encode()))
                except (OSError, ValueError, RecursionError):
                    continue
                together |= document if isinstance(document, dict) else {}
        return together

    @cached_property
    def ours(self) -> dict[Place, list[Entry]]:
        """Settings file -> our entries in it."""
        found = {place: settings.entries(document) for place, document in self.documents.items()}
        return {place: entries for place, entries in found.items() if entries}

    @cached_property
    def entries(self) -> list[Entry]:
        return [entry for entries in self.ours.values() for entry in entries]

    @cached_property
    def wanted(self) -> dict[Place, dict[str, Group]]:
        """Settings file -> what a registration would write there today; nothing where the config is broken."""
        bound = {} if self.table.problem else install.bound(self.table)
        return {place: install.of_scope(place, bound) for place in self.ours}

    @cached_property
    def plugin(self) -> str:
        """Our plugin's id, if one is switched on, or its folder, if it is the one that asks."""
        if os.environ.get(PLUGIN_ASKS):
            return os.path.normpath(os.environ[PLUGIN_ASKS])
        return installed_plugin.switched_on((*self.documents.values(), self.managed))

    @cached_property
    def plugin_folder(self) -> str:
        """Where that plugin's files lie; "" where its launcher is not to be started."""
        if os.environ.get(PLUGIN_ASKS):
            return self.plugin
        return installed_plugin.folder(scopes.client_folder(), self.plugin) if self.plugin else ""

    @cached_property
    def awaited(self) -> list[str]:
        """The events that should come: those registered here, or what the config binds where the plugin is on."""
        if self.entries or not self.plugin:
            return list(dict.fromkeys(entry.event for entry in self.entries))
        return [event for event in registration.harmless_events() if event in self.table.rows]

    @cached_property
    def _command_lines(self) -> dict[str, str]:
        """Command line of ours -> why it is not run, "" where it is."""
        return {
            str(entry.handler.get("command")): standing.why_not_run(place, entry, self.wanted[place])
            for place, entries in self.ours.items()
            for entry in entries
            if "command" in entry.handler
        }

    @property
    def grounded(self) -> dict[str, str]:
        """Command line -> why the canary was not sent through it."""
        return {command: why for command, why in self._command_lines.items() if why}

    @cached_property
    def flights(self) -> dict[str, Flight]:
        """Command line -> what came of the canary."""
        commands = [command for command, why in self._command_lines.items() if not why]
        if self.plugin_folder:
            commands.append(command_line.of_the_plugin())
        return {command: canary.fly(command, self.project, self.plugin_folder) for command in commands}

    @cached_property
    def journal(self) -> list[journal_view.Entry]:
        """Every entry but our own canaries."""
        entries = canary.journalled(str(self.config)) if self.config else []
        return [entry for entry in entries if entry.get("event") != canary.EVENT]

    @cached_property
    def trusted(self) -> bool | None:
        """Whether the person has trusted the folder in the client; None where that cannot be told."""
        chosen = os.environ.get("CLAUDE_CONFIG_DIR")
        folder = Path(chosen) if chosen else scopes.home()
        if folder is None:
            return None
        try:
            known = json.loads((folder / ".claude.json").read_bytes())["projects"]
            return any(
                known.get(str(each), {}).get("hasTrustDialogAccepted") is True
                for each in (self.project, *self.project.parents)
            )
        except (OSError, ValueError, RecursionError, KeyError, AttributeError, TypeError):
            return None

    @cached_property
    def on_path(self) -> str:
        return shutil.which("hookwright") or ""
