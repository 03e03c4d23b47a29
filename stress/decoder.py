"""What a reader of foreign bytes is to the fuzzing, and a place on a disk for those that want one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Decoder:
    """One reader of foreign bytes."""

    name: str
    take: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


@cache
def project() -> Path:
    """A project for whatever wants a place: in memory where the machine has such a folder."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="hookwright-fuzz-", dir=memory))
    (folder / ".hookwright.yaml").write_text("{}\n")
    return folder


def written(name: str, data: bytes) -> str:
    path = project() / name
    path.write_bytes(data)
    return str(path)
