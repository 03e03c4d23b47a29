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
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)  # or a text, in which // is none
PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)
TYPE = re.compile(r"\b(?:class|interface|enum|record|object|typealias)\s+([A-Za-z_]\w*)")
TOP_LEVEL = re.compile(r"^(?:(?:public|internal|inline|suspend|const|lateinit|operator|infix|tailrec|expect|actual)\s+)"
                       r"*(?:fun\s+(?:<[^>]*>\s*)?(?:[\w.<>?]+\.)?|va[lr]\s+)(\w+)", re.MULTILINE)  # fmt: skip
IMPORT = re.compile(r"(?:^|;)\s*import\s+(?:static\s+)?([\w.]+?)(\.\*)?\s*(?:as\s+\w+\s*)?(?=;|$)", re.MULTILINE)
QUALIFIED = re.compile(r"\b[a-z]\w*(?:\.[a-z]\w*)*\.[A-Z]\w*")
# A class that stands for itself: what is said before it, its name, its parents.
TOP_CLASS = re.compile(r"(?:^|;[ \t]*)((?:[\w@.()\"-]+[ \t]+)*?)class\s+(\w+)([^{\n]*)", re.MULTILINE)
HEADER = re.compile(r"\b(?:class|interface|enum|record|object)\s+\w+([^{;]*)")
WORD = re.compile(r"\w+")
PARENT = re.compile(r"\bextends\s+\w|:\s*[\w.]+")
OPERATOR = re.compile(r"\boperator\s+fun\b")  # called without its name being spoken
TESTS = re.compile(r"@\w*Test\b|@Property\b|\bTestCase\b|\w*Spec\s*\(")
NAMED_AFTER = re.compile(r"^Test(?=[A-Z])|(?:Tests?|TestCase|IT|Spec)$")
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
    words: frozenset[str]

    @property
    def test_classes(self) -> list[str]:
        """The classes with tests, by the names that a runner knows them by; also one that inherits all of its tests."""
        if not is_test(self.path):
            return []
        tops = list(TOP_CLASS.finditer(self.text))
        ends = [*(top.start() for top in tops[1:]), len(self.text)]
        return [
            self.qualified(top[2])
            for top, end in zip(tops, ends, strict=False)
            if "abstract" not in top[1].split() and self._has_tests(top, end)
        ]

    def _has_tests(self, top: re.Match[str], end: int) -> bool:
        if TESTS.search(self.text, top.start(), end):
            return True
        return bool(TEST_NAME.search(os.path.basename(self.path)) and PARENT.search(top[3]))

    def qualified(self, name: str) -> str:
        return f"{self.package}.{name}" if self.package else name

    def may_be_used_by(self, other: Source) -> bool:
        """In a package both see: by a name, or an operator, which needs none."""
        return not other.words.isdisjoint(self.names) or ("operator" in self.words and bool(OPERATOR.search(self.text)))


def source(root: str, path: str) -> Source:
    text = COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", read(f"{root}/{path}"))
    package = PACKAGE.search(text)
    names = TYPE.findall(text) + (TOP_LEVEL.findall(text) if path.endswith(".kt") else [])
    return Source(path, text, package[1] if package else "", tuple(dict.fromkeys(names)), frozenset(WORD.findall(text)))


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


def with_heirs(files: list[Source], uses: dict[str, list[str]]) -> dict[str, list[str]]:
    """The same, as if whoever uses a type used all that implement it: a container hands them out unnamed."""
    known = {each.path: each for each in files}
    wider = {path: list(used) for path, used in uses.items()}
    for heir in files:
        parents = {word for header in HEADER.findall(heir.text) for word in WORD.findall(header)}
        for path in uses[heir.path]:
            if not parents.isdisjoint(known[path].names):
                wider[path].append(heir.path)
    return wider


def named_after(files: list[Source], edited: list[str]) -> dict[str, str]:
    """Test file -> the edited file that it is named after."""
    stems = {_stem(path).lower(): path for path in edited}
    pairs = ((each.path, NAMED_AFTER.sub("", _stem(each.path)).lower()) for each in files if is_test(each.path))
    return {path: stems[stem] for path, stem in pairs if stem in stems and stems[stem] != path}


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _used(each: Source, places: dict[str, str], packages: dict[str, list[Source]]) -> set[str]:
    named = IMPORT.findall(each.text)
    open_packages = [each.package, *(name for name, star in named if star)]
    used = {
        other.path for package in open_packages for other in packages.get(package, ()) if other.may_be_used_by(each)
    }
    for name in [*(name for name, _ in named), *QUALIFIED.findall(each.text)]:
        parts = name.split(".")
        prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        used |= {next((places[prefix] for prefix in prefixes if prefix in places), each.path)}
    return used
