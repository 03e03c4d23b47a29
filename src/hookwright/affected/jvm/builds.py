"""Maven and Gradle: where a build begins, what starts it, which commands run which classes, where its reports lie."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from typing import NamedTuple

from hookwright.affected.contract import Project
from hookwright.affected.toolchain import found, read

MOST_NAMES = 100_000  # characters: the system takes no longer argument; that many are nearly all of them anyway


class Build(NamedTuple):
    """One of the two, as data."""

    name: str  # the label
    files: tuple[str, ...]  # that make a folder one of its modules
    tops: tuple[str, ...]  # that make a folder the one where a build of many modules may begin
    builds: Callable[[str, str], bool]  # (that folder, a module's) -> whether it does
    wrapper: str
    downloaded: tuple[str, str]  # the wrapper's properties, and where under the home it unpacks what they name
    programs: tuple[str, ...]
    reports: str  # from a module's folder
    argv: Callable[[str, dict[str, list[str]]], list[str]]  # (top, module -> classes; {} for all)


def _maven(top: str, classes: dict[str, list[str]]) -> list[str]:
    # A pom may say that failures shall be ignored: then a crashed JVM would look like success.
    flags = ["-o", "-q", "-B", "-f", f"{top}/pom.xml", "-fae", "-Dmaven.test.failure.ignore=false"]
    if not classes:
        return [*flags, "test"]
    names = ",".join(name for each in classes.values() for name in each)
    if len(names) > MOST_NAMES:
        return [*flags, "test"]
    chosen = [f"-Dtest={names}", "-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false"]
    if [*classes] != ["."]:
        chosen += ["-pl", ",".join(classes), "-am"]
    return [*flags, *chosen, "test"]


def _gradle(top: str, classes: dict[str, list[str]]) -> list[str]:
    """Each module's task by its full name: a bare `test` would ask every module for the classes of one."""
    words = ["--offline", "--console=plain", "--continue", "-p", top]
    for module, names in classes.items():
        task = ":test" if module == "." else f":{module.replace('/', ':')}:test"
        words += [task, *(part for name in names for part in ("--tests", name))]
    return words if classes else [*words, "test"]


def _names_module(folder: str, root: str) -> bool:
    """Whether a pom lists the module, or the one that it is in; a pom above may be that of a stranger."""
    named = [os.path.normpath(f"{folder}/{name}") for name in MODULE.findall(read(f"{folder}/pom.xml"))]
    inside = any(f"{root}/".startswith(f"{each.removesuffix('/pom.xml')}/") for each in named)
    return inside or (folder == root and bool(named))


def _any_module(folder: str, root: str) -> bool:
    return True  # settings are a program: what it includes cannot be read off


MODULE = re.compile(r"<module>\s*([^<]+?)\s*</module>")
MAVEN = Build(
    "mvn test",
    ("pom.xml",),
    ("pom.xml",),
    _names_module,
    "mvnw",
    (".mvn/wrapper/maven-wrapper.properties", ".m2/wrapper/dists"),
    ("mvn",),
    "target/surefire-reports/TEST-*.xml",
    _maven,
)
GRADLE = Build(
    "gradle test",
    ("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"),
    ("settings.gradle.kts", "settings.gradle"),
    _any_module,
    "gradlew",
    ("gradle/wrapper/gradle-wrapper.properties", ".gradle/wrapper/dists"),
    ("gradle",),
    "build/test-results/*/*.xml",
    _gradle,
)
BUILDS = (GRADLE, MAVEN)
INCLUDE = re.compile(r"^\s*include\b\s*\(?((?:\s*[\"'][^\"'\n]+[\"']\s*,?)+)", re.MULTILINE)
QUOTED = re.compile(r"[\"']([^\"'\n]+)[\"']")
DISTRIBUTION = re.compile(r"^distributionUrl\s*=.*/([^/\s]+?)(?:-bin|-all)?\.zip", re.MULTILINE)


def build_of(project: Project) -> Build | None:
    return next((build for build in BUILDS if _has(project.root, build.files)), None)


def _has(folder: str, names: tuple[str, ...]) -> bool:
    return any(os.path.exists(f"{folder}/{name}") for name in names)


def top_of(build: Build, root: str, limit: str) -> str:
    """The outermost folder, within the config's, from which this module is built."""
    top = folder = root
    while len(folder) >= len(limit) and folder != "/":
        if _has(folder, build.tops) and build.builds(folder, root):
            top = folder
        folder = os.path.dirname(folder)
    return top


def starter(project: Project, build: Build, top: str) -> str:
    """The project's wrapper, unless it would have to download what it wraps; else the installed program."""
    wrapper = f"{top}/{build.wrapper}"
    if os.access(wrapper, os.X_OK) and _is_unpacked(project, build, top):
        return wrapper
    return found(project, *build.programs)


def _is_unpacked(project: Project, build: Build, top: str) -> bool:
    properties, place = build.downloaded
    named = DISTRIBUTION.search(read(f"{top}/{properties}"))
    home = os.fsdecode(project.environment.get(b"HOME", b""))
    return named is None or bool(glob.glob(f"{glob.escape(home)}/{place}/{glob.escape(named[1])}*"))


def module_of(build: Build, top: str, path: str) -> str:
    """The module that a file (by its path from the top) belongs to."""
    included = _included(build, top)
    folder = os.path.dirname(path)
    while folder and folder not in included and not _has(f"{top}/{folder}", build.files):
        folder = os.path.dirname(folder)
    return folder or "."


def _included(build: Build, top: str) -> set[str]:
    """The folders of Gradle modules that have no file of their own: settings name them, the top configures them."""
    if build is not GRADLE:
        return set()
    text = "\n".join(read(f"{top}/{name}") for name in build.tops)
    names = [name for words in INCLUDE.findall(text) for name in QUOTED.findall(words)]
    return {name.strip(":").replace(":", "/") for name in names}


def hides_failures(build: Build, top: str, modules: list[str]) -> bool:
    """Whether the exit code cannot be believed: what stands in a pom is stronger than a word on the command line."""
    return any(
        "<testFailureIgnore>" in read(f"{top}/{module}/{name}") for module in (*modules, ".") for name in build.files
    )


def report_files(build: Build, top: str, modules: list[str]) -> list[str]:
    return [
        path
        for module in modules
        for path in glob.glob(f"{glob.escape(os.path.normpath(f'{top}/{module}'))}/{build.reports}")
    ]


def is_report_of(path: str, name: str) -> bool:
    """TEST-shop.CartTest.xml, and of its inner classes TEST-shop.CartTest$Empty.xml."""
    return bool(re.match(rf"TEST-{re.escape(name)}(?:\.xml$|[$-])", os.path.basename(path)))
