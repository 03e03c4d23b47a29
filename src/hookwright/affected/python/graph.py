"""The import graph of a project: who imports whom, and so which tests an edited file can reach.

Each file is read once per content: what it imports is kept beside its identity, and the next scan only looks at dates.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from hookwright.affected.python import additions
from hookwright.affected.python.imports import DYNAMIC, Imports, imports_in, parsed
from hookwright.affected.python.memos import Habits, habits_of
from hookwright.affected.python.plugins import words_in
from hookwright.affected.trigger import is_foreign_folder
from hookwright.paths import read_file, replace_file

VERSION = 6
LOOKED_AT = frozenset(additions.LOOKED_AT)
Identity = tuple[int, int]  # when it was changed, and its size


def identity_of(path: str) -> Identity | None:
    """What changes with a file's content; None where there is no such file."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def scan(root: str) -> dict[str, Identity]:
    """Every Python file of the project, by its path in it."""
    found: dict[str, Identity] = {}
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(os.path.join(root, folder)))
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.name.endswith(".py") and entry.is_file():
                stat = entry.stat()
                found[path] = (stat.st_mtime_ns, stat.st_size)
            elif entry.is_dir(follow_symlinks=False) and not is_foreign_folder(root, path):
                folders.append(f"{path}/")
    return found


