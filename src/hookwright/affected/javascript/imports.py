"""Which file of a JavaScript project imports which, for runners that do not know it themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from hookwright.affected.javascript.package import package_in
from hookwright.affected.toolchain import read
from hookwright.affected.trigger import TOP_FOLDERS, is_foreign_folder

ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
SPECIFIER = re.compile(r"""(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'`]([^"'`\n]+)["'`]""")
TEST_NAME = re.compile(r"(\.|-|_)(test|spec)\.[cm]?[jt]sx?$|^test(-.*)?\.[cm]?[jt]sx?$")
TEST_FOLDERS = {"test", "tests", "__tests__", "spec"}
BUILT = {name for name, why in TOP_FOLDERS.items() if why == "it is generated"}


def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return bool(TEST_NAME.search(name)) or "__tests__" in folders


def is_in_test_folder(path: str) -> bool:
    """Mocha and node take every file there for one of tests."""
    return is_test(path) or not TEST_FOLDERS.isdisjoint(path.split("/")[:-1])


def sources(root: str, folder: str = ".") -> Iterator[str]:
    """The project's own files, or those of one of its folders, by their paths in it."""
    for place, folders, names in os.walk(os.path.normpath(f"{root}/{folder}")):
        inside = os.path.relpath(place, root)
        folders[:] = [name for name in folders if not is_foreign_folder(root, os.path.normpath(f"{inside}/{name}"))]
        if inside == os.path.normpath(folder):
            folders[:] = [name for name in folders if name not in BUILT]
        yield from (os.path.normpath(f"{inside}/{name}") for name in sorted(names) if name.endswith(ENDINGS))


Entries = Mapping[str, tuple[str, Sequence[str]]]  # package -> its folder, and what its name alone may stand for


def imports(root: str, folder: str = ".", packages: Entries = MappingProxyType({})) -> dict[str, list[str]]:
    """File -> the files that it imports, by a relative path or by the name of a package of the workspace."""
    found: dict[str, list[str]] = {}
    for path in sorted(sources(root, folder)):
        targets = [
            _target(root, path, each, packages) for each in dict.fromkeys(SPECIFIER.findall(read(f"{root}/{path}")))
        ]
        files = [next(filter(lambda each: os.path.isfile(f"{root}/{each}"), each), "") for each in targets]
        found[path] = [each for each in files if each]
    return found


def _target(root: str, path: str, specifier: str, packages: Entries) -> Iterator[str]:
    """The files that a specifier may mean."""
    if specifier.startswith("."):
        target = os.path.normpath(os.path.join(os.path.dirname(path), specifier))
        package = package_in(f"{root}/{target}") if os.path.isdir(f"{root}/{target}") else None
        for entry in package.entries if package else ():  # a folder with a package.json is what that says
            yield from _candidates(os.path.normpath(f"{target}/{entry}"))
        yield from _candidates(target)
        return
    depth = 2 if specifier.startswith("@") else 1
    name, inside = "/".join(specifier.split("/")[:depth]), "/".join(specifier.split("/")[depth:])
    if name in packages:
        folder, entries = packages[name]
        for entry in [inside, f"src/{inside}"] if inside else entries:
            yield from _candidates(os.path.normpath(f"{folder}/{entry}"))


def _candidates(target: str) -> Iterator[str]:
    """The file, with any ending, as a folder; TypeScript writes .js for what is .ts."""
    yield target
    stem, ending = os.path.splitext(target)
    if ending in (".js", ".mjs", ".cjs", ".jsx"):
        yield from (stem + ending.replace("js", "ts"), f"{stem}.tsx")
    yield from (target + each for each in ENDINGS)
    yield from (os.path.normpath(f"{target}/index{each}") for each in ENDINGS)
