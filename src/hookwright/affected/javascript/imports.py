"""Which file of a JavaScript project imports which, for runners that do not know it themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookwright.affected.toolchain import read
from hookwright.affected.trigger import TOP_FOLDERS, is_foreign_folder

ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
SPECIFIER = re.compile(r"""(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'`](\.[^"'`\n]*)["'`]""")
TEST_NAME = re.compile(r"(\.|-|_)(test|spec)\.[cm]?[jt]sx?$|^test(-.*)?\.[cm]?[jt]sx?$")
TEST_FOLDERS = {"test", "tests", "__tests__", "spec"}
BUILT = {name for name, why in TOP_FOLDERS.items() if why == "it is generated"}


def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return bool(TEST_NAME.search(name)) or "__tests__" in folders


def is_in_test_folder(path: str) -> bool:
    """Mocha and node take every file there for one of tests."""
    return is_test(path) or not TEST_FOLDERS.isdisjoint(path.split("/")[:-1])


def sources(root: str) -> Iterator[str]:
    """The project's own files, by their paths in it."""
    for place, folders, names in os.walk(root):
        inside = os.path.relpath(place, root)
        folders[:] = [name for name in folders if not is_foreign_folder(root, os.path.normpath(f"{inside}/{name}"))]
        if inside == ".":
            folders[:] = [name for name in folders if name not in BUILT]
        yield from (os.path.normpath(f"{inside}/{name}") for name in sorted(names) if name.endswith(ENDINGS))


def imports(root: str) -> dict[str, list[str]]:
    """File -> the files that it imports by a relative path."""
    files = set(sources(root))
    return {path: list(_imported(path, read(f"{root}/{path}"), files)) for path in sorted(files)}


def _imported(path: str, text: str, files: set[str]) -> Iterator[str]:
    for specifier in dict.fromkeys(SPECIFIER.findall(text)):
        target = os.path.normpath(os.path.join(os.path.dirname(path), specifier))
        found = next((each for each in _candidates(target) if each in files), "")
        if found:
            yield found


def _candidates(target: str) -> Iterator[str]:
    """The file, with any ending, as a folder; TypeScript writes .js for what is .ts."""
    yield target
    stem, ending = os.path.splitext(target)
    if ending in (".js", ".mjs", ".cjs", ".jsx"):
        yield from (stem + ending.replace("js", "ts"), f"{stem}.tsx")
    yield from (target + each for each in ENDINGS)
    yield from (f"{target}/index{each}" for each in ENDINGS)
