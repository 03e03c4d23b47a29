"""What `init` and `sync` tell beside what they do: things that would undo it, or do it twice."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from hookwright.setup import command_line, installed_plugin, registration, settings
from hookwright.setup.registration import Bound
from hookwright.setup.scopes import Place
from hookwright.setup.settings import Entry, Group
from hookwright.setup.settings_file import document_of, readable
from hookwright.setup.settings_rules import faults


def about(config: Path, wanted: Bound, places: list[Place], registered: dict[str, dict[str, Group]]) -> list[str]:
    """What to know of this registration."""
    notes = []
    if config.name.startswith(".conclaude"):
        notes.append(f"{config.name} is read as it is; no other config was written")
    if not wanted:
        notes.append(
            f"{config.name} gives the agent nothing to do yet; add a section, then run `hookwright init` again"
        )
    notes += registration.unwatched(wanted)
    for event in wanted if "user" in registered else ():
        if event not in registered["user"]:
            notes.append(f"{event} is not registered for all projects: a hook on it changes the agent by itself")
    if command_line.is_temporary(command_line.found_here()):
        notes.append("this hookwright lies in a cache that may be cleared; install it with pipx or `uv tool install`")
    return notes + [note for place in places for note in _neighbours(place)]


def _neighbours(place: Place) -> list[str]:
    """What others have in the same file that would undo our work, or do it again."""
    document = document_of(place)
    dropped = [fault for fault in faults(document) if fault.drops_file]
    notes = [f"{place.path}: {fault}. Claude Code ignores the WHOLE file until that is mended" for fault in dropped]
    commands = [handler.get("command") for *_, handler in settings.handlers(document) if isinstance(handler, dict)]
    if any("conclaude" in str(command) for command in commands):
        notes.append(f"{place.path} calls conclaude too: what both are configured for runs twice; take its entries out")
    if place.scope == "local" and not place.path.exists() and _git_would_take(place.path):
        notes.append(f"git does not ignore {place.path.name}, which is for this machine only; add it to .gitignore")
    return notes


def _git_would_take(path: Path) -> bool:
    git = shutil.which("git")
    folder = next(folder for folder in path.parents if folder.is_dir())
    command = [str(git), "-C", str(folder), "check-ignore", "--quiet", str(path)]
    return git is not None and subprocess.run(command, capture_output=True, check=False).returncode == 1


def elsewhere(registered: dict[str, dict[str, Group]], standing: list[Place]) -> list[str]:
    """Other scopes that call us too; with the very same command line the client calls us once."""
    ours = {group["hooks"][0].get("command") for groups in registered.values() for group in groups.values()}
    others = [
        place.scope
        for place in standing
        if place.scope not in registered and commands_of(settings.entries(document_of(place))) - ours
    ]
    told = "hooks are registered in {0} scope too and fire twice: hookwright uninstall --scope {0}"
    return [told.format(scope) for scope in others]


def beside_the_plugin(project: Path) -> list[str]:
    """Our plugin, if it is switched on, answers every event as well."""
    name = installed_plugin.switched_on(document for _, document in readable(project))
    told = f"the plugin {name} answers every event too; keep one: hookwright uninstall, or claude plugin disable {name}"
    return [told] if name else []


def commands_of(entries: list[Entry]) -> set[str]:
    """The command lines of some entries."""
    return {str(entry.handler["command"]) for entry in entries if "command" in entry.handler}
