"""Shapes that only suite files have: what a value of theirs must look like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yaml.nodes import MappingNode, Node, SequenceNode

from hookwright import shapes
from hookwright.records import Row, map_of, record
from hookwright.reply import HandlerFailed
from hookwright.shapes import Report, Shape
from hookwright.suite.variables import filled, is_name, names_in
from hookwright.yaml_nodes import is_a, kind, pairs, scalar

Json = dict[str, Any]
ANY = "any value"


def value_of(node: Node) -> Any:
    """The JSON value of a node; what JSON has no word for (a date) is its text."""
    if isinstance(node, MappingNode):
        return {str(name): value_of(value) for name, _, value in pairs(node)}
    if isinstance(node, SequenceNode):
        return [value_of(child) for child in node.value]
    if any(is_a(node, tag) for tag in ("int", "float", "bool", "null")):
        return scalar(node)
    return node.value


def any_value() -> Shape:
    """Whatever JSON can say."""
    return Shape(lambda node, at, report: value_of(node), {}, ANY)


def either(first: Shape, second: Shape, takes_first: Callable[[Node], bool]) -> Shape:
    """One of two shapes; the node says which is meant."""

    def read(node: Node, at: str, report: Report) -> Any:
        return (first if takes_first(node) else second).read(node, at, report)

    return Shape(read, {"anyOf": [first.schema, second.schema]}, f"{first.words}, or {second.words}")


def some(item: Shape) -> Shape:
    """A list with something in it."""
    many = shapes.list_of(item)

    def read(node: Node, at: str, report: Report) -> Any:
        if isinstance(node, SequenceNode) and not node.value:
            report.problem(node, at, "is empty; give it an entry")
        return many.read(node, at, report)

    return Shape(read, {**many.schema, "minItems": 1}, many.words)


def one_or_many(item: Shape) -> Shape:
    """A list, or one entry of it; always read as a list."""
    many = shapes.list_of(item)

    def read(node: Node, at: str, report: Report) -> Any:
        if isinstance(node, SequenceNode):
            return many.read(node, at, report)
        return [item.read(node, at, report)]

    return Shape(read, {"anyOf": [item.schema, many.schema]}, f"{item.words}, or a list")


def refined(shape: Shape, check: Callable[[Any], None], errors: type[Exception], what: str) -> Shape:
    """A shape whose value must also pass a check; variables are tried with a plain value."""

    def read(node: Node, at: str, report: Report) -> Any:
        value = shape.read(node, at, report)
        try:
            if value is not None:
                check(filled(value, dict.fromkeys(names_in(value), "x")))
        except errors as error:
            report.problem(node, at, f"is not {what}: {error}")
        except HandlerFailed as missing:  # the library that knows is not installed
            report.problem(node, at, str(missing))
        return value

    return Shape(read, shape.schema, shape.words)


def is_mapping(node: Node) -> bool:
    return isinstance(node, MappingNode)


def mapping() -> Shape:
    def read(node: Node, at: str, report: Report) -> Json | None:
        if not isinstance(node, MappingNode):
            report.problem(node, at, f"is {kind(node)}; it must be a mapping")
            return None
        return dict(value_of(node))

    return Shape(read, {"type": "object"}, "a mapping")


def named(shape: Shape) -> Shape:
    """A mapping from names of variables."""
    inner = map_of(shape, "a mapping of variable names")

    def read(node: Node, at: str, report: Report) -> Any:
        values = inner.read(node, at, report)
        for name, key, _ in pairs(node) if isinstance(node, MappingNode) else ():
            if name and not is_name(name):
                report.problem(key, f"{at}.{name}", "cannot be a variable's name; use letters, digits, _ . -")
        return values

    return Shape(read, inner.schema, inner.words)


def snake(name: str) -> str:
    """notContains, not-contains -> not_contains."""
    plain = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return plain.lstrip("_").replace("-", "_")


def keyed(rows: tuple[Row, ...], words: str, may_be_empty: bool = True) -> Shape:
    """A mapping with these keys, spelled as the documents spell them; what was left out stays out."""
    inner = record(rows, words, spelled=snake)
    takes_null = [row.name for row in rows if row.shape.words == ANY]

    def read(node: Node, at: str, report: Report) -> Json | None:
        values = inner.read(node, at, report)
        if values is None or not isinstance(node, MappingNode):
            return None
        for name, _, value in pairs(node):
            if name in takes_null and is_a(value, "null"):
                values[name] = None
            elif name in values and values[name] is None:
                del values[name]
                if is_a(value, "null") and not may_be_empty:
                    report.problem(value, f"{at}.{name}", "is empty; give it a value")
        written = {name for name, _, _ in pairs(node)}
        return {name: value for name, value in values.items() if name in written}

    return Shape(read, inner.schema, words)


def something() -> Shape:
    """A text to look for: any but the empty one, which is everywhere."""
    inner = shapes.text(blank=True)

    def read(node: Node, at: str, report: Report) -> Any:
        value = inner.read(node, at, report)
        if value == "":
            report.problem(node, at, "is empty, and every text has that; write what is looked for")
        return value

    return Shape(read, {**inner.schema, "minLength": 1}, inner.words)
