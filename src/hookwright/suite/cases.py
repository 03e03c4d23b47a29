"""Every key of a suite file: one row each. The checker and the editors' JSON Schema come from the same rows."""

from __future__ import annotations

from typing import Any

from yaml.nodes import MappingNode, Node

from hookwright import shapes
from hookwright.records import Row, record_schema
from hookwright.shapes import Report, Shape
from hookwright.suite.case_shapes import (
    ANY,
    Json,
    any_value,
    either,
    is_mapping,
    keyed,
    mapping,
    named,
    one_or_many,
    refined,
    some,
    something,
)
from hookwright.suite.documents import BadPath, check_path
from hookwright.suite.expect import EXPECTATIONS
from hookwright.suite.patterns import BadPattern, compiled
from hookwright.suite.schemas import BadSchema, check_schema
from hookwright.yaml_nodes import is_a, pairs

WANTED = something()
PATTERN = refined(WANTED, compiled, BadPattern, "a regular expression")
PATH = refined(shapes.text(), check_path, BadPath, "a JSONPath")
SCRIPTS = one_or_many(shapes.text())
WHOLE = shapes.number(0, 1_000_000, whole=True)
PATH_ROWS = (
    Row("path", PATH, "The JSONPath.", required=True),
    Row("equals", any_value(), "One of the values is this."),
    Row("contains", WANTED, "One of the values has this text."),
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
        values = keyed(tuple(rows), "a mapping such as {contains: text}", may_be_empty=False).read(node, at, report)
        if isinstance(node, MappingNode) and not {name for name, _, _ in pairs(node)} - {"on"}:
            report.problem(node, at, f"expects nothing; give it one of {', '.join(EXPECTATIONS)}")
        return values

    itself = Shape(read, {"$ref": "#/$defs/expectation"}, "an expectation")
    takes: dict[str, Shape] = {
        "text": WANTED,
        "pattern": PATTERN,
        ANY: any_value(),
        "count": WHOLE,
        "path": either(keyed(PATH_ROWS, "a mapping with path"), PATH, is_mapping),
        "schema": refined(_schema_shape(), check_schema, BadSchema, "a JSON Schema"),
        "tool": either(keyed(TOOL_ROWS, "a mapping with tool"), shapes.glob(), is_mapping),
        "glob": shapes.glob(),
        "mapping": mapping(),
        "flag or text": either(shapes.flag(), shapes.text(), lambda node: is_a(node, "bool")),
        "milliseconds": shapes.number(0, 3_600_000, " of milliseconds"),
        "entries": some(itself),
        "entry": itself,
    }
    rows += [Row(name, takes[kind_.takes], kind_.help) for name, kind_ in EXPECTATIONS.items()]
    rows.append(Row("on", shapes.choice("tool", "answer", "either"), "Which text it is judged on.", "either"))
    ENTRY_ROWS[:] = rows
    return itself


def _schema_shape() -> Shape:
    return either(mapping(), shapes.flag(), is_mapping)


ENTRY_ROWS: list[Row] = []
ENTRY = entry()
CALL_ROWS = (
    Row("server", shapes.text(), "The MCP server's name."),
    Row("tool", shapes.text(), "The tool's own name.", required=True),
    Row("arguments", mapping(), "The arguments of the call."),
)
TEST_ROWS = (
    Row("id", shapes.text(), "A name that no other test has.", required=True),
    Row("description", shapes.text(blank=True), "What is tested, for people."),
    Row("category", shapes.text(), "A group of tests; `--category` picks one."),
    Row("action", shapes.text(), "What the agent is told to do. ${name} stands for a saved variable."),
    Row("expect", one_or_many(ENTRY), "What must hold afterwards."),
    Row("save", named(PATTERN), "Variable -> regular expression; its group 1 is saved."),
    Row(
        "save_as",
        either(named(PATH), shapes.text(), is_mapping),
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
    Row("servers", mapping(), "MCP servers by name, as in .mcp.json."),
    Row("tests", some(keyed(TEST_ROWS, "a test: a mapping with id and action")), "The tests.", required=True),
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
