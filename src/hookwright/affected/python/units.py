"""A Python file as units: each function, class body and module level with a fingerprint of what it does.

Comments, formatting and docstrings leave a fingerprint as it is. A function's header (its decorators, defaults and
annotations) runs where the function is defined, so it belongs to the unit around it; its body is a unit of its own.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Container, Iterator
from functools import lru_cache

from hookwright.affected.python.additions import NAMES, names_unit, quiet_names

MODULE = "<module>"
EXAMPLES = "<examples>"  # docstrings with a `>>>`, which doctest runs; no function is behind it
UNKNOWN = "?"  # the fingerprint of what changed while it ran: it equals nothing

Units = dict[str, str]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(64)  # a file is looked at when tests are chosen, and again when they have run
def units_of(source: bytes) -> Units:
    """Qualified name -> fingerprint. A file that cannot be parsed is one unit: all of its text."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {MODULE: _digest("unparsed", source.decode("utf-8", "replace"))}
    texts: dict[str, list[str]] = {}
    try:
        quiet = quiet_names(tree, source)
        _take(tree, "", texts, quiet)
        names = names_unit(tree, quiet)
    except RecursionError:  # an expression deeper than our stack
        return {MODULE: _digest("unparsed", source.decode("utf-8", "replace"))}
    units = {name: _digest(*parts) for name, parts in texts.items()}
    return units | {NAMES: names} if names else units


def resolved(name: str, units: Units) -> str:
    """The unit that a code object belongs to: a lambda or comprehension to the function, class or module around it."""
    while name not in units:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return MODULE
        name = name.removesuffix(".<locals>")
    return name


def _take(
    node: ast.Module | ast.ClassDef | _Function, name: str, texts: dict[str, list[str]], quiet: Container[int] = ()
) -> None:
    """Note the unit, and those inside it, which leave only their headers behind; quiet ones do not even that."""
    _drop_docstring(node, texts)
    inside = f"{name}.<locals>." if isinstance(node, _Function) else f"{name}." if name else ""
    for inner in list(_definitions(node)):
        _take(inner, inside + inner.name, texts)
        inner.body = []
        if isinstance(inner, _Function) and not inner.decorator_list:
            inner.args = _evaluated(inner.args)
    own = [ast.dump(statement) for statement in node.body if id(statement) not in quiet]
    if isinstance(node, _Function):
        own.insert(0, ast.dump(node.args))
    texts.setdefault(name or MODULE, []).append("\n".join(own))


def _definitions(node: ast.AST) -> Iterator[ast.ClassDef | _Function]:
    """The functions and classes defined right in here, in whatever statement."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | _Function):
            yield child
        elif not isinstance(child, ast.expr):
            yield from _definitions(child)


def _evaluated(args: ast.arguments) -> ast.arguments:
    """What of a signature is evaluated at the definition: without a decorator nobody there sees the names."""
    given = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    annotations = [ast.arg(arg="", annotation=arg.annotation) for arg in given if arg.annotation]
    return ast.arguments([], annotations, None, [], args.kw_defaults, None, args.defaults)


def _drop_docstring(node: ast.Module | ast.ClassDef | _Function, texts: dict[str, list[str]]) -> None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        if ">>>" in first.value.value:
            texts.setdefault(EXAMPLES, []).append(first.value.value)
        node.body = node.body[1:] or [ast.Pass()]
    if len(node.body) > 1:
        node.body = [statement for statement in node.body if not isinstance(statement, ast.Pass)] or [ast.Pass()]


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
