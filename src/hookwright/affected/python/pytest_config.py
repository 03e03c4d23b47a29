"""What a project tells pytest in its config file, as far as it matters before pytest is started."""

from __future__ import annotations

import configparser
import os
import tomllib
from typing import Any

# file -> the section in which pytest looks; the first that has one counts
SECTIONS = {
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "pyproject.toml": "tool.pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}


def pytest_options(root: str) -> dict[str, Any]:
    """The options of the project's pytest config; lists as lists of words, everything else as text."""
    for name, section in SECTIONS.items():
        found = _section(f"{root}/{name}", section)
        if found is not None:
            return {key: value if isinstance(value, list) else str(value) for key, value in found.items()}
    return {}


def says(root: str, word: str) -> bool:
    """Whether one of these files has a word at all: most have not, and reading TOML takes its time."""
    return any(word in _text(f"{root}/{name}") for name in SECTIONS)


def words(options: dict[str, Any], name: str) -> list[str]:
    """An option that is a list of words, in whichever form it was written."""
    value = options.get(name, [])
    return value.split() if isinstance(value, str) else [str(word) for word in value]


def config_identity(root: str) -> list[Any]:
    """What changes with any of these files."""
    found: list[Any] = []
    for name in SECTIONS:
        try:
            stat = os.stat(f"{root}/{name}")
        except OSError:
            found.append(None)
        else:
            found.append([stat.st_mtime_ns, stat.st_size])
    return found


def _section(file: str, section: str) -> dict[str, Any] | None:
    text = _text(file)
    if "pytest" not in text:
        return None
    try:
        return _from_toml(text) if file.endswith(".toml") else _from_ini(text, section)
    except (ValueError, configparser.Error):
        return None


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""


def _from_toml(text: str) -> dict[str, Any] | None:
    table = tomllib.loads(text).get("tool", {}).get("pytest")
    if not isinstance(table, dict):
        return None
    inner = table.get("ini_options", table)
    return inner if isinstance(inner, dict) else None


def _from_ini(text: str, section: str) -> dict[str, Any] | None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    return dict(parser[section]) if parser.has_section(section) else None
