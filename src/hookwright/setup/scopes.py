"""Where things are: the project, the settings file of each scope, and the copy we keep of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from hookwright import paths
from hookwright.errors import Misuse, Refusal

AGENTS = ("claude-code",)
# scope -> its file below the project; the user's settings lie elsewhere
PROJECT_FILES = {"project": ".claude/settings.json", "local": ".claude/settings.local.json"}
SCOPES = (*PROJECT_FILES, "user")
BACKUP = "hookwright-backup"


class Place(NamedTuple):
    """One settings file."""

    scope: str
    path: Path
    backup: Path  # what the file would be without us


def known_agents(names: list[str] | None) -> list[str]:
    """The agents a user named, or all we can register with. Raises Misuse for another."""
    for name in names or ():
        if name not in AGENTS:
            raise Misuse(f"no agent is called {name!r} here. Known: {', '.join(AGENTS)}.")
    return list(names or AGENTS)


def project_of(start: Path) -> Path:
    """The project that a folder belongs to: where its config is, else its git checkout, else the folder itself."""
    checkout = _checkout(start)
    config = paths.find_config(str(start))
    folder = Path(config).parent if config else None
    if folder and (checkout is None or folder.is_relative_to(checkout)) and folder != home():
        return folder
    return checkout or start


def config_of(project: Path) -> Path | None:
    """The project's own config."""
    return next((project / name for name in paths.CONFIG_NAMES if (project / name).is_file()), None)


def _checkout(start: Path) -> Path | None:
    """The git checkout around a folder; a home folder that is one (dotfiles) is not the project of all below it."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder if folder != home() or folder == start else None
    return None


def home() -> Path | None:
    """The user's home folder, if there is one."""
    found = os.environ.get("HOME", "")
    return Path(found) if found.startswith("/") else None


def client_folder() -> Path | None:
    """Where Claude Code keeps the user's own settings."""
    chosen = os.environ.get("CLAUDE_CONFIG_DIR", "")
    if chosen:
        return Path(os.path.abspath(chosen))
    found = home()
    return found / ".claude" if found else None


def _users_settings() -> Path | None:
    folder = client_folder()
    return folder / "settings.json" if folder else None


def place(scope: str, project: Path) -> Place:
    """The settings file of a scope. Raises Refusal where there can be none."""
    if scope in PROJECT_FILES:
        path = project / PROJECT_FILES[scope]
        if path == _users_settings():
            raise Refusal(f"{path} is read for all projects, not for this one. Use --scope user.")
        return Place(scope, path, project / paths.OURS / f"{path.name}.{BACKUP}")
    users = _users_settings()
    if users is None:
        raise Refusal("there is no HOME, so the user's settings cannot be found. Set HOME or CLAUDE_CONFIG_DIR.")
    path = users
    return Place(scope, path, path.with_name(f"{path.name}.{BACKUP}"))


def places(project: Path) -> list[Place]:
    """The settings files of all scopes that can be."""
    users = _users_settings()
    own = [scope for scope, name in PROJECT_FILES.items() if project / name != users]
    return [place(scope, project) for scope in (*own, *(["user"] if users else []))]
