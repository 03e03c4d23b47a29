"""Statements at module level that can be added without touching what is there: plain functions, `import os`.

They do not count for the fingerprint of the module level, but form a unit of names. One more name changes nothing for a
test that was recorded without it; a name that is gone, moved or has another header does.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator

from hookwright.affected.python.imports import walk

NAMES = "<names>"
# who looks at all names of a module sees a new one
LOOKED_AT = ("getmembers", "vars(", " dir(", "(dir(", "import *")
_HERE = (*LOOKED_AT, "globals(", "locals(", "__dict__", "exec(", "eval(")
_LOUD_MODULES = frozenset(("antigravity", "this"))
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def quiet_names(tree: ast.Module, source: bytes) -> dict[int, str]:
    """id of each such statement -> its name; none in a module that looks at its own names."""
    if any(word.encode() in source for word in _HERE):
        return {}
    bound = Counter(_bound(tree.body))
    used = set(_used(tree.body))
    lazy = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
    found: dict[int, str] = {}
    for statement in tree.body:
        name = _name(statement, lazy)
        is_own = name and bound[name] == 1 and name not in used and not hasattr(builtins, name)
        if is_own and not name.startswith(("__", "pytest_")):
            found[id(statement)] = name
    return found


def names_unit(tree: ast.Module, quiet: dict[int, str]) -> str:
    """Each name with its header and with how many other statements run before it."""
    before, entries = 0, []
    for statement in tree.body:
        if id(statement) in quiet:
            header = hashlib.blake2b(ast.dump(statement).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
            entries.append(f"{quiet[id(statement)]}:{header}:{before}")
        else:
            before += 1
    return " ".join(sorted(entries))


def only_added(old: str, new: str | None) -> bool:
    """Whether all names of before are there as they were."""
    return new is not None and set(old.split()) <= set(new.split())


def _name(statement: ast.stmt, lazy: bool) -> str:
    if isinstance(statement, ast.Import) and len(statement.names) == 1:
        alias = statement.names[0]
        is_library = alias.name in sys.stdlib_module_names and alias.name not in _LOUD_MODULES
        return (alias.asname or alias.name) if is_library else ""
    if isinstance(statement, _Function) and not statement.decorator_list and _is_plain(statement, lazy):
        return statement.name
    return ""


def _is_plain(function: _Function, lazy: bool) -> bool:
    """Whether nothing in its header can fail or act when it is defined."""
    args = function.args
    defaults = [value for value in (*args.defaults, *args.kw_defaults) if value is not None]
    if not all(isinstance(value, ast.Constant) for value in defaults):
        return False
    given = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    annotations = [note for note in (*(arg.annotation for arg in given), function.returns) if note is not None]
    return lazy or all(_is_builtin(note) for note in annotations)


def _is_builtin(note: ast.expr) -> bool:
    if isinstance(note, ast.Constant):
        return note.value is None or isinstance(note.value, str)
    return isinstance(note, ast.Name) and isinstance(getattr(builtins, note.id, None), type)


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    """The names that the module binds, also in functions that say `global`."""
    for node in body:
        for part in walk(node):
            if isinstance(part, ast.Global):
                yield from (name for name in part.names for _ in range(2))
        yield from _bound_by(node)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef | _Function):
        yield node.name
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    if isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    for child in ast.iter_child_nodes(node):
        yield from _bound_by(child)


def _used(body: list[ast.stmt]) -> Iterator[str]:
    """The names that are looked up while the module is imported, as far as its own text tells."""
    for node in body:
        yield from _used_by(node)


def _used_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, _Function):
        children = [*node.decorator_list, node.args, *filter(None, [node.returns])]
    for child in children:
        yield from _used_by(child)
