"""Reading the journal back: entries, filters, figures. Printing is the verb's work."""

from __future__ import annotations

import json
import math
import os
import time
from array import array
from collections.abc import Iterator
from typing import Any, TextIO

from hookwright.journal import NAME, rotated

Entry = dict[str, Any]
_BEGINNING = '{"time": "'


def entries(folder: str) -> Iterator[Entry]:
    """Every entry, oldest first. A line that a full disk or a power cut tore is passed over."""
    files = rotated(folder) if os.path.isdir(folder) else []
    for path in [*files, os.path.join(folder, NAME)]:
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                yield from parsed(line)


def newest_first(folder: str, block: int = 1 << 16) -> Iterator[Entry]:
    """Every entry, the newest first: whoever wants the last twenty of a gigabyte reads its last kilobytes."""
    files = rotated(folder) if os.path.isdir(folder) else []
    for path in [os.path.join(folder, NAME), *reversed(files)]:
        if os.path.exists(path):
            for line in _lines_from_the_end(path, block):
                yield from reversed(list(parsed(line.decode("utf-8", "replace"))))


def _lines_from_the_end(path: str, block: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        left, rest = file.seek(0, os.SEEK_END), b""
        while left:
            size = min(block, left)
            left -= size
            file.seek(left)
            rest, *lines = (file.read(size) + rest).split(b"\n")
            yield from reversed(lines)
        yield rest


def parsed(line: str) -> Iterator[Entry]:
    """The entry of one line; behind a torn one the next whole one is found by how every entry begins."""
    while line.strip():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            at = line.find(_BEGINNING, 1)
            if at < 0:
                return
            line = line[at:]
            continue
        if isinstance(entry, dict):
            yield entry
        return


def follow(folder: str, pause_s: float = 0.2) -> Iterator[Entry]:
    """Entries as they come, from now on; a journal that is moved aside is read to its end first."""
    path = os.path.join(folder, NAME)
    file = _opened(path)
    if file:
        file.seek(0, os.SEEK_END)
    while True:
        if file:
            yield from _new_entries(file)
        if file is None or _moved(file, path):
            newer = _opened(path)
            if newer and file:
                yield from _new_entries(file)
                file.close()
            file = newer or file
        time.sleep(pause_s)


def _opened(path: str) -> TextIO | None:
    return open(path, encoding="utf-8", errors="replace") if os.path.isfile(path) else None


def _new_entries(file: TextIO) -> Iterator[Entry]:
    if os.fstat(file.fileno()).st_size < file.tell():
        file.seek(0)  # somebody has emptied it
    while (line := file.readline()).endswith("\n"):
        yield from parsed(line)
    file.seek(file.tell() - len(line.encode()))  # half a line is read again when it is whole


def _moved(file: TextIO, path: str) -> bool:
    try:
        return os.stat(path).st_ino != os.fstat(file.fileno()).st_ino
    except FileNotFoundError:
        return False


def failed(entry: Entry) -> bool:
    """Whether something went wrong in it: a handler that failed, or a note of ours."""
    return bool(notes_in(entry)) or any(ran.get("outcome") == "failed" for ran in ran_in(entry))


def ran_in(entry: Entry) -> list[dict[str, Any]]:
    """The handlers that ran."""
    ran = entry.get("ran")
    return [row for row in ran if isinstance(row, dict)] if isinstance(ran, list) else []


def notes_in(entry: Entry) -> list[str]:
    """What went wrong."""
    notes = entry.get("notes")
    return [str(note) for note in notes] if isinstance(notes, list) else []


def stats(chosen: Iterator[Entry]) -> dict[str, dict[str, dict[str, Any]]]:
    """Count, failures and percentiles of milliseconds, per event (our own time) and per handler (its time)."""
    events: dict[str, _Measured] = {}
    handlers: dict[str, _Measured] = {}
    for entry in chosen:
        events.setdefault(str(entry.get("event")), _Measured()).take(entry.get("ms"), failed(entry))
        for ran in ran_in(entry):
            of_handler = handlers.setdefault(str(ran.get("binding")), _Measured())
            of_handler.take(ran.get("ms"), ran.get("outcome") == "failed")
    return {"events": _figures(events), "handlers": _figures(handlers)}


class _Measured:
    """What was seen of one event or handler, packed: a journal may hold millions."""

    def __init__(self) -> None:
        self.ms = array("d")
        self.failed = 0

    def take(self, ms: object, failed: bool) -> None:
        self.ms.append(_number(ms))
        self.failed += failed


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0


def _figures(measured: dict[str, _Measured]) -> dict[str, dict[str, Any]]:
    figures = {}
    for name, seen in sorted(measured.items(), key=lambda item: -len(item[1].ms)):
        times = sorted(seen.ms)
        percentiles = {f"p{p}": percentile(times, p) for p in (50, 95, 99)}
        figures[name] = {"count": len(times), "failed": seen.failed, **percentiles}
    return figures


def percentile(ordered: list[float], p: int) -> float:
    """Nearest rank: a value that was really measured."""
    return ordered[max(0, math.ceil(len(ordered) * p / 100) - 1)]
