"""A package.json: which runner its tests are for, and where that is installed."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hookwright.affected.contract import Project
from hookwright.affected.toolchain import found, read

TOOLS = ("vitest", "jest", "mocha")
CONFIGS = {
    "vitest": ("vitest.config.", "vitest.workspace."),
    "jest": ("jest.config.",),
    "mocha": (".mocharc.",),
}
LOCKS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun"), ("bun.lock", "bun"))
RUNS = ("run", "run-script", "npm", "pnpm", "yarn", "bun", "-s", "--silent")
WITH_VALUE = ("--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C")


@dataclass
class Package:
    """One package.json with the folder it stands in."""

    folder: str
    name: str = ""
    entries: tuple[str, ...] = ()  # what its name stands for when it is imported
    scripts: dict[str, Any] = field(default_factory=dict)
    needs: dict[str, Any] = field(default_factory=dict)
    keys: frozenset[str] = frozenset()

    @property
    def test_script(self) -> str:
        script = self.scripts.get("test")
        return script if isinstance(script, str) and "no test specified" not in script else ""

    @property
    def words(self) -> list[str]:
        """The words of the test script, each other script that it runs in its place."""
        return list(self._words("test", frozenset())) if self.test_script else []

    def _words(self, name: str, above: frozenset[str]) -> Iterator[str]:
        before = ""
        for word in _split(str(self.scripts[name])):
            if before in RUNS and word in self.scripts and word not in above | {name}:
                yield from self._words(word, above | {name})
            else:
                yield word
            before = word

    def tool(self) -> str:
        """The runner that the script, the dependencies or a file of configuration name; "" for none."""
        words = self.words
        names = os.listdir(self.folder)
        said = next((tool for tool in TOOLS if tool in words), "")
        if said or ("node" in words and "--test" in words):
            return said or "node"
        return next((tool for tool in TOOLS if tool in self.needs or tool in self.keys or _has(names, tool)), "")

    def node_options(self) -> list[str]:
        """The loaders and the like of a `node --test` script."""
        options: list[str] = []
        words = self.words
        words = words[words.index("node") :] if "node" in words else []
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word in WITH_VALUE:
                options += [word, following]
            elif word.startswith(tuple(f"{name}=" for name in WITH_VALUE if name[:2] == "--")):
                options.append(word)
        return options


def _split(script: str) -> list[str]:
    try:
        return shlex.split(script)
    except ValueError:
        return script.split()


def _has(names: list[str], tool: str) -> bool:
    return any(name.startswith(CONFIGS[tool]) for name in names)


def package_in(folder: str) -> Package | None:
    try:
        given = json.loads(read(f"{folder}/package.json"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    parts = [given.get(name) for name in ("dependencies", "devDependencies", "peerDependencies")]
    needs = {name: version for part in parts if isinstance(part, dict) for name, version in part.items()}
    scripts = given.get("scripts")
    return Package(
        folder=folder,
        name=str(given.get("name") or ""),
        entries=tuple(_entries(given)),
        scripts=scripts if isinstance(scripts, dict) else {},
        needs=needs,
        keys=frozenset(given),
    )


def _entries(given: dict[str, Any]) -> Iterator[str]:
    exports = given.get("exports")
    main = exports.get(".", exports) if isinstance(exports, dict) else exports
    yield from _strings(main)
    yield from (word for name in ("module", "main") if isinstance(word := given.get(name), str))
    yield "index"


def _strings(exported: object) -> Iterator[str]:
    """The files of an export, for whatever condition."""
    if isinstance(exported, str):
        yield exported
    elif isinstance(exported, dict):
        for each in exported.values():
            yield from _strings(each)


def folders_above(project: Project) -> list[str]:
    """The project's folder and those above it, up to that of the config: a workspace keeps its tools at its top."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(project.state)))
    folders = [project.root]
    while folders[-1] != top and len(folders[-1]) > len(top):
        folders.append(os.path.dirname(folders[-1]))
    return folders


def installed(project: Project, tool: str) -> tuple[str, ...]:
    """How a runner is started that is already there; () when it is not. Nothing is downloaded: no npx."""
    for folder in folders_above(project):
        if os.access(f"{folder}/node_modules/.bin/{tool}", os.X_OK):
            return (f"{folder}/node_modules/.bin/{tool}",)
        yarn = found(project, "yarn") if os.path.exists(f"{folder}/.pnp.cjs") else ""
        if yarn:
            return (yarn, "run", tool)
    return ()


def manager(project: Project) -> str:
    """Who runs the package's scripts, by the lock file it left."""
    for folder in folders_above(project):
        for lock, name in LOCKS:
            if os.path.exists(f"{folder}/{lock}"):
                return name
    return "npm"
