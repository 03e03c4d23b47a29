"""Which files changed, where no tool call says so: by git, else by their dates; and those that were left failing."""

from __future__ import annotations

import json
import os
import posix
from collections.abc import Iterable, Iterator

from hookwright.affected.languages.table import LANGUAGES
from hookwright.affected.trigger import is_foreign_folder
from hookwright.errors import Refusal
from hookwright.paths import OURS, read_file, replace_file
from hookwright.process import run

GIT_S = 10
UNRESOLVED = "unresolved.json"


def changed_files(folder: str) -> list[str]:
    """What differs from the last commit; without git, what is younger than the last run. Failing edits stay in it."""
    found = _git(folder, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    top = _top(folder)
    paths = _younger(folder) if found is None else (os.path.join(top, entry[3:]) for entry in found)
    return list(dict.fromkeys([*paths, *unresolved(folder)]))


def changed_since(folder: str, revision: str) -> list[str]:
    """What differs from a revision, committed or not. Raises Refusal where git does not know it."""
    found = _git(folder, "diff", "--name-only", "-z", "--no-renames", revision, "--")
    if found is None:
        in_git = _git(folder, "rev-parse", "--git-dir")
        raise Refusal(f"git knows no revision {revision!r} here." if in_git else f"{folder} is in no git repository.")
    new = _git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--full-name") or []
    return [os.path.join(_top(folder), path) for path in dict.fromkeys([*found, *new])]


def was_there(folder: str, path: str) -> bool:
    """Whether git knows a file that is no more."""
    return bool(_git(folder, "ls-files", "--", path) or _git(folder, "log", "-1", "--all", "--format=%h", "--", path))


def remember(state: str, root: str, files: Iterable[str], resolved: bool) -> None:
    """Keep the files of a run that did not pass: they are to be looked at again."""
    path = f"{state}/{UNRESOLVED}"
    known = _read(path)
    left = set(known) - set(files) if resolved else {*known, *files}
    try:
        replace_file(path, json.dumps({"root": root, "files": sorted(left)}).encode())
    except OSError:  # it only makes a gate forgetful
        pass


def unresolved_in(state: str) -> list[str]:
    """The edited files of one project whose tests did not pass, by their paths in it."""
    return _read(f"{state}/{UNRESOLVED}")


def unresolved(folder: str) -> Iterator[str]:
    """The edited files whose tests did not pass when they last ran."""
    for state in states(folder):
        path = f"{state}/{UNRESOLVED}"
        yield from (os.path.join(_root(path), file) for file in _read(path))


def states(folder: str) -> list[str]:
    """The folders of what we remember, one per project."""
    place = f"{folder.rstrip('/')}/{OURS}/state"
    try:
        return sorted(f"{place}/{name}" for name in os.listdir(place) if name.startswith("affected-"))
    except OSError:
        return []


def _git(folder: str, *words: str) -> list[str] | None:
    try:
        outcome = run(["git", *words], cwd=folder, env=dict(posix.environ), timeout_s=GIT_S)
    except OSError:
        return None
    if outcome.exit_code != 0:
        return None
    return [os.fsdecode(entry) for entry in bytes(outcome.stdout.kept).split(b"\0") if entry]


def _top(folder: str) -> str:
    found = _git(folder, "rev-parse", "--show-toplevel")
    return found[0].rstrip("\n") if found else folder


def _younger(folder: str) -> list[str]:
    """Code that was written after the last run of its project; a first run looks at everything."""
    last = max((_changed(f"{state}/queue.json") for state in states(folder)), default=0)
    return [path for path, changed in dates_of_code(folder).items() if changed > last]


def dates_of_code(folder: str) -> dict[str, int]:
    """Every file of a known language, with the time of its last change."""
    endings = tuple(ending for row in LANGUAGES for ending in row.extensions)
    found: dict[str, int] = {}
    for place, folders, names in os.walk(folder):
        inside = os.path.relpath(place, folder)
        folders[:] = [name for name in folders if not is_foreign_folder(folder, os.path.normpath(f"{inside}/{name}"))]
        found |= {path: _changed(path) for name in names if name.endswith(endings) and (path := f"{place}/{name}")}
    return found


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _read(path: str) -> list[str]:
    try:
        return [str(file) for file in json.loads(read_file(path))["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _root(path: str) -> str:
    return str(json.loads(read_file(path))["root"])
