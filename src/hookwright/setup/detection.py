"""What kind of project this is, told from files at its root: a row per language.

How a language shows and which files are its own is said where its tests are run, in `affected/languages`; a row here
adds what only `init` wants to know.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hookwright.affected.javascript.package import package_in
from hookwright.affected.languages import php, table
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

    name: str  # as in the table of languages whose tests are run
    lint: str
    locks: dict[str, str]  # lock file -> the command that writes it
    runner: Callable[[Path], str]

    @property
    def markers(self) -> tuple[str, ...]:
        """The files at a project's root that show it."""
        return table.language(self.name).MARKERS

    @property
    def files(self) -> str:
        """Its files as a glob, sister languages included."""
        names = [ending.removeprefix(".") for ending in table.extensions(self.name)]
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
        "ruby",
        "rubocop",
        {"Gemfile.lock": "bundle install"},
        _first_sign((".rspec", "rspec"), ("spec", "rspec"), ("test", "minitest")),
    ),
    Language(
        "php",
        "php -l",
        {"composer.lock": "composer update"},
        _first_sign(*((name, "phpunit") for name in php.CONFIGS)),
    ),
    Language("swift", "swiftlint", {"Package.resolved": "swift package resolve"}, _first_sign(("Tests", "swift test"))),
    Language(
        "dart",
        "dart analyze",
        {"pubspec.lock": "dart pub get"},
        _first_sign(("pubspec.yaml:sdk: flutter", "flutter test"), ("test", "dart test")),
    ),
    Language(
        "csharp",
        "dotnet format --verify-no-changes",
        {"packages.lock.json": "dotnet restore"},
        _first_sign(("*.sln", "dotnet test"), ("*.slnx", "dotnet test")),
    ),
    Language("elixir", "mix compile", {"mix.lock": "mix deps.get"}, _first_sign(("test", "mix test"))),
)


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
