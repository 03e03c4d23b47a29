"""Trust: where a user requires it, a repository's config and handlers run only as that user has approved them.

What is required and approved stands in one file of the user's own, never in the repository. A config is approved by
the hash of everything it makes us run in our own process or start by itself: the config, its handler files with
whatever Python lies beside them, and the suite in its usual place.
"""

from __future__ import annotations

import os

from hookwright import paths
from hookwright.errors import Refusal
from hookwright.handlers import can_be_package
from hookwright.suite.places import SUITE_NAMES
from hookwright.wire import NotJson, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_FILES = 2_000  # beside a handler; a folder with more is not one of handlers


def file() -> str:
    """Where the user's own decisions are; "" where the user has no home."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(folder):
        home = os.path.expanduser("~") if os.environ.get("HOME") != "" else ""
        folder = os.path.join(home, ".config") if os.path.isabs(home) else ""
    return os.path.join(folder, paths.DECISIONS) if folder else ""


def required() -> bool:
    """Whether this user wants to be asked. A file that cannot be understood counts as yes."""
    return _read().get("require") is True


def approves(config: str, digest: str) -> bool:
    """Whether the user has approved content with this hash."""
    return digest in _approvals(_read()).get(os.path.realpath(config), [])


def allows(config: str, handlers: list[str]) -> bool:
    """Whether a config and its handlers may run as they are now."""
    return not required() or approves(config, digest(config, handlers))


def require(wanted: bool) -> None:
    """Switch the asking on or off, for all projects of this user."""
    _write({**_read(), "require": wanted})


def approve(config: str, digest: str) -> None:
    """Remember content with this hash as approved; what was approved before no longer is."""
    known = _read()
    approvals = _approvals(known) | {os.path.realpath(config): [digest]}
    _write({"require": False, **known, "approved": approvals})


def revoke(config: str) -> bool:
    """Forget an approval; whether there was one."""
    known = _read()
    approvals = _approvals(known)
    found = approvals.pop(os.path.realpath(config), None) is not None
    if found:
        _write({**known, "approved": approvals})
    return found


def digest(config: str, handlers: list[str]) -> str:
    """A hash of the files that are compiled, and one of those that handlers may import as they run: "own:beside"."""
    return f"{_hash(config, _own(config, handlers))}:{_hash(config, _beside(config, handlers))}"


def beside(digest: str) -> str:
    """The part of a digest about what handlers may import as they run."""
    return digest.partition(":")[2]


def files(config: str, handlers: list[str]) -> list[str]:
    """All that is approved with a config; also those that are not there yet."""
    return sorted(_own(config, handlers) | _beside(config, handlers))


def watched(config: str, handlers: list[str]) -> list[str]:
    """What changes when something comes, goes or changes that would be approved."""
    try:
        found = files(config, handlers)
    except Refusal:  # too many to approve: what can take that away is a change of a folder
        found = sorted(_own(config, handlers))
    folders = {above for folder in _handler_folders(config, handlers) for above, _ in _importable(folder)}
    beside_suites = {os.path.dirname(path) for path in _own(config, [])} - {paths.folder_of(config)}
    return sorted({*found, *folders, *beside_suites})


def _hash(config: str, names: set[str]) -> str:
    import hashlib  # costs half a start; only who approves configs pays for it

    total = hashlib.sha256()
    for path in sorted(names):
        try:
            content = paths.read_file(path)
        except OSError:
            continue  # it is not there, or cannot be read by us either
        name = os.path.relpath(path, paths.folder_of(config)).encode("utf-8", "surrogateescape")
        total.update(b"%d %b %d " % (len(name), name, len(content)))
        total.update(content)
    return total.hexdigest()


def _own(config: str, handlers: list[str]) -> set[str]:
    folder = paths.folder_of(config)
    named = [os.path.normpath(os.path.join(folder, name)) for name in (*SUITE_NAMES, *handlers)]
    return {config, *named}


def _beside(config: str, handlers: list[str]) -> set[str]:
    folders = _handler_folders(config, handlers)
    return {path for folder in folders for path in _python_beside(folder)} - _own(config, handlers)


def _handler_folders(config: str, handlers: list[str]) -> set[str]:
    return {os.path.dirname(os.path.normpath(os.path.join(paths.folder_of(config), name))) for name in handlers}


def _python_beside(folder: str) -> Iterator[str]:
    """What a handler can import from its own folder, and below it."""
    count = 0
    for above, names in _importable(folder):
        for name in names:
            if name.endswith((".py", ".so")):
                count += 1
                if count > MOST_FILES:
                    raise Refusal(
                        f"{folder} holds more than {MOST_FILES:,} Python files, so what its handlers run cannot be "
                        "approved. Move the handlers to a folder of their own."
                    )
                yield os.path.join(above, name)


def _importable(folder: str) -> Iterator[tuple[str, list[str]]]:
    """A folder and those below it that can be packages, each once, with the names in them; links are followed."""
    seen: set[str] = set()
    for above, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(above)
        packages = [name for name in folders if name.isidentifier() and can_be_package(f"{above}/{name}")]
        folders[:] = [] if real in seen else sorted(packages)
        seen.add(real)
        yield above, names


def _approvals(known: dict[str, Any]) -> dict[str, list[str]]:
    given = known.get("approved")
    found = given if isinstance(given, dict) else {}
    return {str(path): hashes for path, hashes in found.items() if isinstance(hashes, list)}


def _read() -> dict[str, Any]:
    path = file()
    try:
        known = decode(paths.read_file(path)) if path else {}
    except FileNotFoundError:
        return {}
    except (OSError, NotJson):
        return {"require": True}
    return known if isinstance(known, dict) else {"require": True}


def _write(known: dict[str, Any]) -> None:
    import json

    path = file()
    if not path:
        raise Refusal("there is no home folder to keep the decision in; set HOME.")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        paths.replace_file(path, json.dumps(known, indent=1).encode() + b"\n")
    except OSError as error:
        raise Refusal(f"cannot write {path}: {error.strerror}.") from error
