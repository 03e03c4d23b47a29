"""The interpreter that a project's tests belong to, and what it has installed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from typing import Any

from hookwright.affected.contract import Project
from hookwright.process import run

ASK_S = 15
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


def _asked(marker: str, *command: str) -> Callable[[Project, str], str]:
    """An environment that only its tool knows the place of."""

    def find(project: Project, folder: str) -> str:
        program = shutil.which(command[0], path=_variable(project, "PATH"))
        if not program or not _mentions(folder, marker):
            return ""
        try:
            outcome = run([program, *command[1:]], cwd=folder, env=project.environment, timeout_s=ASK_S)
        except OSError:
            return ""
        place = outcome.stdout.text().strip().splitlines()
        return _python_in(place[-1]) if outcome.exit_code == 0 and place else ""

    return find


# in this order, for the project's folder and then for those above it
PLACES: tuple[Callable[[Project, str], str], ...] = (
    _uv,
    _inside(".venv", "venv", ".pixi/envs/default", ".conda"),
    _pdm,
    _asked("tool.poetry", "poetry", "env", "info", "--path"),
    _asked("tool.hatch.envs", "hatch", "env", "find"),
)


def interpreter(project: Project, top: str) -> str:
    """The Python that runs the project's tests: the nearest environment up to `top`, the active one, else python3."""
    for folder in _up(project.root, top):
        for place in PLACES:
            if found := place(project, folder):
                return found
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if found := _python_in(_variable(project, name)):
            return found
    path = _variable(project, "PATH")
    return shutil.which("python3", path=path) or shutil.which("python", path=path) or ""


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


def _mentions(folder: str, table: str) -> bool:
    try:
        with open(f"{folder}/pyproject.toml", encoding="utf-8", errors="replace") as file:
            return f"[{table}" in file.read()
    except OSError:
        return False


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
