"""What the languages are measured on: our fixtures, and one project of each ecosystem as its registry has it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hookwright.affected import run
from hookwright.affected.projects import sorted_by_project
from hookwright.affected.settings import Settings

FIXTURES = Path(__file__).resolve().parent.parent / "tests/affected/languages"
MIDDLE = "the middle one"
CENTRAL = "https://repo.maven.apache.org/maven2"


@dataclass(frozen=True)
class Subject:
    """One project: the file that is edited, what an edit appends to it, and the command for all tests."""

    name: str
    runner: str
    tool: str  # what must be installed
    edited: str  # or MIDDLE
    line: str  # {} is another number each time
    full: tuple[str, ...]
    prepare: Callable[[Path], None]  # fills an empty folder
    variables: tuple[tuple[str, str], ...] = ()  # for both ways


def middle_file(folder: Path) -> str:
    """The rule by which a strange project's edit is chosen: the file in the middle, by how many tests depend on it.

    Counted in what the runner can be asked for (packages, crates, classes, files); of equals the order of the paths
    decides. Files that no test depends on are left out: for them nothing would be run.
    """
    settings = Settings(os.path.realpath(folder))
    counts = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        for edit in sorted_by_project([str(path)], settings).edits:
            chosen = run.selected(edit.project, edit.files)
            if chosen and chosen.selection.reasons:
                counts.append((len(chosen.selection.reasons), str(path.relative_to(folder))))
    return sorted(counts)[len(counts) // 2][1]


def fixture(name: str) -> Callable[[Path], None]:
    def fill(folder: Path) -> None:
        shutil.copytree(FIXTURES / "projects" / name, folder, dirs_exist_ok=True)
        if "devDependencies" in _package(folder):
            (folder / "node_modules").symlink_to(_node_modules(folder.parent))
        if (folder / "pom.xml").exists():  # what Maven needs; the failing test is part of the fixture
            _run(folder, "mvn", "-q", "-B", "test", "-Dmaven.test.failure.ignore=true")

    return fill


def _package(folder: Path) -> dict[str, object]:
    file = folder / "package.json"
    return json.loads(file.read_text()) if file.exists() else {}


def _node_modules(cache: Path) -> Path:
    """The fixtures' tools, in the versions that the tests pin."""
    home = cache / "npm"
    if not (home / "node_modules").exists():
        home.mkdir(parents=True, exist_ok=True)
        sys.path.insert(0, str(FIXTURES))
        from matrix import PACKAGES

        _run(home, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", ".", *PACKAGES)
    return home / "node_modules"


def go_module(name: str, version: str) -> Callable[[Path], None]:
    def fill(folder: Path) -> None:
        told = _run(folder, "go", "mod", "download", "-json", f"{name}@{version}")
        shutil.copytree(json.loads(told)["Dir"], folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)  # the module cache is read-only
        _run(folder, "go", "mod", "download")
        _run(folder, "go", "mod", "tidy")

    return fill


def crate(name: str, version: str) -> Callable[[Path], None]:
    def fill(folder: Path) -> None:
        _unpack(f"https://static.crates.io/crates/{name}/{name}-{version}.crate", folder)
        _run(folder, "cargo", "fetch")

    return fill


def npm_package(name: str, version: str, script: str) -> Callable[[Path], None]:
    def fill(folder: Path) -> None:
        told = json.loads(_run(folder, "npm", "pack", "--json", f"{name}@{version}"))
        with tarfile.open(folder / told[0]["filename"]) as archive:
            _extract(archive, folder)
        about = _package(folder)
        about["scripts"] = {"test": script}
        about.pop("devDependencies", None)
        (folder / "package.json").write_text(json.dumps(about))
        _run(folder, "npm", "install", "--no-audit", "--no-fund")

    return fill


def maven_library(group: str, name: str, version: str, needs: str) -> Callable[[Path], None]:
    """The jars of its sources and of its tests, under a small pom of ours."""

    def fill(folder: Path) -> None:
        base = f"{CENTRAL}/{group.replace('.', '/')}/{name}/{version}/{name}-{version}"
        for kind, place in (("sources", "main"), ("test-sources", "test")):
            with urllib.request.urlopen(f"{base}-{kind}.jar") as answer:
                archive = zipfile.ZipFile(io.BytesIO(answer.read()))
            for member in archive.namelist():
                if not member.endswith("/") and not member.startswith("META-INF"):
                    target = folder / "src" / place / ("java" if member.endswith(".java") else "resources") / member
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(member))
        pom = (FIXTURES / "projects/maven/pom.xml").read_text()
        begin, end = pom.index("<packaging>"), pom.index("</modules>") + len("</modules>")
        pom = (pom[:begin] + pom[end:]).replace("<dependencies>", f"<dependencies>{needs}")
        (folder / "pom.xml").write_text(pom)
        _run(folder, "mvn", "-q", "-B", "test", "-Dmaven.test.failure.ignore=true")

    return fill


