"""Python takes compiled code for fresh by whole seconds: of two edits in one second, the first may be what runs."""

from __future__ import annotations

import glob
import os
from contextlib import suppress


def drop_bytecode(root: str, edited: list[str]) -> None:
    """Have edited files compiled again."""
    for path in edited:
        folder, name = os.path.split(os.path.join(root, path))
        if name.endswith(".py"):
            for file in glob.glob(f"{glob.escape(folder)}/__pycache__/{glob.escape(name[:-3])}.*.pyc"):
                with suppress(OSError):
                    os.unlink(file)
