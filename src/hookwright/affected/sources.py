"""Languages whose files name each other: which files there are, who speaks of whom, which tests an edit reaches."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from hookwright.affected.contract import Project, Selection
from hookwright.affected.dependents import dependents, reason
from hookwright.affected.toolchain import excluded, whole
from hookwright.affected.trigger import is_foreign_folder

REMARK = re.compile(r"^\s*//[^\n]*", re.MULTILINE)
WORD = re.compile(r"\w+")
OF_A_TEST = re.compile(r"^(?:test|spec)s?(?=.)|(?<=.)(?:test|spec)s?$")
NAMED = "its name is that of the edited file"


@dataclass(frozen=True)
class Source:
    """One file, and what others call what it declares."""

    path: str
    text: str
    names: tuple[str, ...] = ()
    space: str = ""  # the namespace or module of these names


def paths(root: str, endings: tuple[str, ...], built: Iterable[str] = ()) -> Iterator[str]:
    """The project's own files of a language, in order; `built` are folders that its tool fills."""
    for place, folders, names in os.walk(root):
        inside = os.path.relpath(place, root)
        folders[:] = sorted(
            name
            for name in folders
            if name not in built and not is_foreign_folder(root, os.path.normpath(f"{inside}/{name}"))
        )
        yield from (os.path.normpath(f"{inside}/{name}") for name in sorted(names) if name.endswith(endings))


def without_remarks(text: str) -> str:
    """Lines of comments speak of things without using them."""
    return REMARK.sub("", text)


def below(folders: Iterable[str], name: str, known: Container[str]) -> Iterator[str]:
    """The files that a relative name means, seen from these folders."""
    for folder in folders:
        path = os.path.normpath(f"{folder or '.'}/{name}")
        if path in known:
            yield path


def changed_at(path: str) -> float:
    """When a file was last written; 0 where there is none."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def spoken_of(files: Iterable[Source]) -> dict[str, list[str]]:
    """File -> the files of whose names it speaks, each in a namespace that it speaks of too, or is in.

    Too many rather than too few: a compiler would know better, but is not asked for every edit.
    """
    files = list(files)
    places: dict[str, list[Source]] = {}
    for each in files:
        for name in each.names:
            places.setdefault(name, []).append(each)
    found = {}
    for each in files:
        words = set(WORD.findall(each.text)) | set(WORD.findall(each.space))
        named = {other for word in words & places.keys() for other in places[word]}
        found[each.path] = sorted(
            other.path for other in named if other.path != each.path and words.issuperset(WORD.findall(other.space))
        )
    return found


def reached(
    project: Project, imports: Mapping[str, Iterable[str]], edited: list[str], is_test: Callable[[str], bool]
) -> Selection:
    """The files of tests that depend on the edited ones, nearest first, and those that are named after them."""
    ways = dependents(imports, edited)
    reasons = {path: reason(way) for path, way in ways.items() if _runs(project, path, is_test)}
    kind = "graph" if reasons else "name"
    stems = {_stem(path) for path in edited}
    for path in imports:
        if path not in reasons and _stem(path) in stems and _runs(project, path, is_test):
            reasons[path] = NAMED
    return whole(kind if reasons else "graph", reasons, "no test depends on it")


def every(project: Project, files: Iterable[str], is_test: Callable[[str], bool]) -> Selection:
    """All files of tests that the user does not leave out."""
    chosen = [path for path in files if _runs(project, path, is_test)]
    return whole("all", dict.fromkeys(chosen, "all tests were asked for"), "there are no tests")


def as_arguments(tests: Iterable[str]) -> list[str]:
    """Paths that no runner takes for options."""
    return [f"./{path}" if path.startswith("-") else path for path in tests]


def _runs(project: Project, path: str, is_test: Callable[[str], bool]) -> bool:
    return is_test(path) and not excluded(project, path) and os.path.exists(f"{project.root}/{path}")


def _stem(path: str) -> str:
    """`cart` for cart.rb, cart_spec.rb and CartTest.php."""
    stem = os.path.splitext(os.path.basename(path))[0].lower().replace("_", "")
    return OF_A_TEST.sub("", stem)