def _unpack(address: str, folder: Path) -> None:
    with urllib.request.urlopen(address) as answer, tarfile.open(fileobj=io.BytesIO(answer.read())) as archive:
        _extract(archive, folder)


def _extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Without the one folder that everything is in."""
    for member in archive.getmembers():
        member.name = member.name.partition("/")[2]
        if member.name:
            archive.extract(member, folder, filter="data")


def _run(folder: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} in {folder}:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return done.stdout


VINTAGE = """<dependency><groupId>org.junit.vintage</groupId><artifactId>junit-vintage-engine</artifactId>
<version>5.10.2</version><scope>test</scope></dependency>"""
# A failing test must not keep the other modules from being tested: this is the time of all tests.
MVN = ("mvn", "-o", "-q", "-B", "-Dmaven.test.failure.ignore=true", "test")
# Without it x/mod's tests clone repositories from the net, and a failing package is never taken from go's cache.
SHORT = (("GOFLAGS", "-short"),)
GO, CARGO = ("go", "test", "./..."), ("cargo", "test", "--offline", "--no-fail-fast", "--workspace")
SUBJECTS = (
    Subject("fixture", "go test", "go", "till/till.go", "var Edit{0} = {0}", GO, fixture("go")),
    Subject("golang.org/x/mod 0.21", "go test", "go", MIDDLE, "var Edit{0} = {0}", GO,
            go_module("golang.org/x/mod", "v0.21.0"), SHORT),
    Subject("fixture", "cargo test", "cargo", "till/src/lib.rs", "pub const EDIT{0}: u32 = {0};", CARGO,
            fixture("rust")),
    Subject("regex-syntax 0.8.5", "cargo test", "cargo", MIDDLE, "/// An edit.\npub const EDIT{0}: u32 = {0};", CARGO,
            crate("regex-syntax", "0.8.5")),
    Subject("fixture", "mvn test", "mvn", "counter/src/main/java/shop/till/Till.java", "// {0}", MVN,
            fixture("maven")),
    Subject("commons-cli 1.6", "mvn test", "mvn", MIDDLE, "// {0}", MVN,
            maven_library("commons-cli", "commons-cli", "1.6.0", VINTAGE)),
    Subject("fixture", "vitest", "npm", "src/till.ts", "// {0}", ("node_modules/.bin/vitest", "run"),
            fixture("vitest")),
    Subject("fixture", "jest", "npm", "src/till.js", "// {0}", ("node_modules/.bin/jest",), fixture("jest")),
    Subject("fixture", "mocha", "npm", "src/till.js", "// {0}", ("node_modules/.bin/mocha",), fixture("mocha")),
    Subject("fixture", "node --test", "npm", "src/till.js", "// {0}", ("node", "--test"), fixture("node")),
    Subject("avvio 9.3.1", "node --test", "npm", MIDDLE, "// {0}", ("node", "--test"),
            npm_package("avvio", "9.3.1", "node --test")),
)  # fmt: skip
