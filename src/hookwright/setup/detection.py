"""What kind of project this is: a row per language, told from files at its root."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from hookwright.paths import read_file


class Language(NamedTuple):
    """How a language shows, and what one does in it."""

    name: str
    markers: tuple[str, ...]
    runners: tuple[tuple[str, str], ...]  # (file with a word in it that shows the runner, runner); the first counts
    lint: str
    files: str
    locks: dict[str, str]  # lock file -> the command that writes it


LANGUAGES = (
    Language(
        "python",
        ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"),
        (
            ("pyproject.toml:pytest", "pytest"),
            ("pytest.ini:", "pytest"),
            ("conftest.py:", "pytest"),
            ("tests/conftest.py:", "pytest"),
            ("setup.cfg:pytest", "pytest"),
            ("requirements.txt:pytest", "pytest"),
            ("tests:", "unittest"),
        ),
        "ruff check --quiet .",
        "**/*.py",
        {"poetry.lock": "poetry lock", "uv.lock": "uv lock", "Pipfile.lock": "pipenv lock", "pdm.lock": "pdm lock"},
    ),
    Language(
        "node",
        ("package.json", "deno.json"),
        (
            ("package.json:vitest", "vitest"),
            ("package.json:jest", "jest"),
            ("package.json:mocha", "mocha"),
            ("package.json:node --test", "node --test"),
        ),
        "npx --no-install eslint .",
        "**/*.{js,jsx,ts,tsx}",
        {"package-lock.json": "npm install", "yarn.lock": "yarn install", "pnpm-lock.yaml": "pnpm install"},
    ),
    Language("go", ("go.mod",), (("go.mod:", "go test"),), "go vet ./...", "**/*.go", {"go.sum": "go mod tidy"}),
    Language(
        "rust",
        ("Cargo.toml",),
        (("Cargo.toml:", "cargo test"),),
        "cargo check",
        "**/*.rs",
        {"Cargo.lock": "cargo update"},
    ),
    Language(
        "java",
        ("pom.xml", "build.gradle", "build.gradle.kts"),
        (("pom.xml:", "mvn test"), ("build.gradle:", "gradle test"), ("build.gradle.kts:", "gradle test")),
        "./gradlew check",
        "**/*.{java,kt}",
        {"gradle.lockfile": "gradle dependencies --write-locks"},
    ),
    Language("ruby", ("Gemfile",), (("spec:", "rspec"),), "rubocop", "**/*.rb", {"Gemfile.lock": "bundle install"}),
    Language(
        "php",
        ("composer.json",),
        (("phpunit.xml:", "phpunit"),),
        "php -l",
        "**/*.php",
        {"composer.lock": "composer update"},
    ),
)


class Found(NamedTuple):
    """One language of the project, and its test runner if it shows."""

    language: Language
    runner: str


def detected(project: Path) -> list[Found]:
    """The languages of a project."""
    present = [language for language in LANGUAGES if any((project / marker).exists() for marker in language.markers)]
    return [Found(language, _runner(project, language)) for language in present]


def described(found: list[Found]) -> str:
    """The findings as part of a sentence."""
    return ", ".join(f"{each.language.name}{f' ({each.runner})' if each.runner else ''}" for each in found)


def _runner(project: Path, language: Language) -> str:
    return next((runner for sign, runner in language.runners if _shows(project, sign)), "")


def _shows(project: Path, sign: str) -> bool:
    name, _, word = sign.partition(":")
    path = project / name
    if not word:
        return path.exists()
    try:
        text = read_file(str(path)).decode("utf-8", "replace")
    except OSError:
        return False
    return word in (_scripts_and_packages(text) if name == "package.json" else text)


def _scripts_and_packages(text: str) -> str:
    """The part of a package.json that tells a test runner: a word in a description does not."""
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    document = document if isinstance(document, dict) else {}
    told = [document.get(key) for key in ("scripts", "devDependencies", "dependencies")]
    return re.sub(r"[{}\"]", " ", json.dumps(told))
