"""Which Python files hold tests, and for what."""

from __future__ import annotations

from collections.abc import Iterable


def is_test(path: str) -> bool:
    """By pytest's own default names; what else lies in a folder of tests serves them."""
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def named_after(path: str, files: Iterable[str]) -> list[str]:
    """The files of tests for src/auth.py: test_auth.py, auth_test.py; for a package, those of its name."""
    folder, _, name = path.rpartition("/")
    stem = folder.rpartition("/")[2] if name == "__init__.py" else name.removesuffix(".py")
    stem = stem.strip("_")
    wanted = {f"test_{stem}.py", f"{stem}_test.py", f"test__{stem}.py"}
    return sorted(file for file in files if stem and file.rpartition("/")[2] in wanted)
