"""The shim between a process and the C library, built once; see `shim.c` for the faults it knows."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")


class NoCompiler(Exception):
    """This machine has no C compiler, so no fault can be injected."""


def built(folder: Path) -> Path:
    """The shim as a library. Raises NoCompiler where there is none to build it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise NoCompiler("not on this machine: a C compiler, which builds the shim that injects faults")
    library = folder / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


class Shim:
    """Faults for one process and its children, and the page they count on."""

    def __init__(self, library: Path, page: Path) -> None:
        self.library = library
        self.page = page

    def environment(self, fault: str) -> dict[str, str]:
        """What makes a process suffer this fault; the count begins anew."""
        self.page.write_bytes(bytes(4096))
        return {
            "LD_PRELOAD": str(self.library),
            "HOOKWRIGHT_FAULT": fault,
            "HOOKWRIGHT_FAULT_PAGE": str(self.page),
        }

    def changes(self) -> int:
        """How many changes of files were tried since."""
        return int(struct.unpack("i", self.page.read_bytes()[:4])[0])
