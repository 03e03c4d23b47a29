"""Java and Kotlin files: what each declares, and which others it uses, by imports and by names of its own package."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hookwright.affected.toolchain import read
from hookwright.affected.trigger import is_foreign_folder

ENDINGS = (".java", ".kt")
BUILT = {"target", "build", "out", "bin"}
PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)
TYPE = re.compile(r"\b(?:class|interface|enum|record|object|typealias)\s+([A-Za-z_]\w*)")
TOP_LEVEL = re.compile(r"^(?:(?:public|internal|inline|suspend|const|lateinit|operator|infix)\s+)*"
                       r"(?:fun\s+(?:<[^>]*>\s*)?(?:[\w.<>?]+\.)?|va[lr]\s+)(\w+)", re.MULTILINE)  # fmt: skip
IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w.]+?)(\.\*)?\s*(?:as\s+\w+\s*)?;?\s*$", re.MULTILINE)
QUALIFIED = re.compile(r"\b[a-z]\w*(?:\.[a-z]\w*)*\.[A-Z]\w*")
TESTS = re.compile(r"@\w*Test\b|@Property\b|\bTestCase\b|\w*Spec\s*\(")
TEST_NAME = re.compile(r"(^Test\w*|(Test|Tests|TestCase|IT|Spec))\.(java|kt)$")


def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return any(re.fullmatch(r"test|\w+Test", each) for each in folders if each) or bool(TEST_NAME.search(name))


@dataclass
class Source:
    """One file."""

    path: str
    text: str
    package: str
    names: tuple[str, ...]

    @property
    def class_name(self) -> str:
        """The class that a runner knows this file by."""
        stem = os.path.splitext(os.path.basename(self.path))[0]
        name = stem if stem in self.names or not self.names else self.names[0]
        return self.qualified(name)

    @property
    def has_tests(self) -> bool:
        return is_test(self.path) and bool(TESTS.search(self.text))

    def qualified(self, name: str) -> str:
        return f"{self.package}.{name}" if self.package else name

    def speaks_of(self, name: str) -> bool:
        return name in self.text and bool(re.search(rf"\b{name}\b", self.text))


def source(root: str, path: str) -> Source:
    text = read(f"{root}/{path}")
    package = PACKAGE.search(text)
    names = TYPE.findall(text) + (TOP_LEVEL.findall(text) if path.endswith(".kt") else [])
    return Source(path, text, package[1] if package else "", tuple(dict.fromkeys(names)))


def sources(root: str) -> list[Source]:
    """All files of a build, those of its modules too."""
    return [source(root, path) for path in sorted(_paths(root))]


def _paths(root: str) -> Iterator[str]:
    for place, folders, names in os.walk(root):
        inside = os.path.relpath(place, root)
        folders[:] = [
            name
            for name in folders
            if not is_foreign_folder(root, os.path.normpath(f"{inside}/{name}"))
            and not (name in BUILT and "src" not in inside.split("/"))
        ]
        yield from (os.path.normpath(f"{inside}/{name}") for name in names if name.endswith(ENDINGS))


def imports(files: list[Source]) -> dict[str, list[str]]:
    """File -> the files that it uses."""
    places: dict[str, str] = {}
    packages: dict[str, list[Source]] = {}
    for each in files:
        places.update({each.qualified(name): each.path for name in each.names})
        packages.setdefault(each.package, []).append(each)
    return {each.path: sorted(_used(each, places, packages) - {each.path}) for each in files}


def _used(each: Source, places: dict[str, str], packages: dict[str, list[Source]]) -> set[str]:
    named = IMPORT.findall(each.text)
    open_packages = [each.package, *(name for name, star in named if star)]
    used = {
        other.path
        for package in open_packages
        for other in packages.get(package, ())
        if any(each.speaks_of(name) for name in other.names)
    }
    for name in [*(name for name, _ in named), *QUALIFIED.findall(each.text)]:
        parts = name.split(".")
        prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        used |= {next((places[prefix] for prefix in prefixes if prefix in places), each.path)}
    return used
