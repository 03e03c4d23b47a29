"""What a value in the config may look like: each shape reads a node, and says the same to editors and readers.

Nothing that a config is compiled with imports `typing`: that alone takes more than half a start.
"""

from __future__ import annotations

from collections import namedtuple

from yaml.nodes import Node, ScalarNode, SequenceNode

from hookwright import globs
from hookwright.errors import did_you_mean
from hookwright.path_globs import path_regexes
from hookwright.yaml_nodes import is_a, kind, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Problem(namedtuple("Problem", ("file", "line", "column", "key", "text"))):
    """One thing that is wrong, or not acted on, and where."""

    def __str__(self) -> str:
        key = f"{one_line(self.key)}: " if self.key else ""
        return f"{self.file}:{self.line}:{self.column}: {key}{one_line(self.text)}"


class Report:
    """What reading a config brought to light."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.marks: dict[str, tuple[int, int]] = {}  # key -> line and column of the value that was given
        self.left_out: set[str] = set()  # keys of commands that must not run, because a filter of theirs is unknown

    def problem(self, node: Node, at: str, text: str) -> None:
        self.problems.append(Problem(self.file, *mark(node), at, text))

    def warning(self, node: Node, at: str, text: str) -> None:
        self.warnings.append(Problem(self.file, *mark(node), at, text))

    def read(self, shape: Shape, node: Node, at: str) -> Any:
        """The value of a node; None, and a problem, where it has another shape."""
        self.marks[at] = mark(node)
        return shape.read(node, at, self)


class Shape:
    """One kind of value."""

    def __init__(self, read: Callable[[Node, str, Report], Any], schema: dict[str, Any], words: str) -> None:
        self.read = read
        self.schema = schema  # as JSON Schema
        self.words = words  # as the end of a sentence "it must be ..."


def mark(node: Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


def text(blank: bool = False) -> Shape:
    """Text; unless `blank`, with something in it."""

    def read(node: Node, at: str, report: Report) -> str | None:
        if not is_a(node, "str"):
            quoted = isinstance(node, ScalarNode) and node.value
            hint = (
                f'write "{brief(node.value)}" in quotes'
                if quoted
                else 'write "" for no text'
                if blank
                else "give it one"
            )
            report.problem(node, at, f"is {kind(node)}; it must be text: {hint}")
            return None
        if "\0" in node.value:
            report.problem(node, at, "contains a NUL character, which no program can be given")
        elif not blank and not node.value.strip():
            report.problem(node, at, "is empty")
        else:
            return str(node.value)
        return None

    return Shape(read, {"type": "string"} if blank else {"type": "string", "pattern": r"\S"}, "text")


def flag() -> Shape:
    """true or false."""

    def read(node: Node, at: str, report: Report) -> bool | None:
        value: bool | None = _number_or_flag(node) if is_a(node, "bool") else None
        if value is not None:
            return value
        hint = f": write {node.value} without quotes" if node.value in ("true", "false") else ""
        report.problem(node, at, f"is {kind(node)}; it must be true or false{hint}")
        return None

    return Shape(read, {"type": "boolean"}, "true or false")


def number(low: int, high: int, unit: str = "", whole: bool = False) -> Shape:
    """A number in a range."""
    words = f"a {'whole ' if whole else ''}number{unit}, {low}-{high}"

    def read(node: Node, at: str, report: Report) -> float | None:
        value = _number_or_flag(node) if is_a(node, "int") or (is_a(node, "float") and not whole) else None
        if value is None:
            report.problem(node, at, f"is {_but(node)}; it must be {words}{_unquoted(node)}")
        elif not low <= value <= high:
            report.problem(node, at, f"{brief(node.value)} is out of range; the valid range is {low}-{high}")
        return value

    return Shape(read, {"type": "integer" if whole else "number", "minimum": low, "maximum": high}, words)


def _number_or_flag(node: Node) -> Any:
    try:
        return scalar(node)
    except ValueError:
        return None


def _but(node: Node) -> str:
    return brief(node.value) if is_a(node, "float") or is_a(node, "int") else kind(node)


def _unquoted(node: Node) -> str:
    try:
        float(node.value if is_a(node, "str") else "no number")
    except ValueError:
        return ""
    number = brief(node.value)
    return (
        f": write {number} without quotes"
        if getattr(node, "style", None)
        else f": {number} is text to YAML; write it out in digits"
    )


def choice(*words: str) -> Shape:
    """One of a few words."""
    listed = " or ".join(f'"{word}"' for word in words)

    def read(node: Node, at: str, report: Report) -> str | None:
        if is_a(node, "str") and node.value in words:
            return str(node.value)
        given = f'"{brief(node.value)}"' if is_a(node, "str") else kind(node)
        close = did_you_mean(str(node.value), words) if is_a(node, "str") else ""
        report.problem(node, at, f"is {given}; it must be {listed}{close.rstrip('.')}")
        return None

    return Shape(read, {"enum": list(words)}, listed)


def glob() -> Shape:
    """A glob on a whole name."""
    plain = text()

    def read(node: Node, at: str, report: Report) -> str | None:
        pattern: str | None = plain.read(node, at, report)
        if pattern is not None:
            _report_bad_glob(lambda: globs.compiled(pattern), pattern, node, at, report)
            if "|" in pattern:
                instead = "{" + pattern.replace("|", ",") + "}"
                report.warning(
                    node, at, f'"|" stands for itself in a glob; for one of several names write "{brief(instead)}"'
                )
        return pattern

    return Shape(read, plain.schema, "a glob: * ? [a-z] [!a] {a,b}")


def path_globs() -> Shape:
    """Gitignore-style patterns on paths: a list, or one."""
    plain = text()

    def read_one(node: Node, at: str, report: Report) -> str | None:
        pattern: str | None = plain.read(node, at, report)
        if pattern is not None:
            _report_bad_glob(lambda: path_regexes(pattern), pattern, node, at, report)
        return pattern

    one = Shape(read_one, plain.schema, "text")
    many = list_of(one)

    def read(node: Node, at: str, report: Report) -> list[str | None]:
        if isinstance(node, ScalarNode):
            return [one.read(node, at, report)]
        return many.read(node, at, report) or []

    schema = {"type": ["string", "array"], "pattern": r"\S", "items": plain.schema}
    return Shape(read, schema, "a list of gitignore-style patterns, or one")


def _report_bad_glob(compile_it: Callable[[], object], pattern: str, node: Node, at: str, report: Report) -> None:
    try:
        compile_it()
    except globs.BadGlob as error:
        report.problem(node, at, f'"{brief(pattern)}" is not a glob: {error}')


def list_of(item: Shape, once: bool = False) -> Shape:
    """A list; with `once`, no value twice."""

    def read(node: Node, at: str, report: Report) -> list[Any] | None:
        if not isinstance(node, SequenceNode):
            report.problem(node, at, f'is {kind(node)}; it must be a list: put "- " before each entry')
            return None
        values: list[Any] = []
        for index, child in enumerate(node.value):
            values.append(report.read(item, child, f"{at}[{index}]"))
            if once and values[-1] is not None and values[-1] in values[:-1]:
                report.problem(child, f"{at}[{index}]", f'"{brief(values[-1])}" is in the list twice')
        return values

    return Shape(read, {"type": "array", "items": item.schema} | ({"uniqueItems": True} if once else {}), "a list")


def brief(value: object) -> str:
    """A value from the file as part of a sentence."""
    shown = one_line(str(value))
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def one_line(text: str) -> str:
    """Without line breaks and what else a terminal might act on."""
    return "".join(char if char.isprintable() else "\\n" if char == "\n" else "?" for char in text)
