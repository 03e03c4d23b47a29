"""Put our entries into an agent's settings: everything is planned first, then done."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from hookwright import paths
from hookwright.bindings import Table
from hookwright.errors import Refusal
from hookwright.setup import (
    changes,
    command_line,
    json_text,
    notes,
    registration,
    rehearsal,
    resident,
    scopes,
    settings,
    settings_file,
    starter,
)
from hookwright.setup.changes import Change
from hookwright.setup.detection import Found
from hookwright.setup.registration import Bound
from hookwright.setup.scopes import Place
from hookwright.setup.settings import Group
from hookwright.setup.settings_file import document_of, text_of


class Plan(NamedTuple):
    """What is to be done, and what to say about it."""

    changes: list[Change]
    registered: dict[str, dict[str, Group]]  # scope -> event -> group
    notes: list[str]


def to_install(project: Path, scope: str | None, found: list[Found] | None, with_server: bool = False) -> Plan:
    """Register what the config gives to do; `found` says what to write a config for where there is none."""
    drafts = _drafts(project, found)
    config = scopes.config_of(project) or next(iter(drafts))
    wanted = bound(rehearsal.compiled(config, drafts))
    standing = settings_file.registered_in(project)
    places = [scopes.place(scope, project)] if scope else standing or [scopes.place("project", project)]
    planned = [changes.generated(path, data) for path, data in drafts.items()]
    planned += _noted(project, drafts)
    planned += _schema(project, config)
    registered = {}
    for place in places:
        registered[place.scope] = of_scope(place, wanted, with_server)
        planned += _launcher(place, config) if registered[place.scope] else []
        planned.append(_settings(place, registered[place.scope]))
    told = [*notes.about(config, wanted, places, registered), *notes.elsewhere(registered, standing)]
    told += notes.beside_the_plugin(project) if any(registered.values()) else []
    return Plan(_kept_out_of_git(project, changes.real(planned)), registered, told)


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
        return settings_file.to_leave(place)
    try:
        after = settings.with_ours(text, groups)
    except json_text.NotJson as error:
        raise settings_file.refusal(place, error) from error
    assert settings.meaning(json_text.parsed(after or "{}")) == settings.meaning(document)  # or nothing is written
    holds_token = any(resident.is_sent(group["hooks"][0]) for group in groups.values())
    return settings_file.change(place, after)._replace(mode=0o600 if holds_token else None)
