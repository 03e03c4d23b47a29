"""The languages: one row each. A row's module is imported when one of its files was edited."""

from __future__ import annotations

import importlib
from typing import NamedTuple, cast

from hookwright.affected.contract import Language


class Row(NamedTuple):
    """A language by its files; everything else is in its module, `languages/<module or name>.py`."""

    name: str
    extensions: tuple[str, ...]
    also: tuple[str, ...] = ()  # files that tests may read: they count only where a recorded test did
    module: str = ""  # that of a sister language: their files are one project, and one run


LANGUAGES = (
    Row("python", (".py",), (".html", ".j2", ".jinja", ".jinja2", ".tmpl", ".mako", ".txt", ".sql", ".csv", ".xml")),
    Row("javascript", (".js", ".mjs", ".cjs", ".jsx")),
    Row("typescript", (".ts", ".mts", ".cts", ".tsx"), module="javascript"),
    Row("go", (".go",)),
    Row("rust", (".rs",)),
    Row("java", (".java",), module="jvm"),
    Row("kotlin", (".kt",), module="jvm"),
    Row("swift", (".swift",)),
    Row("dart", (".dart",)),
    Row("ruby", (".rb",)),
    Row("php", (".php",)),
    Row("csharp", (".cs",)),
    Row("elixir", (".ex", ".exs")),
)
MODULES = {row.name: row.module or row.name for row in LANGUAGES}


def extensions(name: str) -> tuple[str, ...]:
    """The endings of a language's files, sister languages included."""
    return tuple(ending for row in LANGUAGES if MODULES[row.name] == MODULES[name] for ending in row.extensions)


def language_of(path: str) -> Row | None:
    """The language that an edited file concerns."""
    ending = "." + path.rpartition("/")[2].rpartition(".")[2]
    for row in LANGUAGES:
        if ending in row.extensions:
            return row
    return next((row for row in LANGUAGES if ending in row.also), None)


def language(name: str) -> Language:
    """A language's module."""
    return cast(Language, importlib.import_module(f"hookwright.affected.languages.{MODULES[name]}"))
