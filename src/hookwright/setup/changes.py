"""Files to be written or removed, decided first and done afterwards: one list serves `--dry-run` and the real run."""

from __future__ import annotations

import difflib
import errno
import hashlib
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import NamedTuple

from hookwright import paths
from hookwright.errors import Refusal

OUR_FOLDERS = (".claude", ".hookwright", "state")  # gone when the last file in them is
MARK_WITHIN = 200  # bytes from the beginning of a file


class Change(NamedTuple):
    """One file before and after; None stands for no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    brief: bool = False  # a generated file nobody wants to read in a diff
    backup: Path | None = None
    kept: bytes | None = None  # what the backup holds afterwards; None: there is none
    through_link: bool = False  # settings may be a link into a folder of dotfiles; no file that we make is one
    mode: int | None = None  # its permissions; None: as they are


def generated(path: Path, after: bytes, mark: bytes = b"", brief: bool = False) -> Change:
    """A file that is ours alone. Raises Refusal where somebody else has one: a link, or one without our mark."""
    before = None if path.is_symlink() else content(path)
    if path.is_symlink() or (before is not None and mark not in before[:MARK_WITHIN]):
        what = "is a link" if path.is_symlink() else "was not written by hookwright"
        raise Refusal(f"{path} {what}. Nothing was changed; move it away and run this again.")
    return Change(path, before, after, brief)


def content(path: Path) -> bytes | None:
    """A file's bytes; None where there is none. Raises Refusal where it cannot be read, or is no regular file."""
    try:
        return paths.read_file(str(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}.") from error


def digest(data: bytes) -> str:
    """What a list of written files keeps of each, to tell later whether somebody has changed it."""
    return hashlib.sha256(data).hexdigest()


def listed(path: Path) -> dict[str, str]:
    """Such a list, read back: name -> digest; empty where there is none that can be read."""
    try:
        found = json.loads(content(path) or b"{}")
    except (ValueError, RecursionError, Refusal):
        return {}
    return {name: str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def real(changes: list[Change]) -> list[Change]:
    """Those that change something."""
    return [change for change in changes if change.before != change.after]


def diff(change: Change, shown_as: str) -> str:
    """One change as a unified diff."""
    if change.brief:
        act = "remove" if change.after is None else "write"
        return f"{act} {shown_as} ({len(change.after or change.before or b'')} bytes, generated)\n"
    old, new = (_lines(data) for data in (change.before, change.after))
    source, target = (shown_as if data is not None else "/dev/null" for data in (change.before, change.after))
    lines = difflib.unified_diff(old, new, source, target)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def diff_of_backup(change: Change, shown_as: str) -> str:
    """The copy that a change keeps, or takes away, in a line."""
    assert change.backup is not None
    if change.kept is not None:
        return f"write {shown_as} ({len(change.kept)} bytes, what the file would be without us)\n"
    return f"remove {shown_as}\n" if change.backup.exists() else ""


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "replace")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + ([last] if (last := text.split("\n")[-1]) else [])


def apply(changes: list[Change]) -> None:
    """Do all of them. Raises Refusal at the first that cannot be done; each file is whole at any time."""
    for change in real(changes):
        _refuse_links(change)
    for change in real(changes):
        try:
            _apply(change)
        except OSError as error:
            raise Refusal(f"cannot write {change.path}: {error.strerror}. Nothing of it was changed.") from error


def _refuse_links(change: Change) -> None:
    """Nothing is written into a folder of ours that is a link, and so somebody else's."""
    written = [(change.path, change.after), (change.backup, change.kept)]
    for path in [path for path, data in written if path and data is not None]:
        link = _link_above(path)
        if link:
            raise Refusal(f"{link} is a link. Nothing was changed; move it away and run this again.")


def _link_above(path: Path) -> Path | None:
    """The folder of ours above a file that is a link; `.claude` may be one, for the agent reads through it."""
    return next((folder for folder in path.parents if paths.OURS in folder.parts and folder.is_symlink()), None)


def _apply(change: Change) -> None:
    target = Path(os.path.realpath(change.path)) if change.through_link else change.path
    if target.is_symlink() or content(target) != change.before:
        raise Refusal(f"{change.path} has changed meanwhile. Run the command again.")
    if change.before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only")  # replacing it would get around that
    if change.backup is not None:
        _keep(change.backup, change.kept)
    if change.after is None:
        change.path.unlink()
        if change.path.parent.name in OUR_FOLDERS:
            remove_if_empty(change.path.parent)
        return
    _make(target.parent)
    write(target, change.after, change.mode)


def _keep(backup: Path, data: bytes | None) -> None:
    if data is not None:
        _make(backup.parent)
        write(backup, data, 0o600)  # settings may hold keys
    elif backup.exists() and not _link_above(backup):
        backup.unlink()


def _make(folder: Path) -> None:
    """Make a folder and those above it; our own are closed to others."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(0o700 if paths.OURS in folder.parts else 0o777, exist_ok=True)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that nobody has anything in."""
    try:
        folder.rmdir()
    except OSError:  # somebody has something in it
        pass


def write(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace a file in one step, its permissions and its owner kept."""
    old = path.stat() if path.exists() else None
    if mode is None:
        mode = stat.S_IMODE(old.st_mode) if old else 0o666 & ~_umask()
    fd, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            if old and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                _give_to(fd, old.st_uid, old.st_gid)
            os.fchmod(fd, mode)
            file.flush()
            os.fsync(fd)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def _give_to(fd: int, user: int, group: int) -> None:
    try:
        os.fchown(fd, user, group)
    except PermissionError:  # only root can, and only root needs to
        pass


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
