"""How far a long run has come, on a terminal: read from the report while it grows."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from hookwright.affected.contract import Project

EVERY_S = 0.2
WIDTH = 30


@contextmanager
def progress(project: Project, screen: TextIO) -> Iterator[None]:
    """A bar while the block runs; nothing where nobody looks."""
    if not screen.isatty():
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(f"{project.file('run-')}{os.getpid()}", screen, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        screen.write("\r\033[K")
        screen.flush()


def _watch(folder: str, screen: TextIO, done: threading.Event) -> None:
    while not done.wait(EVERY_S):
        ran, failed, total = counted(folder)
        screen.write(f"\r\033[K{bar(ran, failed, total)}")
        screen.flush()


def counted(folder: str) -> tuple[int, int, int]:
    """(tests that ran, that failed, that there are) by the reports in a folder."""
    ran = failed = total = 0
    for path in _reports(folder):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                ran += '"when": "teardown"' in line
                failed += '"outcome": "failed"' in line
                if '"kind": "collected"' in line:
                    total = int(line.partition('"tests": ')[2].partition(",")[0].strip("}\n ") or 0)
    return ran, failed, total


def _reports(folder: str) -> list[str]:
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder) if name.startswith("report.")]
    except OSError:
        return []


def bar(ran: int, failed: int, total: int) -> str:
    """`[#####-----] 50/100, 1 failed`."""
    full = WIDTH * min(ran, total) // total if total else 0
    told = f"{ran}/{total}" if total else "collecting"
    return f"[{'#' * full}{'-' * (WIDTH - full)}] {told}{f', {failed} failed' if failed else ''}"
