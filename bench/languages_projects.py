"""What the languages are measured on: our fixtures, and one project of each ecosystem as its registry has it."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "tests/affected/languages"
CENTRAL = "https://repo.maven.apache.org/maven2"


@dataclass(frozen=True)
class Subject:
    """One project: the file that is edited, what an edit appends to it, and the command for all tests."""

    name: str
    runner: str
    edited: str
    line: str  # {} is another number each time
    full: tuple[str, ...]
    prepare: Callable[[Path], None]  # fills an empty folder


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


def npm_package(name: str, version: str, needs: tuple[str, ...], script: str) -> Callable[[Path], None]:
    def fill(folder: Path) -> None:
        told = json.loads(_run(folder, "npm", "pack", "--json", f"{name}@{version}"))
        with tarfile.open(folder / told[0]["filename"]) as archive:
            _extract(archive, folder)
        about = _package(folder)
        about["scripts"] = {"test": script}
        about.pop("devDependencies", None)
        (folder / "package.json").write_text(json.dumps(about))
        _run(folder, "npm", "install", "--no-audit", "--no-fund", *needs)

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
MVN = ("mvn", "-o", "-q", "-B", "-fae", "test")
SUBJECTS = (
    Subject("fixture", "go test", "till/till.go", "var Edit{0} = {0}", ("go", "test", "./..."), fixture("go")),
    Subject("golang.org/x/mod 0.21", "go test", "modfile/rule.go", "var Edit{0} = {0}", ("go", "test", "./..."),
            go_module("golang.org/x/mod", "v0.21.0")),
    Subject("fixture", "cargo test", "till/src/lib.rs", "pub const EDIT{0}: u32 = {0};",
            ("cargo", "test", "--offline", "--no-fail-fast", "--workspace"), fixture("rust")),
    Subject("regex-syntax 0.8.5", "cargo test", "src/lib.rs", "/// An edit.\npub const EDIT{0}: u32 = {0};",
            ("cargo", "test", "--offline", "--no-fail-fast"), crate("regex-syntax", "0.8.5")),
    Subject("fixture", "mvn test", "counter/src/main/java/shop/till/Till.java", "// {0}", MVN, fixture("maven")),
    Subject("commons-cli 1.6", "mvn test", "src/main/java/org/apache/commons/cli/TypeHandler.java", "// {0}", MVN,
            maven_library("commons-cli", "commons-cli", "1.6.0", VINTAGE)),
    Subject("fixture", "vitest", "src/till.ts", "// {0}", ("node_modules/.bin/vitest", "run"), fixture("vitest")),
    Subject("fixture", "jest", "src/till.js", "// {0}", ("node_modules/.bin/jest",), fixture("jest")),
    Subject("fixture", "mocha", "src/till.js", "// {0}", ("node_modules/.bin/mocha",), fixture("mocha")),
    Subject("fixture", "node --test", "src/till.js", "// {0}", ("node", "--test"), fixture("node")),
    Subject("find-my-way 9.10", "node --test", "lib/pretty-print.js", "// {0}", ("node", "--test"),
            npm_package("find-my-way", "9.10.0", ("rfdc", "proxyquire"), "node --test")),
)  # fmt: skip
