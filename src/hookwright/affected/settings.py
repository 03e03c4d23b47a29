"""What the user says about affected tests: the checked `autoTest` mapping with its defaults."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from hookwright.affected.message import MOST_CHARACTERS


@dataclass
class Settings:
    """One autoTest mapping, of a whole config or of one project in it."""

    folder: str  # the config's
    budget_s: float | None = None
    exclude: list[tuple[bool, str]] = field(default_factory=list)
    commands: dict[str, list[str]] = field(default_factory=dict)
    background: bool = False
    warm: bool = False
    leave_out: list[str] = field(default_factory=lambda: ["slow", "integration"])
    most_characters: int = MOST_CHARACTERS
    projects: dict[str, dict[str, Any]] = field(default_factory=dict)

    def for_project(self, root: str) -> Settings:
        """The settings of a project: its own entries over the config's."""
        own = self.projects.get(os.path.relpath(root, self.folder)) if self.projects else None
        return from_options({**self._options(), **own}, self.folder) if own else self

    def _options(self) -> dict[str, Any]:
        options = {key: getattr(self, name) for key, name in _NAMES.items()}
        return {key: value for key, value in options.items() if key != "projects"}


# the config's word -> ours
_NAMES = {
    "budget": "budget_s",
    "exclude": "exclude",
    "commands": "commands",
    "background": "background",
    "warm": "warm",
    "leaveOut": "leave_out",
    "maxCharacters": "most_characters",
    "projects": "projects",
}


def from_options(options: dict[str, Any], folder: str) -> Settings:
    """Settings from what `options_of` made."""
    given = {_NAMES[key]: value for key, value in options.items() if key in _NAMES and value is not None}
    return Settings(folder, **given)


def options_of(values: dict[str, Any]) -> dict[str, Any]:
    """The checked mapping as plain values for a binding; patterns are translated once, here."""
    options = {key: value for key, value in values.items() if key in _NAMES and value is not None}
    options["exclude"] = _regexes(values.get("exclude"))
    given = values.get("projects")
    projects = given.items() if isinstance(given, dict) else ()
    options["projects"] = {os.path.normpath(name): _own_options(own) for name, own in projects if isinstance(own, dict)}
    return options


def _own_options(values: dict[str, Any]) -> dict[str, Any]:
    """What one project says for itself; where it is silent the config's word holds."""
    return {
        key: value for key, value in options_of(values).items() if values.get(key) is not None and key != "projects"
    }


def _regexes(patterns: Any) -> list[tuple[bool, str]]:
    from hookwright.path_globs import path_regexes  # only when a config is compiled

    listed = patterns if isinstance(patterns, list) else []
    return [(include, text) for pattern in listed for include, text in path_regexes(str(pattern))]
