"""MCP servers that nobody here wrote: installed once, at the versions that the examples name."""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "examples/mcp-servers"
CACHE = Path(__file__).resolve().parent / ".servers"
QUIET_PIP = ("--disable-pip-version-check", "--no-input")
QUIET = ("--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")


class Missing(Exception):
    """This machine has no npm."""


def folder_with(example: Path) -> Path:
    """The folder with the example's program, installed by the very line that the example shows its reader."""
    line = re.search(r"^#   (npm install -g|pip install) (\S+)$", example.read_text(), re.MULTILINE)
    assert line is not None, f"{example.name} does not say how to get its server"
    package, from_npm = line[2], line[1].startswith("npm")
    made_for = package if from_npm else f"{package} {CACHE} {sys.executable}"  # a venv works in its place only
    key = hashlib.sha256(made_for.encode()).hexdigest()[:6]
    target = CACHE / f"{re.sub(r'[^a-z0-9.]+', '-', package).strip('-')}-{key}"
    programs = target / ("node_modules/.bin" if from_npm else "bin")
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            (_from_npm if from_npm else _from_pypi)(package, target)
    return programs


def _from_npm(package: str, target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Missing("not on this machine: npm and node, which install MCP servers")
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="installing-") as staging:
        filled = Path(staging, "filled")  # renamed as a whole, so that half an install is never taken for one
        filled.mkdir()
        _run([npm, "install", "--prefix", str(filled), *QUIET, package])
        filled.rename(target)


def _from_pypi(package: str, target: Path) -> None:
    try:
        _run([sys.executable, "-m", "venv", "--without-pip", str(target)])  # our own pip does, and is here already
        _run([sys.executable, "-m", "pip", "--python", str(target), "install", "--quiet", *QUIET_PIP, package])
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=CACHE, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")
