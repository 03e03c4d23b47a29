"""Small changes of meaning, one at a time, chosen by a seed; and changes that only look like one."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SWAPS: dict[type[ast.AST], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.Gt: "<=", ast.LtE: ">", ast.GtE: "<",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """One piece of one file, and what takes its place."""

    file: Path
    start: int
    end: int
    text: str
    what: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutations(folder: Path, seed: int) -> Iterator[Mutation]:
    """All that can be done to the code in a folder, in an order of the seed's; no file comes twice in a row."""
    by_file = {file: list(_of_file(file)) for file in sorted(folder.rglob("*.py"))}
    chance = random.Random(seed)
    for found in by_file.values():
        chance.shuffle(found)
    files = [file for file, found in by_file.items() if found]
    while files:
        chance.shuffle(files)
        for file in list(files):
            yield by_file[file].pop()
            if not by_file[file]:
                files.remove(file)


def cosmetic(source: bytes) -> bytes:
    """Comments, blank lines and another docstring: nothing that runs."""
    lines = source.decode().split("\n")
    tree = ast.parse(source)
    at = next((node.body[0].lineno - 1 for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), len(lines))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())] if at < len(lines) else ""
    lines.insert(at, f"{indent}# only a remark")
    return "\n".join([*lines, "", "# the end", ""]).encode()


def _of_file(file: Path) -> Iterator[Mutation]:
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.expr | ast.stmt):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
            old = source[start:end].decode()
            for text, what in _changed(node, old):
                yield Mutation(file, start, end, text, f"{file.name}:{node.lineno} {what}")


def _changed(node: ast.AST, old: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield f"({left} {SWAPS[type(node.ops[0])]} {right})", "comparison turned round"
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield "(" + word.join(f"({ast.unparse(value)})" for value in node.values) + ")", "and <-> or"
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"({node.value + 1})", "number + 1"
    elif isinstance(node, ast.Return) and node.value is not None and "\n" not in old:
        yield "return None", "returns nothing"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})", "not dropped"
