# mypy: ignore-errors
# ruff: noqa: UP031, SIM905 - it must also be importable by Python 3.8, in an environment that we know nothing of
"""Which files are the project's own, and what they are called in it."""

import os

NOT_THEIRS = frozenset(
    "site-packages dist-packages .venv venv .tox .nox node_modules .hookwright .git .pytest_cache .hypothesis".split()
)


class Paths:
    """All of pytest and of the library comes by here, so each file and each folder is looked up once."""

    def __init__(self, root):
        self.prefix = os.path.realpath(root).rstrip("/") + "/"
        self.paths = {}  # file name of a code object -> path in the project, or ""
        self.folders = {}  # folder of such a file -> its real name

    def path(self, filename):
        """A file's path in the project; "" for one that is not the project's own."""
        found = self.paths.get(filename)
        if found is None:
            found = self.paths[filename] = self._path(filename)
        return found

    def _path(self, filename):
        if filename.startswith("<"):
            return ""
        real = self._real(filename)
        if not real.startswith(self.prefix):
            return ""
        inside = real[len(self.prefix) :]
        return "" if any(part in NOT_THEIRS for part in inside.split("/")[:-1]) else inside

    def _real(self, filename):
        folder, name = os.path.split(filename)
        found = self.folders.get(folder)
        if found is None:
            found = self.folders[folder] = os.path.realpath(folder or os.curdir)
        real = os.path.join(found, name)
        return os.path.realpath(real) if os.path.islink(real) else real
