"""Take our entries out of an agent's settings, and away what only we filled: planned first, then done."""

from __future__ import annotations

import os
from pathlib import Path

from hookwright import paths
from hookwright.errors import Refusal
from hookwright.setup import changes, command_line, scopes, settings, settings_file, starter
from hookwright.setup.changes import Change
from hookwright.setup.install import Plan

STARTERS = (paths.CONFIG_NAMES[0], starter.HANDLERS)  # of the files that `init` gives away


def to_uninstall(project: Path, scope: str | None, purge: bool) -> Plan:
    """Take our entries out, and the files that only we filled."""
    places = [scopes.place(scope, project)] if scope else scopes.places(project)
    planned = []
    for place in places:
        if settings.MARK.encode() in (changes.content(place.path) or b""):
            planned.append(settings_file.to_leave(place))
    if any(place.scope == "project" for place in places):
        planned += _launcher_gone(project)
    staying = [place for place in settings_file.registered_in(project) if place not in places]
    if purge and staying:
        raise Refusal(f"hookwright is still registered in {staying[0].path}. Uninstall it there too, then purge.")
    planned += _purged(project) if purge else []
    return Plan(changes.real(planned), {}, [])


def _launcher_gone(project: Path) -> list[Change]:
    path = project / ".claude" / command_line.LAUNCHER
    text = None if path.is_symlink() else changes.content(path)
    ours = text is not None and text.startswith(command_line.LAUNCHER_MARK)
    return [Change(path, text, None)] if ours else []


def _purged(project: Path) -> list[Change]:
    """What we keep beside the config, and what `init` wrote if nobody has changed it since."""
    ours = project / paths.OURS
    written = changes.listed(project / starter.WRITTEN)
    # All or none: a config without the handlers it names would be broken.
    is_unchanged = all(_has(project / name, digest) for name, digest in written.items())
    unchanged = [project / name for name in STARTERS if name in written] if is_unchanged else []
    kept = [Path(folder, name) for folder, _, names in os.walk(ours / "state") for name in sorted(names)]
    kept += [*sorted(ours.glob("journal*.jsonl")), project / starter.SCHEMA, ours / ".gitignore"]
    files = [path for path in (*kept, *unchanged) if _is_file_of(project, path)]
    return [Change(path, changes.content(path), None, brief=path not in unchanged) for path in files]


def _has(path: Path, digest: str) -> bool:
    return path.is_file() and changes.digest(changes.content(path) or b"") == digest


def _is_file_of(project: Path, path: Path) -> bool:
    """Whether a file lies in the project itself: a folder of ours may be a link to where others keep theirs."""
    inside = os.path.join(os.path.realpath(project), path.relative_to(project))
    return path.is_file() and os.path.realpath(path) == inside
