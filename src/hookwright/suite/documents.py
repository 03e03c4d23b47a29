"""JSON in a response: found in its texts, asked by JSONPath (RFC 9535), held to a JSON Schema.

Both languages are the work of libraries. Their regular expressions get our deadline: neither has one.
"""

from hookwright.suite.packages import third_party
from hookwright.suite.patterns import BadPattern, TookTooLong, search
from hookwright.wire import NotJson, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FENCE = "```"


class BadPath(ValueError):
    """The JSONPath cannot be read; the text says why."""


class BadSchema(ValueError):
    """The JSON Schema is none; the text says why."""


def documents_in(texts: list[str]) -> "list[Any]":
    """Each text that is a JSON document, and those that stand in it between fences."""
    found = []
    for text in texts:
        for candidate in (text, *_fenced(text)):
            candidate = candidate.strip()
            if candidate[:1] not in '{["-0123456789tfn' or not candidate:
                continue
            try:
                found.append(decode(candidate.encode()))
            except NotJson:
                continue
    return found


def _fenced(text: str) -> "Iterator[str]":
    for block in text.split(FENCE)[1::2]:
        first, _, rest = block.partition("\n")
        yield rest if first.strip().isalnum() else block


def values_at(path: str, document: "Any") -> "list[Any]":
    """What a JSONPath finds. Raises BadPath."""
    library = third_party("jsonpath_rfc9535")
    try:
        return list(_environment(library).find(path, document).values())
    except library.JSONPathError as error:
        raise BadPath(str(error).strip()) from error
    except RecursionError as error:
        raise BadPath("the document is nested too deep") from error


def check_path(path: str) -> None:
    """Raises BadPath where this is no JSONPath."""
    values_at(path, None)


def _environment(library: "Any") -> "Any":
    """The library's own, with `search` and `match` held to the deadline."""
    environment = library.JSONPathEnvironment()
    for name, form in (("search", "{}"), ("match", r"\A(?:{})\Z")):
        standard = type(environment.function_extensions[name])
        environment.function_extensions[name] = _bounded(standard, form)()
    return environment


def _bounded(standard: "Any", form: str) -> "Any":
    def call(_self: object, text: object, pattern: object) -> bool:
        return isinstance(text, str) and isinstance(pattern, str) and search(form.format(pattern), text) is not None

    return type("Bounded", (standard,), {"__call__": call})


def schema_fault(schema: "Any", document: "Any") -> str | None:
    """Where a document breaks a schema, or None. Raises BadSchema."""
    check_schema(schema)
    first = next(iter(_validator(schema).iter_errors(document)), None)
    return None if first is None else f"{first.json_path}: {first.message}"


def check_schema(schema: "Any") -> None:
    """Raises BadSchema where this is no JSON Schema."""
    jsonschema = third_party("jsonschema")
    try:
        jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator).check_schema(schema)
    except jsonschema.SchemaError as error:
        raise BadSchema(f"{error.json_path}: {error.message}") from error


def _validator(schema: "Any") -> "Any":
    jsonschema = third_party("jsonschema")
    draft = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    bounded = {"pattern": _pattern, "patternProperties": _pattern_properties}
    return jsonschema.validators.extend(draft, bounded)(schema)


def _pattern(_validator: object, pattern: str, instance: object, _schema: object) -> "Iterator[Any]":
    if isinstance(instance, str) and not _fits(pattern, instance):
        yield third_party("jsonschema").ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: "Any", patterns: "Any", instance: object, _schema: object) -> "Iterator[Any]":
    for pattern, schema in patterns.items() if isinstance(instance, dict) else ():
        for name, value in instance.items():  # type: ignore[attr-defined]
            if _fits(pattern, name):
                yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _fits(pattern: str, text: str) -> bool:
    try:
        return search(pattern, text) is not None
    except (BadPattern, TookTooLong):
        return False
