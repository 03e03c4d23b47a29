"""Which files of tests are the project's own suite: as its pytest config says, and as a whole run has shown."""

from __future__ import annotations

import configparser
import fnmatch
import os
import tomllib
from collections.abc import Iterable
from functools import cached_property

# file -> the sections in which pytest looks
SECTIONS = {
    "pytest.ini": ("pytest",),
    ".pytest.ini": ("pytest",),
    "pyproject.toml": ("tool.pytest.ini_options", "tool.pytest"),
    "tox.ini": ("pytest",),
    "setup.cfg": ("tool:pytest",),
}
OTHERS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pytest.ini",
)  # a folder below with one of these is its own project


class Suite:
    """The tests of one project, and not those of an example or another project inside it."""

    def __init__(self, root: str, apart: Iterable[str] = ()) -> None:
        self.root = root
        self.apart = set(apart)  # files that a whole run collected nothing from
        self._foreign: dict[str, bool] = {"": False}

    def has(self, path: str) -> bool:
        if path in self.apart:
            return False
        if self.paths:
            return any(fnmatch.fnmatch(path, pattern) for place in self.paths for pattern in (place, f"{place}/*"))
        return not self._is_foreign(os.path.dirname(path))

    @cached_property
    def paths(self) -> list[str]:
        """`testpaths` of the first config that has a section for pytest."""
        for name, sections in SECTIONS.items():
            found = _option(f"{self.root}/{name}", sections)
            if found is not None:
                return [os.path.normpath(place) for place in found if os.path.normpath(place) != "."]
        return []

    def _is_foreign(self, folder: str) -> bool:
        if folder not in self._foreign:
            own = any(os.path.exists(f"{self.root}/{folder}/{name}") for name in OTHERS)
            self._foreign[folder] = own or self._is_foreign(os.path.dirname(folder))
        return self._foreign[folder]


def _option(file: str, sections: tuple[str, ...]) -> list[str] | None:
    """The words of `testpaths`; None when the file has no section for pytest."""
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
        if "pytest" not in text:
            return None
        return _from_toml(text) if file.endswith(".toml") else _from_ini(text, sections)
    except (OSError, ValueError, configparser.Error):
        return None


def _from_toml(text: str) -> list[str] | None:
    table = tomllib.loads(text).get("tool", {}).get("pytest")
    if not isinstance(table, dict):
        return None
    value = table.get("ini_options", table).get("testpaths", [])
    return value.split() if isinstance(value, str) else [str(place) for place in value]


def _from_ini(text: str, sections: tuple[str, ...]) -> list[str] | None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    section = next((name for name in sections if parser.has_section(name)), None)
    return parser.get(section, "testpaths", fallback="").split() if section else None
