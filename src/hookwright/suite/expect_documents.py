"""Expectations of the JSON in a response."""

from hookwright.masks import cut
from hookwright.suite.patterns import BadPattern, TookTooLong, search
from hookwright.suite.sameness import same
from hookwright.suite.scene import CannotBeJudged, Scene, as_json, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REPEATED = 400  # characters of what the library says: it repeats the whole document


def json_path(wanted: "Any", scene: Scene) -> str | None:
    from hookwright.suite.documents import BadPath, values_at

    asked = wanted if isinstance(wanted, dict) else {"path": wanted}
    path = asked["path"]
    try:
        faults = [_values_fault(asked, values_at(path, document)) for document in scene.documents()]
    except (BadPath, BadPattern) as error:
        raise CannotBeJudged(f"JSONPath cannot be read: {path} ({error})") from error
    except TookTooLong as error:
        raise CannotBeJudged(f"JSONPath took too long: {path} ({error})") from error
    if None in faults:
        return None
    missing = f"JSONPath not found: {path}"
    return next((fault for fault in faults if fault != missing), missing)


def _values_fault(asked: "dict[str, Any]", found: "list[Any]") -> str | None:
    """What is wrong with the values that one document has there."""
    path = asked["path"]
    if "count" in asked and len(found) != asked["count"]:
        return f"JSONPath {path} found {len(found)} values, not {asked['count']}"
    if not found:
        return None if asked.get("count") == 0 else f"JSONPath not found: {path}"
    if "equals" in asked and not any(same(value, asked["equals"]) for value in found):
        return f"JSONPath {path}: expected {quoted(asked['equals'])}, got {quoted(found[0])}"
    texts = [value if isinstance(value, str) else as_json(value) for value in found]
    if "contains" in asked and not any(asked["contains"] in text for text in texts):
        return f"JSONPath {path}: Missing: '{asked['contains']}'"
    if "regex" in asked and not any(search(asked["regex"], text) for text in texts):
        return f"JSONPath {path}: Pattern not found: '{asked['regex']}'"
    return None


def json_schema(wanted: "Any", scene: Scene) -> str | None:
    from hookwright.suite.schemas import BadSchema, schema_fault

    documents = scene.documents()
    if not documents:
        return "No JSON in the response"
    try:
        faults = [schema_fault(wanted, document) for document in documents]
    except (BadSchema, BadPattern) as error:
        raise CannotBeJudged(f"JSON Schema cannot be read ({error})") from error
    except TookTooLong as error:
        raise CannotBeJudged(f"JSON Schema took too long ({error})") from error
    return None if None in faults else f"JSON Schema not met at {cut(str(faults[0]), REPEATED)}"