class Graph:
    """Imports between the files of one project."""

    def __init__(self, root: str, cache: str) -> None:
        self.root, self.cache = root, cache
        self.files = scan(root)
        self.gone: set[str] = set()
        self._seen: dict[str, Any] = {}  # path -> identity, habits; of what had to be read
        known = _load(cache)
        # path -> identity, imports, whether a function in it keeps results, telling words in it
        self._known: dict[str, Any] = {path: known.get(path) for path in self.files}
        for path, identity in self.files.items():
            if not self._known[path] or self._known[path][0] != identity:
                self._known[path] = self._read(path, identity)
        if self._seen or len(known) != len(self._known):
            _store(cache, self._known)
            _ = self.habits  # kept now: for the next edit every file would have to be read again

    def _read(self, path: str, identity: Identity) -> Any:
        source = self._source(path)
        tree = parsed(source)
        habits = habits_of(tree) if tree else Habits({}, [], [])
        self._seen[path] = (identity, tuple(habits))
        imports = tuple(imports_in(tree)) if tree else ([], True)
        return identity, imports, bool(habits.decorated or habits.storing), _words(source)

    def expect(self, paths: Iterable[str]) -> None:
        """Have deleted files found by whoever still imports them."""
        self.gone.update(path for path in paths if path.endswith(".py") and path not in self.files)

    def _source(self, path: str) -> bytes:
        try:
            return read_file(f"{self.root}/{path}")
        except OSError:
            return b""

    def _imports(self, path: str) -> Imports:
        known = self._known.get(path)
        return Imports(*known[1]) if known else Imports([], False)

    @cached_property
    def habits(self) -> dict[str, Habits]:
        """What functions mention, and which keep results; {} when none does."""
        if not any(known[2] for known in self._known.values()):
            return {}
        file = f"{self.cache}-habits"
        known = _load(file)
        fresh: dict[str, Any] = {path: self._seen.get(path) or known.get(path) for path in self.files}
        for path, identity in self.files.items():
            if not fresh[path] or fresh[path][0] != identity:
                self._read(path, identity)
                fresh[path] = self._seen[path]
        if fresh != known:
            _store(file, fresh)
        return {path: Habits(*entry[1]) for path, entry in fresh.items()}

    @cached_property
    def dynamic(self) -> list[tuple[str, str]]:
        """The functions, (path, qualified name), that import by names made up at run time."""
        found = []
        for path in (path for path in self.files if self._imports(path).widens):
            tree = parsed(self._source(path))
            mentions = habits_of(tree).mentions if tree else {}
            found += [(path, name) for name, words in mentions.items() if not DYNAMIC.isdisjoint(words)]
        return found

    @cached_property
    def modules(self) -> dict[str, list[str]]:
        """Dotted name -> files. A folder without __init__.py may be a namespace, or where imports begin: both count."""
        found: dict[str, list[str]] = {}
        for path in (*self.files, *self.gone):
            for name in self._names(path):
                found.setdefault(name, []).append(path)
        return found

    def _names(self, path: str) -> Iterable[str]:
        parts = path.removesuffix(".py").split("/")
        top = len(parts) - 1
        while top and "/".join([*parts[:top], "__init__.py"]) in self.files:
            top -= 1
        dotted = parts[:-1] if parts[-1] == "__init__" else parts
        return [".".join(dotted[start:]) for start in range(top, -1, -1) if dotted[start:]]

    def imported_by(self, path: str) -> set[str]:
        """The project's files that importing this one imports, directly."""
        imports = self._imports(path)
        found = set(self._conftests(path))
        for level, module, name in imports.named:
            found.update(self._relative(path, level, module, name) if level else self._absolute(module, name))
        if imports.widens:
            found.update(self._package(path))
        found.discard(path)
        return found

    def _absolute(self, module: str, name: str) -> Iterable[str]:
        parts = module.split(".") + ([name] if name else [])
        for end in range(1, len(parts) + 1):
            yield from self.modules.get(".".join(parts[:end]), ())

    def _relative(self, path: str, level: int, module: str, name: str) -> Iterable[str]:
        folder = path.split("/")[:-level]
        parts = [part for part in (*module.split("."), name) if part]
        for end in range(len(parts) + 1):
            stem = "/".join([*folder, *parts[:end]])
            for candidate in (f"{stem}.py", f"{stem}/__init__.py" if stem else "__init__.py"):
                if candidate in self.files or candidate in self.gone:
                    yield candidate

    def _conftests(self, path: str) -> Iterable[str]:
        parts = path.split("/")[:-1]
        candidates = ("/".join([*parts[:end], "conftest.py"]) for end in range(len(parts) + 1))
        return [candidate for candidate in candidates if candidate in self.files] if path != "conftest.py" else []

    def _package(self, path: str) -> Iterable[str]:
        """All that lies beside a file that makes up its imports at run time."""
        parts = path.split("/")
        while len(parts) > 2 and "/".join([*parts[:-2], "__init__.py"]) in self.files:
            parts.pop()
        folder = "/".join(parts[:-1])
        return [other for other in self.files if not folder or other.startswith(f"{folder}/")]

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """File -> the files that import it directly."""
        found: dict[str, set[str]] = {}
        for path in self.files:
            for imported in self.imported_by(path):
                found.setdefault(imported, set()).add(path)
        return found

    def mentioned(self, paths: Iterable[str]) -> set[str]:
        """The words of plugins in these files and in those that they import, however far."""
        seen = set(paths)
        wave = list(seen)
        found: set[str] = set()
        while wave:
            path = wave.pop()
            found.update(self._known[path][3] if path in self._known else ())
            new = self.imported_by(path) - seen
            seen |= new
            wave += new
        return found

    def is_looked_at(self, path: str) -> bool:
        """Whether somebody who imports this file, however far, may look at all of its names."""
        return any(not LOOKED_AT.isdisjoint(self._known[other][3]) for other in self.reaching([path]) if other != path)

    def reaching(self, paths: Iterable[str]) -> dict[str, int]:
        """Every file that imports one of these, however far, with its distance; they themselves have 0."""
        distance = dict.fromkeys(paths, 0)
        wave = list(distance)
        while wave:
            step = []
            for path in wave:
                for importer in self.importers.get(path, ()):
                    if importer not in distance:
                        distance[importer] = distance[path] + 1
                        step.append(importer)
            wave = step
        return distance


def _words(source: bytes) -> list[str]:
    return [*words_in(source), *(word for word in LOOKED_AT if word.encode() in source)]


def _load(cache: str) -> dict[str, Any]:
    try:
        version, files = marshal.loads(read_file(cache))
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return files if version == VERSION and isinstance(files, dict) else {}


def _store(cache: str, files: dict[str, Any]) -> None:
    try:
        replace_file(cache, marshal.dumps((VERSION, files)))
    except OSError:  # nowhere to keep it: the next run reads the files again
        pass
