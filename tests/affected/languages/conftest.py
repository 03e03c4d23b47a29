"""Fixture projects of other languages, run by their real tools in a folder with a name that a shell would trip over."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import need

from hookwright.affected import run
from hookwright.affected.contract import Project
from hookwright.affected.projects import project, real
from hookwright.affected.settings import from_options, options_of
from hookwright.affected.verdict import Verdict

from .matrix import PACKAGES

PROJECTS = Path(__file__).parent / "projects"
CACHE = Path(__file__).parent / ".cache"
WITH_MAVEN = ("maven", "kotlin")
ODD_NAME = "a project; rm -rf ü"


@dataclass
class Workshop:
    """A copy of a fixture project, and the engine on it."""

    top: Path
    language: str

    def project(self, inside: str = ".", **options) -> Project:
        top = real(str(self.top))
        settings = from_options(options_of({"budget": 120, **options}), top)
        return project(os.path.normpath(f"{top}/{inside}"), self.language, settings)

    def edited(self, *paths: str, inside: str = ".", **options) -> Verdict:
        """Run what an edit of these files affects."""
        verdict = run.affected(self.project(inside, **options), list(paths))
        assert verdict is not None
        return verdict

    def everything(self, **options) -> Verdict:
        verdict = run.everything(self.project(**options))
        assert verdict is not None
        return verdict

    def write(self, path: str, text: str) -> None:
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.top / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """vitest, jest and mocha, installed once and kept; two workers do not do it twice."""
    need("node")
    npm = need("npm")
    CACHE.mkdir(exist_ok=True)
    words = ["--no-package-lock", "--no-save", "--no-audit", "--no-fund", "--prefix", str(CACHE)]
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = CACHE / "installed"
        if not done.exists() or done.read_text() != " ".join(PACKAGES):
            subprocess.run([npm, "install", *words, *PACKAGES], cwd=CACHE, check=True, capture_output=True)
            done.write_text(" ".join(PACKAGES))
    return CACHE / "node_modules"


def fetch_maven_plugins(folder: str) -> None:
    """The engine runs Maven offline; on a new machine one run of the fixture brings what that needs, once.

    It is noted where Maven keeps it, so that another checkout of ours does not fetch it again.
    """
    mvn = need("mvn")
    pom = (PROJECTS / folder / "pom.xml").read_bytes()
    done = Path.home() / ".m2" / f"hookwright-{folder}-{hashlib.blake2b(pom, digest_size=4).hexdigest()}"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "maven-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        copy = CACHE / folder
        if not done.exists():
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(PROJECTS / folder, copy)
            words = [mvn, "-q", "-B", "test", "-Dmaven.test.failure.ignore=true"]
            subprocess.run(words, cwd=copy, check=True, capture_output=True)
            done.touch()


@pytest.fixture
def without_nextest(tmp_path, monkeypatch):
    """cargo as on most machines: where nextest is installed it stands beside cargo, and would be preferred."""
    if shutil.which("cargo-nextest"):
        (tmp_path / "cargo").mkdir()
        for name in ("cargo", "rustc", "rustdoc"):
            (tmp_path / "cargo" / name).symlink_to(need(name))
        monkeypatch.setenv("PATH", f"{tmp_path}/cargo:/usr/bin:/bin")


@pytest.fixture
def workshop(tmp_path):
    """A fixture project by its folder's name, with the tools it needs beside it."""

    def build(folder: str, language: str) -> Workshop:
        if folder in WITH_MAVEN and shutil.which("mvn"):
            fetch_maven_plugins(folder)
        shutil.copytree(PROJECTS / folder, tmp_path / ODD_NAME, symlinks=True)
        return Workshop(tmp_path / ODD_NAME, language)

    return build
