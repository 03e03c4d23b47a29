"""A YAML file as nodes that know their line. What could hurt is refused here; what the nodes mean is for others."""

from __future__ import annotations

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 1_000_000  # bytes of a config; a longer one is not a config
DEEPEST = 100  # libyaml composes recursively in C: without a limit, a file of brackets ends the process
MOST_VALUES = 100_000  # after aliases are followed: ten lines of them can stand for billions of values

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TAG = "tag:yaml.org,2002:"
KINDS = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "null": "empty",
    "timestamp": "a date",
    "seq": "a list",
    "map": "a mapping",
}


class NotYaml(Exception):
    """The file cannot be read as YAML; where, counted from 1, and why."""

    def __init__(self, text: str, line: int = 1, column: int = 1) -> None:
        super().__init__(text)
        self.line = line
        self.column = column


def root(data: bytes) -> Node | None:
    """The top node of a file's content; None when nothing is in it."""
    text = _decoded(data)
    try:
        _refuse_depth(text)
        node: Node | None = yaml.compose(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise _located(error, text) from error
    if node is not None:
        _measure(node, {})
    return node


def pairs(node: MappingNode) -> list[tuple[str | None, Node, Node]]:
    """(name as written, key, value) of a mapping, `<<` merged in; the name of a key that is no scalar is None.

    Names are taken as written: YAML 1.1 reads a key `on` as true, which nobody means.
    """
    own: list[tuple[str | None, Node, Node]] = []
    merged: list[tuple[str | None, Node, Node]] = []
    for key, value in node.value:
        if key.tag == f"{TAG}merge" and (sources := _merge_sources(value)):
            merged += [pair for source in sources for pair in pairs(source)]
        else:
            own.append((key.value if isinstance(key, ScalarNode) else None, key, value))
    names = {name for name, _, _ in own}
    for pair in merged:
        if pair[0] not in names:
            names.add(pair[0])
            own.append(pair)
    return own


def kind(node: Node) -> str:
    """What a node is, in the words of a sentence "it is ..."."""
    if is_a(node, "bool"):
        return f"{node.value} (a yes or no to YAML)"
    name = node.tag.removeprefix(TAG)
    return KINDS.get(name, f"tagged {node.tag[:40]}")


def is_a(node: Node, name: str) -> bool:
    """Whether a scalar has one of YAML's own types, by its tag."""
    return isinstance(node, ScalarNode) and node.tag == TAG + name


def scalar(node: Node) -> Any:
    """The Python value of a number or boolean. Raises ValueError where it cannot be told."""
    try:
        return yaml.constructor.SafeConstructor().construct_object(node)
    except (yaml.YAMLError, KeyError, IndexError, OverflowError) as error:  # `!!bool maybe`, `!!int ""`
        raise ValueError(str(error)) from error


def _decoded(data: bytes) -> str:
    if len(data) > LARGEST:
        raise NotYaml(f"the file has {len(data):,} bytes; a config has at most {LARGEST:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _position(data[: error.start].decode("utf-8", "replace"))
        raise NotYaml("the file is not UTF-8; save it as UTF-8", line, column) from error
    bad = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if bad:
        raise NotYaml(f"the character U+{ord(bad[0]):04X} is not allowed in YAML", *_position(text[: bad.start()]))
    return text


def _position(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _refuse_depth(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            mark = event.start_mark
            raise NotYaml(f"nested more than {DEEPEST} deep", mark.line + 1, mark.column + 1)


def _located(error: Any, text: str) -> NotYaml:
    mark = getattr(error, "problem_mark", None)
    line, column = (mark.line, mark.column) if mark else (0, 0)
    written = (text.splitlines() or [""])[line : line + 1]
    indent = written[0][: len(written[0]) - len(written[0].lstrip())] if written else ""
    if "\t" in indent:
        return NotYaml("indented with a tab; YAML is indented with spaces", line + 1, indent.index("\t") + 1)
    context = f" ({error.context})" if getattr(error, "context", "") else ""
    return NotYaml(f"not valid YAML: {getattr(error, 'problem', error)}{context}", line + 1, column + 1)


def _merge_sources(value: Node) -> list[MappingNode]:
    sources = value.value if isinstance(value, SequenceNode) else [value]
    mappings = [source for source in sources if isinstance(source, MappingNode)]
    return mappings if len(mappings) == len(sources) else []


def _measure(node: Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """(values, depth) of a node with its aliases followed. Anchors stand before their aliases, so the stack is safe."""
    measured = known.get(id(node), (0, 0))
    line, column = node.start_mark.line + 1, node.start_mark.column + 1
    if measured is None:
        raise NotYaml("an alias stands inside the value that it repeats", line, column)
    if measured != (0, 0):
        return measured
    known[id(node)] = None
    values, depth = 1, 0
    for child in _children(node):
        child_values, child_depth = _measure(child, known)
        values, depth = values + child_values, max(depth, child_depth)
    if values > MOST_VALUES or depth >= DEEPEST:
        raise NotYaml(f"its aliases stand for more than {MOST_VALUES:,} values or {DEEPEST} levels", line, column)
    known[id(node)] = values, depth + 1
    return values, depth + 1


def _children(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value) if isinstance(node, SequenceNode) else []
