"""Functions that keep results beyond the test that asked for them: only that test runs through what they call.

A function is taken for one when a caching decorator is on it, or when it stores into something of its module. Who calls
whom is told by names alone, a few steps far; it only ever adds tests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hookwright.affected.python.imports import walk

DECORATORS = frozenset(("lru_cache", "cache", "memoize", "memoized", "cached"))
MAKERS = frozenset(("__init__", "__new__", "__post_init__"))  # called by the name of their class
MOST_STEPS = 3
MOST_MENTIONS = 25  # a name that more functions mention says nothing

Function = tuple[str, str]  # path, qualified name
_Definition = ast.FunctionDef | ast.AsyncFunctionDef
_STORING = (ast.Global, ast.Subscript, ast.Call)


class Habits(NamedTuple):
    """What the functions of one file mention, and which of them keep results: by decorator, or by their own hands."""

    mentions: dict[str, list[str]]
    decorated: list[str]
    storing: list[str]


def habits_of(tree: ast.Module) -> Habits:
    """The habits of a parsed file."""
    found = Habits({}, [], [])
    own = {target.id for statement in tree.body for target in _targets(statement)}
    for name, node in _functions(tree, ""):
        parts = list(walk(node))
        found.mentions[name] = sorted({*found.mentions.get(name, ()), *_mentioned(parts)})
        if any(_last_name(decorator) in DECORATORS for decorator in node.decorator_list):
            found.decorated.append(name)
        elif any(_stores(part, own) for part in parts if isinstance(part, _STORING)):
            found.storing.append(name)
    return found


def keepers(changed: Iterable[Function], habits: dict[str, Habits]) -> dict[Function, bool]:
    """The functions that may hold a result of what changed -> whether a decorator does it for them."""
    found: dict[Function, bool] = {}
    seen = set(changed)
    wave = set(seen)
    for _ in range(MOST_STEPS + 1):
        found |= {
            function: function[1] in habits[function[0]].decorated for function in wave if _keeps(function, habits)
        }
        wave = set(callers(wave, habits)) - seen
        seen |= wave
    return found


def callers(functions: Iterable[Function], habits: dict[str, Habits]) -> Iterator[Function]:
    """The functions that mention one of these by name."""
    for name in {_called_as(name) for _, name in functions} - {""}:
        mentioning = [
            (path, function)
            for path, known in habits.items()
            for function, names in known.mentions.items()
            if name in names
        ]
        if len(mentioning) <= MOST_MENTIONS:
            yield from mentioning


def _keeps(function: Function, habits: dict[str, Habits]) -> bool:
    path, name = function
    return path in habits and (name in habits[path].decorated or name in habits[path].storing)


def _called_as(name: str) -> str:
    *around, last = name.split(".")
    if last in MAKERS:
        return around[-1] if around else ""
    return "" if last.startswith("<") or (last.startswith("__") and last.endswith("__")) else last


def _functions(node: ast.AST, inside: str) -> Iterator[tuple[str, _Definition]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Definition):
            yield inside + child.name, child
            yield from _functions(child, f"{inside}{child.name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{inside}{child.name}.")
        elif isinstance(child, ast.stmt | ast.excepthandler):
            yield from _functions(child, inside)


def _mentioned(parts: list[ast.AST]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _stores(part: ast.AST, own: set[str]) -> bool:
    """Whether this puts something into a name of its module, or into its class."""
    if isinstance(part, ast.Subscript):
        return isinstance(part.ctx, ast.Store) and _is_shared(part.value, own)
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        return part.func.attr == "setdefault" and _is_shared(part.func.value, own)
    return isinstance(part, ast.Global)


def _is_shared(node: ast.expr, own: set[str]) -> bool:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id == "cls"
    return isinstance(node, ast.Name) and node.id in own


def _targets(statement: ast.stmt) -> Iterator[ast.Name]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    yield from (target for target in targets if isinstance(target, ast.Name))


def _last_name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
