"""The import graph of a project: who imports whom, and so which tests an edited file can reach.

Each file is read once per content: what it imports is kept beside its identity, and the next scan only looks at dates.
"""

from __future__ import annotations

import ast
import marshal
import os
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from hookwright.affected.python.imports import Imports, imports_in, parsed
from hookwright.affected.python.memos import Habits, habits_of
from hookwright.affected.trigger import is_foreign_folder
from hookwright.paths import read_file, replace_file

VERSION = 2
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
        self._imports: dict[str, Imports] = {}
        known = _load(cache)
        changed = {path for path, identity in self.files.items() if path not in known or known[path][0] != identity}
        trees = {path: self._tree(path) for path in changed}
        for path in self.files:
            tree = trees.get(path)
            fresh = imports_in(tree) if tree else Imports([], True)
            self._imports[path] = fresh if path in changed else Imports(*known[path][1])
        if changed or len(known) != len(self.files):
            _store(cache, {path: (self.files[path], tuple(imports)) for path, imports in self._imports.items()})
            self._keep_habits(trees)

    def _tree(self, path: str) -> ast.Module | None:
        try:
            return parsed(read_file(f"{self.root}/{path}"))
        except OSError:
            return None

    def _keep_habits(self, trees: dict[str, ast.Module | None]) -> None:
        known = _load(f"{self.cache}-habits")
        fresh = {path: tuple(habits_of(tree)) for path, tree in trees.items() if tree}
        _store(f"{self.cache}-habits", {path: habits for path, habits in (known | fresh).items() if path in self.files})

    @cached_property
    def habits(self) -> dict[str, Habits]:
        """What functions mention, and which keep results; read only where something changed."""
        return {path: Habits(*habits) for path, habits in _load(f"{self.cache}-habits").items()}

    @cached_property
    def modules(self) -> dict[str, list[str]]:
        """Dotted name -> files. A folder without __init__.py may be a namespace, or where imports begin: both count."""
        found: dict[str, list[str]] = {}
        for path in self.files:
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
        imports = self._imports.get(path)
        found = set(self._conftests(path))
        for level, module, name in imports.named if imports else ():
            found.update(self._relative(path, level, module, name) if level else self._absolute(module, name))
        if imports and imports.widens:
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
                if candidate in self.files:
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

    def outside(self, paths: Iterable[str]) -> set[str]:
        """The top-level modules that these files import from elsewhere, however far."""
        seen = set(paths)
        wave = list(seen)
        found: set[str] = set()
        while wave:
            path = wave.pop()
            imports = self._imports.get(path, Imports([], False))
            found |= {module.partition(".")[0] for level, module, _ in imports.named if not level}
            new = self.imported_by(path) - seen
            seen |= new
            wave += new
        return found

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
