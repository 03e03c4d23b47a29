"""JSON Schema, the work of a library that has no deadline of its own: it gets ours.

A schema is only what stands in it. A reference to anywhere else is a fault, never a request, and so is a part in
another draft: the library would judge it by that draft's own searches, which nobody holds to the deadline.
"""

from hookwright.suite.packages import third_party
from hookwright.suite.patterns import in_time, search
from hookwright.suite.sameness import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class BadSchema(ValueError):
    """The JSON Schema is none; the text says why."""


def schema_fault(schema: "Any", document: "Any") -> str | None:
    """Where a document breaks a schema, or None. Raises BadSchema, BadPattern, TookTooLong."""
    check_schema(schema)
    first = in_time(lambda: _first_error(schema, document))
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
        in_time(lambda: _draft(schema).check_schema(schema))
        _check_parts(schema)
    except jsonschema.SchemaError as error:
        raise BadSchema(f"{error.json_path}: {error.message}") from error
    except RecursionError as error:
        raise BadSchema("it is nested too deep") from error


def _check_parts(schema: "Any") -> None:
    """Look at every part, and at all that is referred to, wherever in the schema it stands."""
    from importlib import import_module

    form = import_module("referencing.jsonschema").specification_with(_draft(schema).META_SCHEMA["$schema"])
    root = form.create_resource(schema)
    waiting = [(root, _registry().resolver_with_root(root))]
    looked_at = {id(draft.contents) for draft in _registry().values()}  # the drafts themselves are harmless
    while waiting:
        part, resolver = waiting.pop()
        if id(part.contents) in looked_at or not isinstance(part.contents, dict):
            continue
        looked_at.add(id(part.contents))
        if part is not root and isinstance(part.contents.get("$schema"), str):
            raise BadSchema("a $schema can stand only at its top")
        waiting += [(inner, resolver.in_subresource(inner)) for inner in part.subresources()]
        for reference in (part.contents[name] for name in REFERENCES if isinstance(part.contents.get(name), str)):
            found = _referred_to(reference, resolver)
            waiting.append((form.create_resource(found.contents), found.resolver))


def _referred_to(reference: str, resolver: "Any") -> "Any":
    try:
        return resolver.lookup(reference)
    except (third_party("referencing").exceptions.Unresolvable, ValueError) as error:
        raise BadSchema(f"it refers to {reference}, which is not in it") from error


def _registry() -> "Any":
    """The drafts themselves and nothing else: what is not there is not fetched."""
    third_party("jsonschema")
    from importlib import import_module

    return import_module("jsonschema_specifications").REGISTRY


def _draft(schema: "Any") -> "Any":
    jsonschema = third_party("jsonschema")
    return jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)


def _validator(schema: "Any") -> "Any":
    ours_instead = {"pattern": _pattern, "patternProperties": _pattern_properties, "const": _const, "enum": _enum}
    ours = third_party("jsonschema").validators.extend(_draft(schema), ours_instead)
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


def _const(_validator: object, wanted: object, instance: object, _schema: object) -> "Iterator[Any]":
    if not same(wanted, instance):
        yield third_party("jsonschema").ValidationError(f"{wanted!r} was expected")


def _enum(_validator: object, wanted: "list[Any]", instance: object, _schema: object) -> "Iterator[Any]":
    if not any(same(one, instance) for one in wanted):
        yield third_party("jsonschema").ValidationError(f"{instance!r} is not one of {wanted!r}")
