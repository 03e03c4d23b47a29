"""Put our entries into an agent's settings: everything is planned first, then done."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from hookwright import paths
from hookwright.bindings import Table
from hookwright.errors import Refusal
from hookwright.setup import (
    changes,
    command_line,
    json_text,
    registration,
    rehearsal,
    resident,
    scopes,
    settings,
    starter,
)
from hookwright.setup.changes import Change
from hookwright.setup.detection import Found
from hookwright.setup.registration import Bound
from hookwright.setup.scopes import Place
from hookwright.setup.settings import Entry, Group
from hookwright.setup.settings_rules import faults

BOM = "\ufeff"


class Plan(NamedTuple):
    """What is to be done, and what to say about it."""

    changes: list[Change]
    registered: dict[str, dict[str, Group]]  # scope -> event -> group
    notes: list[str]


def text_of(place: Place) -> str:
    """The settings as text, without a byte order mark. Raises Refusal where they are not UTF-8."""
    data = changes.content(place.path) or b""
    try:
        return data.decode().removeprefix(BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise Refusal(f"{place.path}:{line}:{column}: this is not UTF-8. The file was left alone.") from error


def document_of(place: Place) -> Any:
    """The settings as a value; {} where there are none. Raises Refusal where they are not JSON."""
    text = text_of(place)
    try:
        return json_text.parsed(text) if text.strip() else {}
    except json_text.NotJson as error:
        raise _refusal(place, error) from error


def registered_in(project: Path) -> list[Place]:
    """The settings files that have entries of ours; those that cannot be read have none that count."""
    found = []
    for place in scopes.places(project):
        try:
            if settings.entries(document_of(place)):
                found.append(place)
        except Refusal:
            continue
    return found


def to_install(project: Path, scope: str | None, found: list[Found] | None, with_server: bool = False) -> Plan:
    """Register what the config gives to do; `found` says what to write a config for where there is none."""
    drafts = _drafts(project, found)
    config = scopes.config_of(project) or next(iter(drafts))
    wanted = bound(rehearsal.compiled(config, drafts))
    standing = registered_in(project)
    places = [scopes.place(scope, project)] if scope else standing or [scopes.place("project", project)]
    planned = [changes.generated(path, data) for path, data in drafts.items()]
    planned += _noted(project, drafts)
    planned += _schema(project, config)
    registered = {}
    for place in places:
        registered[place.scope] = of_scope(place, wanted, with_server)
        planned += _launcher(place, config) if registered[place.scope] else []
        planned.append(_settings(place, registered[place.scope]))
    notes = [*_notes(config, wanted, places, registered), *_elsewhere(registered, standing)]
    return Plan(_kept_out_of_git(project, changes.real(planned)), registered, notes)


def _kept_out_of_git(project: Path, planned: list[Change]) -> list[Change]:
    """The changes, and what keeps our own folder out of git if one of them makes it."""
    ours = project / paths.OURS
    ignore = ours / ".gitignore"
    written = [path for change in planned if change.after is not None for path in (change.path, change.backup) if path]
    needed = any(path.is_relative_to(ours) for path in written) and not os.path.lexists(ignore)
    return planned + [Change(ignore, None, paths.GITIGNORE, brief=True)] * needed


def bound(table: Table) -> Bound:
    """What the config binds. Raises Refusal for a config with mistakes: half of it must not be registered."""
    if table.problem:
        raise Refusal(f"{table.problem.partition(';')[0]}. Mend it (`hookwright check` tells all) and run this again.")
    return registration.bound(table)


def of_scope(place: Place, wanted: Bound, with_server: bool = False) -> dict[str, Group]:
    """The groups for one settings file."""
    if place.scope == "project":
        return registration.groups(wanted, command_line.of_the_project())
    if with_server or resident.chosen(settings.entries(document_of(place))):
        return resident.groups(wanted, place.path.parents[1])
    command = command_line.of_this_machine()
    if place.scope == "local":
        return registration.groups(wanted, command)
    # One file for all projects: what others asked for stays, and nothing is narrowed to the tools of this one.
    known = {entry.event for entry in settings.entries(document_of(place))}
    events = [event for event in registration.harmless_events() if event in wanted or event in known]
    return {event: registration.group(command) for event in events}


def to_switch(project: Path, to_server: bool) -> list[Change]:
    """Send events to the resident server, or not; nothing where none was chosen."""
    place = scopes.place(resident.SCOPE, project)
    standing = settings.entries(document_of(place))
    return [_settings(place, resident.switched(standing, project, to_server))] if resident.chosen(standing) else []


def _drafts(project: Path, found: list[Found] | None) -> dict[Path, bytes]:
    if scopes.config_of(project):
        return {}
    if found is None:
        raise Refusal(f"there is no {paths.CONFIG_NAMES[0]} in {project}. `hookwright init` writes one.")
    config = project / paths.CONFIG_NAMES[0]
    if os.path.lexists(config):
        raise Refusal(f"{config} is not a file that can be read. Nothing was changed; move it away and run this again.")
    return {path: data for path, data in starter.files(project, found).items() if not path.exists()}


def _noted(project: Path, drafts: dict[Path, bytes]) -> list[Change]:
    """A note of the files that are the user's from now on: `uninstall --purge` takes them if nobody changed them."""
    note = project / starter.WRITTEN
    if not drafts or not _leads_nowhere_else(note):
        return []
    digests = {str(path.relative_to(project)): changes.digest(data) for path, data in drafts.items()}
    return [changes.generated(note, json.dumps(digests, indent=1).encode() + b"\n", brief=True)]


