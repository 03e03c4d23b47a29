"""Every key of a suite file: one row each. The checker and the editors' JSON Schema come from the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yaml.nodes import MappingNode, Node, SequenceNode

from hookwright import shapes
from hookwright.records import Row, map_of, record, record_schema
from hookwright.reply import HandlerFailed
from hookwright.shapes import Report, Shape
from hookwright.suite.documents import BadPath, check_path
from hookwright.suite.expect import EXPECTATIONS
from hookwright.suite.patterns import BadPattern, compiled
from hookwright.suite.schemas import BadSchema, check_schema
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


def _is_mapping(node: Node) -> bool:
    return isinstance(node, MappingNode)


def _mapping() -> Shape:
    def read(node: Node, at: str, report: Report) -> Json | None:
        if not isinstance(node, MappingNode):
            report.problem(node, at, f"is {kind(node)}; it must be a mapping")
            return None
        return dict(value_of(node))

    return Shape(read, {"type": "object"}, "a mapping")


def _named(shape: Shape) -> Shape:
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


PATTERN = refined(shapes.text(blank=True), compiled, BadPattern, "a regular expression")
PATH = refined(shapes.text(), check_path, BadPath, "a JSONPath")
SCRIPTS = one_or_many(shapes.text())
WHOLE = shapes.number(0, 1_000_000, whole=True)
PATH_ROWS = (
    Row("path", PATH, "The JSONPath.", required=True),
    Row("equals", any_value(), "One of the values is this."),
    Row("contains", shapes.text(blank=True), "One of the values has this text."),
    Row("regex", PATTERN, "One of the values matches this."),
    Row("count", WHOLE, "So many values are found."),
)
TOOL_ROWS = (
    Row("tool", shapes.glob(), "The tool's name, or its own name on its MCP server.", required=True),
    Row("count", WHOLE, "How often it was called."),
)


def entry() -> Shape:
    """One entry of `expect`: all of its kinds count."""
    rows: list[Row] = []

    def read(node: Node, at: str, report: Report) -> Any:
        return keyed(tuple(rows), "a mapping such as {contains: text}", may_be_empty=False).read(node, at, report)

    itself = Shape(read, {"$ref": "#/$defs/expectation"}, "an expectation")
    takes: dict[str, Shape] = {
        "text": shapes.text(blank=True),
        "pattern": PATTERN,
        ANY: any_value(),
        "count": WHOLE,
        "path": either(keyed(PATH_ROWS, "a mapping with path"), PATH, _is_mapping),
        "schema": refined(_schema_shape(), check_schema, BadSchema, "a JSON Schema"),
        "tool": either(keyed(TOOL_ROWS, "a mapping with tool"), shapes.glob(), _is_mapping),
        "glob": shapes.glob(),
        "mapping": _mapping(),
        "flag or text": either(shapes.flag(), shapes.text(), lambda node: is_a(node, "bool")),
        "milliseconds": shapes.number(0, 3_600_000, " of milliseconds"),
        "entries": shapes.list_of(itself),
        "entry": itself,
    }
    rows += [Row(name, takes[kind_.takes], kind_.help) for name, kind_ in EXPECTATIONS.items()]
    rows.append(Row("on", shapes.choice("tool", "answer", "either"), "Which text it is judged on.", "either"))
    ENTRY_ROWS[:] = rows
    return itself


def _schema_shape() -> Shape:
    return either(_mapping(), shapes.flag(), _is_mapping)


ENTRY_ROWS: list[Row] = []
ENTRY = entry()
CALL_ROWS = (
    Row("server", shapes.text(), "The MCP server's name."),
    Row("tool", shapes.text(), "The tool's own name.", required=True),
    Row("arguments", _mapping(), "The arguments of the call."),
)
TEST_ROWS = (
    Row("id", shapes.text(), "A name that no other test has.", required=True),
    Row("description", shapes.text(blank=True), "What is tested, for people."),
    Row("category", shapes.text(), "A group of tests; `--category` picks one."),
    Row("action", shapes.text(), "What the agent is told to do. ${name} stands for a saved variable."),
    Row("expect", one_or_many(ENTRY), "What must hold afterwards."),
    Row("save", _named(PATTERN), "Variable -> regular expression; its group 1 is saved."),
    Row(
        "save_as",
        either(_named(PATH), shapes.text(), _is_mapping),
        "A variable that takes the whole response, or variable -> JSONPath.",
    ),
    Row("tags", one_or_many(shapes.text()), "Marks; `--tag` picks one."),
    Row("depends_on", one_or_many(shapes.text()), "Tests that must have passed before; else this one is skipped."),
    Row("skip", either(shapes.flag(), shapes.text(), lambda node: is_a(node, "bool")), "Skip it, and why."),
    Row("timeout", shapes.number(1, 3600, " of seconds"), "A test that took longer has failed."),
    Row("retries", shapes.number(0, 10, whole=True), "How often a failed test is tried again."),
    Row("before", SCRIPTS, "Shell commands before the test; when one fails, so does the test."),
    Row("after", SCRIPTS, "Shell commands after the test."),
    Row("call", keyed(CALL_ROWS, "a mapping with tool"), "A tool call that needs no model."),
)
SUITE_ROWS = (
    Row("$schema", shapes.text(), "For editors."),
    Row("version", either(shapes.number(0, 1000), shapes.text(), lambda node: not is_a(node, "str")), "Of the form."),
    Row("description", shapes.text(blank=True), "The suite's title."),
    Row("servers", _mapping(), "MCP servers by name, as in .mcp.json."),
    Row("tests", shapes.list_of(keyed(TEST_ROWS, "a test: a mapping with id and action")), "The tests.", required=True),
)
SUITE = keyed(SUITE_ROWS, "a mapping with tests")


def json_schema() -> Json:
    """The JSON Schema of a suite file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A hookwright conversation suite",
        **record_schema(SUITE_ROWS),
        "$defs": {"expectation": record_schema(ENTRY_ROWS)},
    }
