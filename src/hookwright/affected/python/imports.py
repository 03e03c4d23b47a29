"""What a Python file imports, as its text tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

DYNAMIC = frozenset(
    ("import_module", "__import__", "find_spec", "spec_from_file_location", "iter_modules", "walk_packages")
)

# they import what a text names: `mock.patch("shop.price.gross")`, `monkeypatch.setattr("shop.price.RATE", 3)`
NAMING = frozenset(("patch", "setattr", "delattr", "importorskip"))
_IMPORTING = DYNAMIC | NAMING


class Imports(NamedTuple):
    """(level, module, name) of each import, wherever in the file; `widens` when some are made up at run time."""

    named: list[tuple[int, str, str]]
    widens: bool


def imports_of(source: bytes) -> Imports:
    """All imports of a file; a file that cannot be parsed imports nothing we know of."""
    tree = parsed(source)
    return imports_in(tree) if tree else Imports([], True)


def parsed(source: bytes) -> ast.Module | None:
    """The file as a tree, or None."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Every node, in no order that matters: `ast.walk` at a third of its price, for whole projects are read with it."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                left += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                left.append(value)


def imports_in(tree: ast.Module) -> Imports:
    """All imports in a parsed file."""
    named: dict[tuple[int, str, str], None] = {}
    widens = False
    for node in walk(tree):
        if isinstance(node, ast.Import):
            named.update({(0, alias.name, ""): None for alias in node.names})
        elif isinstance(node, ast.ImportFrom):
            named.update({(node.level, node.module or "", alias.name): None for alias in node.names})
        elif isinstance(node, ast.Call) and (called := _called(node)) in _IMPORTING:
            text = _first_text(node)
            if text is None:
                widens = widens or called in DYNAMIC
            else:
                level = len(text) - len(text.lstrip("."))
                named[(level, text.lstrip("."), "")] = None
        elif isinstance(node, ast.Assign) and any(_is_plugins(target) for target in node.targets):
            named.update({(0, text, ""): None for text in _texts(node.value)})
    return Imports(list(named), widens)


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _first_text(node: ast.Call) -> str | None:
    first = node.args[0] if node.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def _is_plugins(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "pytest_plugins"


def _texts(node: ast.expr) -> list[str]:
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
