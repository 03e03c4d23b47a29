"""One settings file as it stands: read, changed, and as it would be without us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hookwright.errors import Refusal
from hookwright.setup import changes, json_text, scopes, settings
from hookwright.setup.changes import Change
from hookwright.setup.scopes import Place

BOM = "\ufeff"
LEFT_ALONE = " The file was left alone; mend it and run this again."


def text_of(place: Place) -> str:
    """The settings as text, without a byte order mark. Raises Refusal where they are not UTF-8."""
    data = changes.content(place.path) or b""
    try:
        return data.decode().removeprefix(BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise Refusal(f"{place.path}:{line}:{column}: this is not UTF-8.{LEFT_ALONE}") from error


def document_of(place: Place) -> Any:
    """The settings as a value; {} where there are none. Raises Refusal where they are not JSON."""
    text = text_of(place)
    try:
        return json_text.parsed(text) if text.strip() else {}
    except json_text.NotJson as error:
        raise refusal(place, error) from error


def readable(project: Path) -> Iterator[tuple[Place, Any]]:
    """Every settings file that concerns a project, and what it says; those that cannot be read say nothing."""
    for place in scopes.places(project):
        try:
            yield place, document_of(place)
        except Refusal:
            continue


def registered_in(project: Path) -> list[Place]:
    """The settings files that have entries of ours."""
    return [place for place, document in readable(project) if settings.entries(document)]


def change(place: Place, after: str) -> Change:
    """The file with another text; what it would be without us is kept."""
    before = changes.content(place.path)
    data = _encoded(after, before)
    unchanged = data == (before or b"")  # no file and an empty one say the same
    written = before if unchanged else data
    return Change(place.path, before, written, backup=place.backup, kept=without_us(place), through_link=True)


def to_leave(place: Place) -> Change:
    """Settings without our entries, and no file where only we filled it."""
    before = changes.content(place.path)
    after = without_us(place) if settings.entries(document_of(place)) else before
    return Change(place.path, before, after, backup=place.backup, through_link=True)


def without_us(place: Place) -> bytes | None:
    """The file as it would be without us; None where there would be none."""
    before = changes.content(place.path)
    if before is None:
        return None
    text = text_of(place)
    left = settings.without_ours(text)
    kept = changes.content(place.backup)
    if kept is not None and _means(kept) == settings.meaning(_parsed(left)):
        return kept
    ours_alone = kept is None and left != text and _parsed(left) == {} and not place.path.is_symlink()
    return None if ours_alone else _encoded(left, before)


def _encoded(text: str, before: bytes | None) -> bytes:
    return (BOM if (before or b"").startswith(BOM.encode()) else "").encode() + text.encode()


def _parsed(text: str) -> Any:
    return json_text.parsed(text) if text.strip() else {}


def _means(data: bytes) -> object:
    try:
        return settings.meaning(_parsed(data.decode().removeprefix(BOM)))
    except (UnicodeDecodeError, json_text.NotJson):
        return None


def refusal(place: Place, error: json_text.NotJson) -> Refusal:
    """What is wrong with the file, and where."""
    return Refusal(f"{place.path}:{error.line}:{error.column}: {error}.{LEFT_ALONE}")
