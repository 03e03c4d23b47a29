"""Which files hold tests of the project's own suite: as its pytest config says, and as a whole run has shown."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from typing import Any

from hookwright.affected.python.pytest_config import words
from hookwright.affected.python.testfiles import DEFAULT_NAMES, is_named

# a folder below with one of these is its own project
OTHERS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini")


class Suite:
    """The tests of one project, and not those of an example or another project inside it."""

    def __init__(self, root: str, options: dict[str, Any], apart: Iterable[str] = ()) -> None:
        self.root = root
        self.apart = set(apart)  # files that a whole run collected nothing from
        self.names = words(options, "python_files") or DEFAULT_NAMES
        given = map(os.path.normpath, words(options, "testpaths"))
        self.paths = [place for place in given if place != "."]
        self._foreign: dict[str, bool] = {"": False}

    def is_test(self, path: str) -> bool:
        """Whether a file's name is one of tests here."""
        return is_named(path, self.names)

    def has(self, path: str) -> bool:
        """Whether a file of tests belongs to the suite."""
        if path in self.apart:
            return False
        if self.paths:
            return any(fnmatch.fnmatch(path, pattern) for place in self.paths for pattern in (place, f"{place}/*"))
        return not self._is_foreign(os.path.dirname(path))

    def _is_foreign(self, folder: str) -> bool:
        if folder not in self._foreign:
            own = any(os.path.exists(f"{self.root}/{folder}/{name}") for name in OTHERS)
            self._foreign[folder] = own or self._is_foreign(os.path.dirname(folder))
        return self._foreign[folder]
