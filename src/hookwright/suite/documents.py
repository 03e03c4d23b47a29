"""JSON in a response: found in its texts, asked by JSONPath (RFC 9535), held to a JSON Schema.

Both languages are the work of libraries. Their regular expressions get our deadline: neither has one. A schema is
only what stands in it: a reference to anywhere else is a fault, never a request.
"""

from hookwright.suite.packages import third_party
from hookwright.suite.patterns import Budget, Deadline, NotHere, search
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
    """Where a document breaks a schema, or None. Raises BadSchema, BadPattern, TookTooLong."""
    check_schema(schema)
    try:
        with Deadline(Budget.left_s()):  # the library has searches that are not handed to us
            first = _first_error(schema, document)
    except NotHere:
        first = _first_error(schema, document)
    return None if first is None else f"{first.json_path}: {first.message}"


def _first_error(schema: "Any", document: "Any") -> "Any":
    try:
        return next(iter(_validator(schema).iter_errors(document)), None)
    except third_party("referencing").exceptions.Unresolvable as error:
        raise BadSchema(f"it refers to {error.ref}, which is not in it") from error
    except RecursionError as error:
        raise BadSchema("it refers to itself without end, or is nested too deep") from error


def check_schema(schema: "Any") -> None:
    """Raises BadSchema where this is no JSON Schema, or refers to what is not in it."""
    jsonschema = third_party("jsonschema")
    try:
        _draft(schema).check_schema(schema)
        _check_references(schema)
    except jsonschema.SchemaError as error:
        raise BadSchema(f"{error.json_path}: {error.message}") from error
    except RecursionError as error:
        raise BadSchema("it is nested too deep") from error


def _check_references(schema: "Any") -> None:
    from importlib import import_module

    exceptions = third_party("referencing").exceptions
    form = import_module("referencing.jsonschema").specification_with(_draft(schema).META_SCHEMA["$schema"])
    root = form.create_resource(schema)
    waiting = [(root, _registry().resolver_with_root(root))]
    while waiting:
        part, resolver = waiting.pop()
        reference = part.contents.get("$ref") if isinstance(part.contents, dict) else None
        try:
            if isinstance(reference, str):
                resolver.lookup(reference)
        except (exceptions.Unresolvable, ValueError) as error:
            raise BadSchema(f"it refers to {reference}, which is not in it") from error
        waiting += [(inner, resolver.in_subresource(inner)) for inner in part.subresources()]


def _registry() -> "Any":
    """The drafts themselves and nothing else: what is not there is not fetched."""
    third_party("jsonschema")
    from importlib import import_module

    return import_module("jsonschema_specifications").REGISTRY


def _draft(schema: "Any") -> "Any":
    jsonschema = third_party("jsonschema")
    return jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)


def _validator(schema: "Any") -> "Any":
    bounded = {"pattern": _pattern, "patternProperties": _pattern_properties}
    ours = third_party("jsonschema").validators.extend(_draft(schema), bounded)
    if isinstance(schema, dict):  # whoever refers to "#" would get the draft's own searches by its name
        schema = {key: value for key, value in schema.items() if key != "$schema"}
    return ours(schema, registry=_registry())


def _pattern(_validator: object, pattern: str, instance: object, _schema: object) -> "Iterator[Any]":
    if isinstance(instance, str) and search(pattern, instance) is None:
        yield third_party("jsonschema").ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: "Any", patterns: "Any", instance: object, _schema: object) -> "Iterator[Any]":
    for pattern, schema in patterns.items() if isinstance(instance, dict) else ():
        for name, value in instance.items():  # type: ignore[attr-defined]
            if search(pattern, name) is not None:
                yield from validator.descend(value, schema, path=name, schema_path=pattern)
