"""The packages of a workspace: which tests of another package reach an edited file, through the names of packages."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookwright.affected.contract import Project
from hookwright.affected.dependents import dependents
from hookwright.affected.javascript.imports import imports, is_in_test_folder
from hookwright.affected.javascript.package import Package, folders_above, package_in
from hookwright.affected.trigger import is_foreign_folder

MARKS = ("pnpm-workspace.yaml", "lerna.json")


def tests_elsewhere(project: Project, edited: list[str]) -> dict[str, list[str]]:
    """Folder of another package -> its tests that an edit of this one can break, the nearest first."""
    top = _top(project)
    own = package_in(project.root)
    if not top or own is None or not own.name:
        return {}
    packages = {package.name: package for package in _packages(top) if package.name} | {own.name: own}
    needs = {name: [need for need in package.needs if need in packages] for name, package in packages.items()}
    concerned = [packages[name] for name in dependents(needs, [own.name]) if name in packages]
    if len(concerned) < 2:
        return {}
    entries = {package.name: (os.path.relpath(package.folder, top), package.entries) for package in concerned}
    graph: dict[str, list[str]] = {}
    for package in concerned:
        graph |= imports(top, os.path.relpath(package.folder, top), entries)
    ways = dependents(graph, [os.path.relpath(os.path.join(project.root, path), top) for path in edited])
    reached: dict[str, list[str]] = {}
    for path in ways:
        folder = _owner(f"{top}/{path}", concerned)
        inside = os.path.relpath(f"{top}/{path}", folder)
        if folder != project.root and is_in_test_folder(inside):
            reached.setdefault(folder, []).append(inside)
    return reached


def _owner(path: str, packages: list[Package]) -> str:
    """The folder of the innermost package that a file is in."""
    return max((each.folder for each in packages if path.startswith(f"{each.folder}/")), key=len)


def _top(project: Project) -> str:
    """The folder above that says it is a workspace; "" for none."""
    for folder in folders_above(project)[1:]:
        package = package_in(folder)
        if (package and "workspaces" in package.keys) or any(os.path.exists(f"{folder}/{name}") for name in MARKS):
            return folder
    return ""


def _packages(top: str) -> Iterator[Package]:
    """Whatever has a package.json: which of them the workspace counts does not matter, they must name each other."""
    for place, folders, names in os.walk(top):
        inside = os.path.relpath(place, top)
        folders[:] = [name for name in folders if not is_foreign_folder(top, os.path.normpath(f"{inside}/{name}"))]
        package = package_in(place) if "package.json" in names and place != top else None
        if package:
            yield package
