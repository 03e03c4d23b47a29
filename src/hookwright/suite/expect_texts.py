"""Expectations of the response as a text. Those of the source documents fail with the documents' own words."""

from hookwright.suite.patterns import BadPattern, TookTooLong, search
from hookwright.suite.sameness import same
from hookwright.suite.scene import CannotBeJudged, Scene, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def contains(wanted: str, scene: Scene) -> str | None:
    return None if wanted in scene.text else f"Missing: '{wanted}'"


def not_contains(wanted: str, scene: Scene) -> str | None:
    return f"Unexpected: '{wanted}'" if wanted in scene.text else None


def regex(wanted: str, scene: Scene) -> str | None:
    try:
        return None if search(wanted, scene.text) else f"Pattern not found: '{wanted}'"
    except BadPattern as error:
        raise CannotBeJudged(f"Pattern cannot be read: '{wanted}' ({error})") from error
    except TookTooLong as error:
        raise CannotBeJudged(f"Pattern took too long: '{wanted}' ({error})") from error


def icontains(wanted: str, scene: Scene) -> str | None:
    return None if wanted.casefold() in scene.text.casefold() else f"Missing (in any case): '{wanted}'"


def starts_with(wanted: str, scene: Scene) -> str | None:
    met = any(text.lstrip().startswith(wanted) for text in scene.texts)
    return None if met else f"Does not start with: '{wanted}'"


def min_length(wanted: int, scene: Scene) -> str | None:
    length = len(scene.text.strip())
    return None if length >= wanted else f"Too short: {length} characters, at least {wanted} wanted"


def equals(wanted: "Any", scene: Scene) -> str | None:
    texts = [text.strip() for text in scene.texts]
    if isinstance(wanted, str) and wanted.strip() in texts:
        return None
    if any(same(document, wanted) for document in scene.documents()):
        return None
    return f"Not equal: expected {quoted(wanted)}, got {quoted(texts[0])}"