def _schema(project: Path, config: Path) -> list[Change]:
    if config.name.startswith(".conclaude"):
        return []
    return [changes.generated(project / starter.SCHEMA, starter.schema(), starter.SCHEMA_MARK, brief=True)]


def _launcher(place: Place, config: Path) -> list[Change]:
    """The launcher, and what it would remember had it found this very installation."""
    if place.scope != "project":
        return []
    path = place.path.with_name(command_line.LAUNCHER)
    memory = Path(paths.state_folder(str(config)), "launcher")
    found = command_line.found_here().encode()
    planned = [changes.generated(path, command_line.launcher(), command_line.LAUNCHER_MARK)]
    if _leads_nowhere_else(memory):
        planned.append(changes.generated(memory, found, brief=True))
    return planned


def _leads_nowhere_else(memory: Path) -> bool:
    """Whether our private folder is in the project; through a link we would write into somebody else's."""
    project = memory.parents[2]
    return os.path.realpath(memory) == os.path.join(os.path.realpath(project), memory.relative_to(project))


def _settings(place: Place, groups: dict[str, Group]) -> Change:
    text = text_of(place)
    document = document_of(place)
    if not groups:
        return to_leave(place)
    try:
        after = settings.with_ours(text, groups)
    except json_text.NotJson as error:
        raise _refusal(place, error) from error
    assert settings.meaning(json_text.parsed(after or "{}")) == settings.meaning(document)  # or nothing is written
    holds_token = any(resident.is_sent(group["hooks"][0]) for group in groups.values())
    return _change(place, after)._replace(mode=0o600 if holds_token else None)


def _change(place: Place, after: str) -> Change:
    before = changes.content(place.path)
    data = _encoded(after, before)
    unchanged = data == (before or b"")  # no file and an empty one say the same
    written = before if unchanged else data
    return Change(place.path, before, written, backup=place.backup, kept=without_us(place), through_link=True)


def to_leave(place: Place) -> Change:
    """Settings without our entries, and no file where only we filled it."""
    before = changes.content(place.path)
    after = without_us(place) if settings.entries(document_of(place)) else before
    return Change(place.path, before, after, backup=place.backup, through_link=True)


def _encoded(text: str, before: bytes | None) -> bytes:
    return (BOM if (before or b"").startswith(BOM.encode()) else "").encode() + text.encode()


def without_us(place: Place) -> bytes | None:
    """The file as it would be without us; None where there would be none."""
    before = changes.content(place.path)
    if before is None:
        return None
    text = text_of(place)
    left = settings.without_ours(text)
    kept = changes.content(place.backup)
    if kept is not None and _means(kept) == settings.meaning(_parsed(left)):
        return kept
    ours_alone = kept is None and left != text and _parsed(left) == {} and not place.path.is_symlink()
    return None if ours_alone else _encoded(left, before)


def _parsed(text: str) -> Any:
    return json_text.parsed(text) if text.strip() else {}


def _means(data: bytes) -> object:
    try:
        return settings.meaning(_parsed(data.decode().removeprefix(BOM)))
    except (UnicodeDecodeError, json_text.NotJson):
        return None


def _notes(config: Path, wanted: Bound, places: list[Place], registered: dict[str, dict[str, Group]]) -> list[str]:
    notes = []
    if config.name.startswith(".conclaude"):
        notes.append(f"{config.name} is read as it is; no other config was written")
    if not wanted:
        notes.append(f"{config.name} gives the agent nothing to do yet; add a section, then run `hookwright sync`")
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


def _elsewhere(registered: dict[str, dict[str, Group]], standing: list[Place]) -> list[str]:
    """Other scopes that call us too; with the very same command line the client calls us once."""
    ours = {group["hooks"][0].get("command") for groups in registered.values() for group in groups.values()}
    others = [
        place.scope
        for place in standing
        if place.scope not in registered and commands_of(settings.entries(document_of(place))) - ours
    ]
    told = "hooks are registered in {0} scope too and fire twice: hookwright uninstall --scope {0}"
    return [told.format(scope) for scope in others]


def commands_of(entries: list[Entry]) -> set[str]:
    """The command lines of some entries."""
    return {str(entry.handler["command"]) for entry in entries if "command" in entry.handler}


def _refusal(place: Place, error: json_text.NotJson) -> Refusal:
    return Refusal(f"{place.path}:{error.line}:{error.column}: {error}. The file was left alone.")
