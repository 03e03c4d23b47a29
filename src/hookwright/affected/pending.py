"""The rest of a run that was cut off: a detached process goes on with it, the next event tells what came of it.

Started as a file, `python -I -S pending.py WORK`, with nothing of the agent's open.
"""

from __future__ import annotations

import json
import os
import posix
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookwright.affected.projects import Edit
    from hookwright.affected.settings import Settings
    from hookwright.reply import Reply

LATER = "later.json"
LONGER = 20  # times the budget, for what nobody waits for


def go_on(edit: Edit, options: dict[str, Any]) -> None:
    """Start it. Raises OSError where that cannot be."""
    from hookwright.spawn import start

    work = {"root": edit.project.root, "language": edit.project.language, "files": edit.files, "options": options}
    nowhere = posix.open("/dev/null", posix.O_RDWR | posix.O_CLOEXEC)
    try:
        argv = [sys.executable, "-I", "-S", __file__, json.dumps(work)]
        start(argv, "/", dict(posix.environ), (nowhere, nowhere, nowhere))
    finally:
        posix.close(nowhere)


def told(settings: Settings, to_model: bool) -> list[Reply]:
    """What came of runs that went on without us; each is told once."""
    from hookwright.affected.changes import states
    from hookwright.reply import Reply

    texts = [text for state in states(settings.folder) for text in _taken(f"{state}/{LATER}")]
    return [Reply(context=text if to_model else "", user=text) for text in texts]


def _taken(path: str) -> Iterator[str]:
    try:
        with open(path, encoding="utf-8") as file:
            later = json.load(file)
        os.unlink(path)
    except (OSError, ValueError):
        return
    stale = [name for name, identity in later["files"].items() if _identity(name) != identity]
    mark = f"stale, {', '.join(map(os.path.basename, stale))} changed since" if stale else "in the background"
    if later["text"]:
        yield f"{later['text']}\n   ({mark})"


def _identity(path: str) -> list[int]:
    try:
        stat = os.stat(path)
    except OSError:
        return []
    return [stat.st_mtime_ns, stat.st_size]


def finish(work: dict[str, Any]) -> None:
    """The detached process: run what is left, leave the message for the next event."""
    from dataclasses import replace

    from hookwright.affected import run
    from hookwright.affected.message import message
    from hookwright.affected.projects import project
    from hookwright.affected.settings import from_options
    from hookwright.affected.turns import giving_way, turn
    from hookwright.paths import replace_file

    settings = from_options(work["options"], work["options"]["folder"])
    found = project(work["root"], work["language"], settings)
    found = replace(found, budget_s=found.budget_s * LONGER)
    with turn(found.state, work["files"], found.budget_s) as files:
        if files is None:
            return
        names = [f"{found.root}/{file}" for file in files]
        before = {name: _identity(name) for name in names}
        with giving_way(found.state, files):
            verdict = run.affected(found, files)
    if verdict is not None:
        told = {"text": message(verdict, settings.most_characters), "files": before}
        with suppress(OSError):
            replace_file(found.file(LATER), json.dumps(told).encode())


if __name__ == "__main__":
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))] + [source]
    finish(json.loads(sys.argv[1]))
