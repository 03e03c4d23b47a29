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
QUIET_PIP = ("--disable-pip-version-check", "--no-input", "--no-compile")
QUIET = ("--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")


class Missing(Exception):
    """This machine has no npm."""


def folder_with(example: Path) -> Path:
    """The folder with the example's program, installed as the example tells its reader."""
    way, package = _line(example)
    from_npm = way.startswith("npm")
    # What is of npm is installed in one go: the servers share most of what they need.
    wanted = sorted(each for one, each in map(_line, EXAMPLES.glob("*.yaml")) if one == way) if from_npm else [package]
    made_for = " ".join(wanted) if from_npm else f"{package} {CACHE} {sys.executable}"  # a venv works in its place only
    target = CACHE / f"{way.split()[0]}-{hashlib.sha256(made_for.encode()).hexdigest()[:6]}"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            (_from_npm if from_npm else _from_pypi)(wanted, target)
    return target / ("node_modules/.bin" if from_npm else "bin")


def _line(example: Path) -> tuple[str, str]:
    """The line that the example shows its reader: (how to install, what)."""
    line = re.search(r"^#   (npm install -g|pip install) (\S+)$", example.read_text(), re.MULTILINE)
    assert line is not None, f"{example.name} does not say how to get its server"
    return line[1], line[2]


def _from_npm(packages: list[str], target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Missing("not on this machine: npm and node, which install MCP servers")
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="installing-") as staging:
        filled = Path(staging, "filled")  # renamed as a whole, so that half an install is never taken for one
        filled.mkdir()
        _run([npm, "install", "--prefix", str(filled), *QUIET, *packages])
        filled.rename(target)


def _from_pypi(packages: list[str], target: Path) -> None:
    try:
        _run([sys.executable, "-m", "venv", "--without-pip", str(target)])  # our own pip does, and is here already
        _run([sys.executable, "-m", "pip", "--python", str(target), "install", "--quiet", *QUIET_PIP, *packages])
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=CACHE, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")
