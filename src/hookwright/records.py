"""Mappings in the config: those with keys of ours (a row each), and those whose keys are the user's own."""

from __future__ import annotations

from yaml.nodes import MappingNode, Node

from hookwright.errors import did_you_mean
from hookwright.shapes import Report, Shape, brief, mark
from hookwright.yaml_nodes import is_a, kind, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any


class Row:
    """One key of the config."""

    def __init__(self, name: str, shape: Shape, help: str, default: Any = None, required: bool = False) -> None:
        self.name = name
        self.shape = shape
        self.help = help
        self.default = default
        self.required = required


def map_of(item: Shape, words: str, names: str = "") -> Shape:
    """A mapping whose keys are the user's own; `names` says which characters a key must not have."""

    def read(node: Node, at: str, report: Report) -> dict[str, Any] | None:
        if not isinstance(node, MappingNode):
            report.problem(node, at, f"is {kind(node)}; it must be {words}")
            return None
        values = {}
        for name, key, value in unique(node, at, report):
            if not name or any(char in name for char in names):
                report.problem(key, f"{at}.{brief(name)}", "cannot be a name here")
            values[name] = report.read(item, value, f"{at}.{brief(name)}")
        return values

    return Shape(read, {"type": "object", "additionalProperties": item.schema}, words)


def record(
    rows: Sequence[Row],
    words: str,
    refused: Mapping[str, str] | None = None,
    ignored: Mapping[str, str] | None = None,
    known_as: str = "key",
    spelled: Callable[[str], str] | None = None,
) -> Shape:
    """A mapping with the keys of its rows; `refused` and `ignored` keys have a sentence of their own."""
    by_name = {row.name: row for row in rows}

    def unknown(name: str) -> str:
        close = did_you_mean((spelled or camel)(name), by_name).rstrip(".")
        names = "; `hookwright schema` has them all" if len(rows) > 20 else f"; the keys here are {', '.join(by_name)}"
        return f'unknown {known_as} "{brief(name)}"{close or names}'

    def read(node: Node, at: str, report: Report) -> dict[str, Any] | None:
        if not isinstance(node, MappingNode):
            report.problem(node, at, f"is {kind(node)}; it must be {words}")
            return None
        values: dict[str, Any] = {}
        for name, key, value in unique(node, at, report):
            inside = f"{at}.{brief(name)}" if at else brief(name)
            row = by_name.get(name)
            if row is None and ignored and name in ignored:
                report.warning(key, inside, ignored[name])
            elif row is None:
                report.problem(key, inside, (refused or {}).get(name) or unknown(name))
            elif is_a(value, "null") and not row.required:
                values[name] = row.default
            else:
                values[name] = report.read(row.shape, value, inside)
        _complete(values, rows, node, at, report)
        return values

    return Shape(read, record_schema(rows), words)


def _complete(values: dict[str, Any], rows: Sequence[Row], node: Node, at: str, report: Report) -> None:
    for row in rows:
        if row.name not in values and row.required:
            report.problem(node, at, f'has no "{row.name}"')
        values.setdefault(row.name, row.default)


def record_schema(rows: Sequence[Row]) -> dict[str, Any]:
    """The JSON Schema of a mapping with these keys."""
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False}
    schema["properties"] = {row.name: row_schema(row) for row in rows}
    required = [row.name for row in rows if row.required]
    return schema | ({"required": required} if required else {})


def row_schema(row: Row) -> dict[str, Any]:
    """The JSON Schema of one key: its shape, and null (which means the default) where it may be left out."""
    schema = {"description": row.help} | row.shape.schema
    if row.default is not None:
        schema["default"] = row.default
    if not row.required and "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    elif not row.required and "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        schema["type"] = [*types, "null"]
    return schema


def unique(node: MappingNode, at: str, report: Report) -> Iterator[tuple[str, Node, Node]]:
    """The pairs of a mapping that have a name, each name once; the others are problems."""
    first: dict[str, Node] = {}
    for name, key, value in pairs(node):
        if name is None:
            report.problem(key, at, f"has a key that is {kind(key)}; a key must be text")
        elif name in first:
            inside = f"{at}.{brief(name)}" if at else brief(name)
            report.problem(key, inside, f"is given twice, first on line {mark(first[name])[0]}")
        else:
            first[name] = key
            yield name, key, value


def camel(name: str) -> str:
    """show_stdout, show-stdout and ShowStdout -> showStdout."""
    head, *rest = name.replace("-", "_").split("_")
    return head[:1].lower() + head[1:] + "".join(part[:1].upper() + part[1:] for part in rest)
