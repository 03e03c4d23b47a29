"""Real projects to measure on: their source distributions from PyPI, unpacked beside an environment of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

TOOLS = ("pytest>=8,<9", "pytest-testmon")


@dataclass(frozen=True)
class Subject:
    """One project: where its code is, and what its tests need besides."""

    name: str
    version: str
    code: str
    needs: tuple[str, ...] = ()


SUBJECTS = (
    Subject("jinja2", "3.1.6", "src/jinja2", ("trio",)),
    Subject("flask", "3.1.3", "src/flask", ("asgiref", "python-dotenv")),
    Subject("click", "8.5.1", "src/click"),
    Subject("itsdangerous", "2.2.0", "src/itsdangerous", ("freezegun",)),
    Subject("attrs", "26.1.0", "src/attr", ("hypothesis", "cloudpickle")),
    Subject("packaging", "25.0", "src/packaging", ("pretend",)),
    Subject("more-itertools", "10.8.0", "more_itertools"),
    Subject("boltons", "25.0.0", "boltons"),
    Subject("marshmallow", "4.0.1", "src/marshmallow", ("simplejson",)),
    Subject("sqlparse", "0.5.3", "sqlparse"),
)


def prepared(subject: Subject, cache: Path, python: str) -> tuple[Path, Path]:
    """The unpacked project and its interpreter; fetched and installed on first use."""
    home = cache / f"{subject.name}-{subject.version}"
    tree, environment = home / "tree", home / "tree" / ".venv"
    if not (home / "ready").exists():
        home.mkdir(parents=True, exist_ok=True)
        unpack(subject, home)
        subprocess.run([python, "-m", "venv", str(environment)], check=True)
        wanted = [*TOOLS, *subject.needs, "-e", str(tree)]
        subprocess.run([str(environment / "bin/python"), "-m", "pip", "install", "-q", *wanted], check=True)
        (home / "ready").touch()
    return tree, environment / "bin/python"


def unpack(subject: Subject, home: Path) -> None:
    wanted = f"{subject.name}=={subject.version}"
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(home), wanted]
    subprocess.run(pip, check=True, stdout=sys.stderr)
    file = next(home.glob("*.tar.gz"))
    with tarfile.open(file) as archive:
        archive.extractall(home, filter="data")
        folder = archive.getnames()[0].split("/")[0]
    shutil.rmtree(home / "tree", ignore_errors=True)
    (home / folder).rename(home / "tree")
    print(f"fetched {wanted}", file=sys.stderr)
