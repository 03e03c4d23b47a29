"""Which Python files hold tests, and for what."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

DEFAULT_NAMES = ["test_*.py", "*_test.py"]  # pytest's own; what else lies in a folder of tests serves them


def is_named(path: str, patterns: Iterable[str]) -> bool:
    """Whether a file's name, or its path where a pattern has folders, fits pytest's `python_files`."""
    name = path.rpartition("/")[2]
    if not name.endswith(".py"):
        return False
    return any(
        fnmatch.fnmatchcase(f"/{path}", f"*/{pattern}") if "/" in pattern else fnmatch.fnmatchcase(name, pattern)
        for pattern in patterns
    )


def named_after(path: str, files: Iterable[str]) -> list[str]:
    """The files of tests for src/auth.py: test_auth.py, auth_test.py; for a package, those of its name."""
    folder, _, name = path.rpartition("/")
    stem = folder.rpartition("/")[2] if name == "__init__.py" else name.removesuffix(".py")
    stem = stem.strip("_")
    wanted = {f"test_{stem}.py", f"{stem}_test.py", f"test__{stem}.py"}
    return sorted(file for file in files if stem and file.rpartition("/")[2] in wanted)
