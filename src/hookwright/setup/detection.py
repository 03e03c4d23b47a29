"""What kind of project this is, told from files at its root. All of it is said in the languages' own modules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hookwright.affected.contract import Language as Module
from hookwright.affected.languages import table
from hookwright.paths import read_file


class Language(NamedTuple):
    """What one does in a language; sisters such as Java and Kotlin go by the first of them."""

    name: str

    @property
    def module(self) -> Module:
        return table.language(self.name)

    @property
    def markers(self) -> tuple[str, ...]:
        """The files at a project's root that show it."""
        return self.module.MARKERS

    @property
    def lint(self) -> str:
        return self.module.LINT

    @property
    def locks(self) -> dict[str, str]:
        return self.module.LOCKS

    @property
    def files(self) -> str:
        """Its files as a glob, sister languages included."""
        names = [ending.removeprefix(".") for ending in table.extensions(self.name)]
        return f"**/*.{{{','.join(names)}}}" if names[1:] else f"**/*.{names[0]}"

    def runner(self, project: Path) -> str:
        """The test runner that shows, installed or not."""
        named = getattr(self.module, "named_runner", None)
        if named:
            return str(named(str(project)))
        return next((name for sign, name in self.module.SIGNS if _shows(project, sign)), "")


def _firsts() -> Iterator[Language]:
    seen: set[str] = set()
    for name, module in table.MODULES.items():
        if module not in seen:
            seen.add(module)
            yield Language(name)


LANGUAGES = tuple(_firsts())


class Found(NamedTuple):
    """One language of the project, and its test runner if it shows."""

    language: Language
    runner: str


def detected(project: Path) -> list[Found]:
    """The languages of a project."""
    present = [language for language in LANGUAGES if any(_shows(project, marker) for marker in language.markers)]
    return [Found(language, language.runner(project)) for language in present]


def described(found: list[Found]) -> str:
    """The findings as part of a sentence."""
    return ", ".join(f"{each.language.name}{f' ({each.runner})' if each.runner else ''}" for each in found)


def _shows(project: Path, sign: str) -> bool:
    name, _, word = sign.partition(":")
    if not word:
        return any(project.glob(name))
    try:
        return word in read_file(str(project / name)).decode("utf-8", "replace")
    except OSError:
        return False
