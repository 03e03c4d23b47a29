"""A real disk that is too small, or read-only: a tmpfs, which only root can mount."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE = "24m"  # a full journal has eight
PIECE = 4096


class NoMount(Exception):
    """This machine lets us mount nothing."""


class SmallDisk:
    """A mounted file system that can be filled and switched to read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self, but_bytes: int = 0) -> None:
        """Leave this much."""
        with self._filler.open("wb") as file:
            free = os.statvfs(self.folder)
            os.posix_fallocate(file.fileno(), 0, max(PIECE, free.f_bavail * free.f_frsize - but_bytes))

    def free(self) -> None:
        """Whole and writable again."""
        _mount("-o", "remount,rw", str(self.folder))
        self._filler.unlink(missing_ok=True)

    def lock(self) -> None:
        """From now on read-only."""
        _mount("-o", "remount,ro", str(self.folder))


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Mounted here for as long as it is used. Raises NoMount."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder))
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()


def _mount(*words: str) -> None:
    try:
        subprocess.run(["mount", *words], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoMount("not on this machine: the right to mount a small disk") from error
