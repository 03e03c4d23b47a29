"""The interpreter that a project's tests belong to, and what it has installed."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from typing import Any, Protocol

from hookwright.affected.contract import Project
from hookwright.process import run

ASK_S = 15
ASK_AGAIN_S = 600  # where a tool knew no environment
PROBE = """
import importlib.util, json, sys
found = {"version": list(sys.version_info[:3]), "pytest": bool(importlib.util.find_spec("pytest")), "plugins": {}}
if found["pytest"] and sys.version_info >= (3, 8):
    from importlib.metadata import distributions
    points = (point for one in distributions() for point in one.entry_points if point.group == "pytest11")
    found["plugins"] = {point.name: point.value.split(":")[0] for point in points}
print(json.dumps(found))
"""


def _inside(*folders: str) -> Callable[[Project, str], str]:
    """An environment at a fixed place, in the project's folder or one above it."""

    def find(project: Project, folder: str) -> str:
        return next((f"{folder}/{name}/bin/python" for name in folders if _runs(f"{folder}/{name}/bin/python")), "")

    return find


def _uv(project: Project, folder: str) -> str:
    name = _variable(project, "UV_PROJECT_ENVIRONMENT")
    return _python_in(os.path.join(folder, name)) if name and os.path.exists(f"{folder}/uv.lock") else ""


def _pdm(project: Project, folder: str) -> str:
    try:
        with open(f"{folder}/.pdm-python", encoding="utf-8") as file:
            found = file.read().strip()
    except OSError:
        return ""
    return found if _runs(found) else ""


def _asked(markers: tuple[str, ...], *commands: tuple[str, ...]) -> Callable[[Project, str], str]:
    """An environment that only its tool knows the place of; of several places, the first that is there."""

    def find(project: Project, folder: str) -> str:
        program = shutil.which(commands[0][0], path=_variable(project, "PATH"))
        if not program or not _mentions(folder, markers):
            return ""
        for command in commands:
            try:
                outcome = run([program, *command[1:]], cwd=folder, env=project.environment, timeout_s=ASK_S)
            except OSError:
                continue
            places = outcome.stdout.text().split("\n") if outcome.exit_code == 0 else []
            if found := next(filter(None, (_python_in(place.strip()) for place in places)), ""):
                return found
        return ""

    return find


# in this order, for the project's folder and then for those above it
PLACES: tuple[Callable[[Project, str], str], ...] = (
    _uv,
    _inside(".venv", "venv", ".pixi/envs/default", ".conda"),
    _pdm,
)
# they take a second to answer: what they said is kept
ASKED: tuple[Callable[[Project, str], str], ...] = (
    _asked(("tool.poetry", "poetry.core"), ("poetry", "env", "info", "--path")),
    _asked(("tool.hatch", "hatchling"), ("hatch", "env", "find", "hatch-test"), ("hatch", "env", "find")),
)


class Memory(Protocol):
    """Where answers are kept from one run to the next."""

    def kept(self, name: str) -> Any: ...

    def keep(self, name: str, value: object) -> None: ...


def interpreter(project: Project, top: str, memory: Memory | None = None) -> str:
    """The Python that runs the project's tests: the nearest environment up to `top`, the active one, else python3."""
    for folder in _up(project.root, top):
        for place in PLACES:
            if found := place(project, folder):
                return found
        if found := _told_by_tools(project, folder, memory):
            return found
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if found := _python_in(_variable(project, name)):
            return found
    path = _variable(project, "PATH")
    return shutil.which("python3", path=path) or shutil.which("python", path=path) or ""


def _told_by_tools(project: Project, folder: str, memory: Memory | None) -> str:
    """What the tools say, or said: believed while the project's file is the same, and "nothing" only for a while."""
    asked_with = [folder, _changed(f"{folder}/pyproject.toml"), _variable(project, "PATH")]
    known = memory.kept("tools") if memory is not None else None
    if known and known["with"] == asked_with:
        fresh = _runs(known["python"]) if known["python"] else time.time() - known["at"] < ASK_AGAIN_S
        if fresh:
            return str(known["python"])
    python = next(filter(None, (place(project, folder) for place in ASKED)), "")
    if memory is not None and asked_with[1]:
        memory.keep("tools", {"with": asked_with, "python": python, "at": time.time()})
    return python


def probe(project: Project, python: str) -> dict[str, Any]:
    """Its version, and which plugins that matter to us it has; {} when it does not run."""
    try:
        outcome = run([python, "-c", PROBE], cwd=project.root, env=project.environment, timeout_s=ASK_S)
        found = json.loads(outcome.stdout.text()) if outcome.exit_code == 0 else {}
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def mark(python: str) -> list[Any]:
    """What changes when something is installed: the interpreter, and its folders of packages."""
    folder = os.path.dirname(os.path.dirname(python))
    libraries = [f"{folder}/lib/{name}/site-packages" for name in _listed(f"{folder}/lib") if name.startswith("python")]
    return [PROBE, python, *(_changed(path) for path in (python, *sorted(libraries)))]


def _up(folder: str, top: str) -> list[str]:
    folders = [folder]
    while folders[-1] != top and folders[-1].startswith(f"{top.rstrip('/')}/"):
        folders.append(os.path.dirname(folders[-1]))
    return folders


def _runs(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _python_in(environment: str) -> str:
    path = f"{environment}/bin/python"
    return path if environment and _runs(path) else ""


def _mentions(folder: str, words: tuple[str, ...]) -> bool:
    try:
        with open(f"{folder}/pyproject.toml", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return False
    return any(word in text for word in words)


def _variable(project: Project, name: str) -> str:
    return os.fsdecode(project.environment.get(name.encode(), b""))


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
