"""What kind of project this is, told from files at its root: a row per language.

How a language shows and which files are its own is said where its tests are run, in `affected/languages`; a row here
adds what only `init` wants to know.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hookwright.affected.javascript.package import package_in
from hookwright.affected.languages import table
from hookwright.affected.languages.javascript import LABELS
from hookwright.paths import read_file


def _first_sign(*signs: tuple[str, str]) -> Callable[[Path], str]:
    """A test runner told by the first of some signs: `file`, or `file:word` for a word in that file."""

    def runner(project: Path) -> str:
        return next((name for sign, name in signs if _shows(project, sign)), "")

    return runner


def _by_package(project: Path) -> str:
    package = package_in(str(project))
    tool = package.tool() if package else ""
    return LABELS.get(tool, tool)


class Language(NamedTuple):
    """What one does in a language."""

    name: str
    lint: str
    locks: dict[str, str]  # lock file -> the command that writes it
    runner: Callable[[Path], str]
    own_markers: tuple[str, ...] = ()  # these two only where the tests of the language are not run yet
    own_extensions: tuple[str, ...] = ()

    @property
    def is_tested(self) -> bool:
        """Whether its affected tests can be run."""
        return self.name in table.MODULES

    @property
    def markers(self) -> tuple[str, ...]:
        """The files at a project's root that show it."""
        return table.language(self.name).MARKERS if self.is_tested else self.own_markers

    @property
    def files(self) -> str:
        """Its files as a glob, sister languages included."""
        module = table.MODULES.get(self.name)
        sisters = [row for row in table.LANGUAGES if table.MODULES[row.name] == module]
        endings = [ending for row in sisters for ending in row.extensions] or list(self.own_extensions)
        names = [ending.removeprefix(".") for ending in endings]
        return f"**/*.{{{','.join(names)}}}" if names[1:] else f"**/*.{names[0]}"


LANGUAGES = (
    Language(
        "python",
        "ruff check --quiet .",
        {"poetry.lock": "poetry lock", "uv.lock": "uv lock", "Pipfile.lock": "pipenv lock", "pdm.lock": "pdm lock"},
        _first_sign(
            ("pytest.ini", "pytest"),
            ("conftest.py", "pytest"),
            ("tests/conftest.py", "pytest"),
            ("pyproject.toml:pytest", "pytest"),
            ("setup.cfg:pytest", "pytest"),
            ("tox.ini:pytest", "pytest"),
            ("requirements.txt:pytest", "pytest"),
            ("tests", "unittest"),
        ),
    ),
    Language(
        "javascript",
        "npx --no-install eslint .",
        {"package-lock.json": "npm install", "yarn.lock": "yarn install", "pnpm-lock.yaml": "pnpm install"},
        _by_package,
    ),
    Language("go", "go vet ./...", {"go.sum": "go mod tidy"}, _first_sign(("go.mod", "go test"))),
    Language("rust", "cargo check", {"Cargo.lock": "cargo update"}, _first_sign(("Cargo.toml", "cargo test"))),
    Language(
        "java",
        "./gradlew check",
        {"gradle.lockfile": "gradle dependencies --write-locks"},
        _first_sign(("pom.xml", "mvn test"), ("build.gradle", "gradle test"), ("build.gradle.kts", "gradle test")),
    ),
    Language(
        "ruby", "rubocop", {"Gemfile.lock": "bundle install"}, _first_sign(("spec", "rspec")), ("Gemfile",), (".rb",)
    ),
    Language(
        "php",
        "php -l",
        {"composer.lock": "composer update"},
        _first_sign(("phpunit.xml", "phpunit")),
        ("composer.json",),
        (".php",),
    ),
)


class Found(NamedTuple):
    """One language of the project, and its test runner if it shows."""

    language: Language
    runner: str

    @property
    def is_tested(self) -> bool:
        """Whether the tests that an edit affects can be run at once."""
        return bool(self.runner) and self.language.is_tested


def detected(project: Path) -> list[Found]:
    """The languages of a project."""
    present = [language for language in LANGUAGES if any((project / marker).exists() for marker in language.markers)]
    return [Found(language, language.runner(project)) for language in present]


def described(found: list[Found]) -> str:
    """The findings as part of a sentence."""
    return ", ".join(f"{each.language.name}{f' ({each.runner})' if each.runner else ''}" for each in found)


def _shows(project: Path, sign: str) -> bool:
    name, _, word = sign.partition(":")
    if not word:
        return (project / name).exists()
    try:
        return word in read_file(str(project / name)).decode("utf-8", "replace")
    except OSError:
        return False
