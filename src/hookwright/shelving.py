"""Fill the shelf that `shelf` takes from: once after an installation, an upgrade or an edit of ours."""

import ast
import marshal
import sys

from hookwright.paths import read_file, replace_file
from hookwright.shelf import MOST_BYTES, identity, interpreter, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    from hookwright.shelf import Row

FOLDER = __file__.rpartition("/")[0]
# file of the shelf -> the rooms in it, each after those that it imports. Rarely used rooms are imported the usual way.
GROUPS = {
    "start": ("__init__", "wire", "paths", "bindings", "agents.__init__", "hook", "masks", "journal"),
    "answer": ("streams", "reply", "dispatch", "events"),
    "claude_code": ("agents.claude_code",),
    "function": ("handlers",),
    "command": ("environment", "output", "spawn", "process", "command"),
    "globs": ("globs",),
    "edits": ("edits",),
    "loops": ("loops",),
    "secret_kinds": ("secret_kinds",),
}
NATIVE = {"start": ("_json", "gc"), "command": ("select", "_posixsubprocess")}  # modules in C that they import
LATER = ("events",)  # rooms whose classes are made when they are asked for
_looked = False


def fill() -> None:
    """See that the shelf is full, once in a process; where it cannot be written there is none."""
    global _looked
    if _looked or sys.dont_write_bytecode:
        return
    _looked = True
    try:
        if not _is_true():
            for group in reversed(GROUPS):  # what every event reads comes last, when the others are there
                replace_file(_file(group), _contents(group))
    except OSError:
        return


def _is_true() -> bool:
    """Whether each file of the shelf was made from the sources of now; the last line of a file says from which."""
    try:
        return all(read(_file(group)).rpartition(b"\n")[2] == _made_from(group) for group in GROUPS)
    except OSError:
        return False


def _made_from(group: str) -> bytes:
    sources = [(room, identity(_path(room))) for room in ("shelf", *GROUPS[group])]
    return repr((interpreter(), FOLDER, sources)).encode()  # the same files seen through a link have other names


def _contents(group: str) -> bytes:
    made_from = _made_from(group)
    contents = ([(name, _origin(name)) for name in NATIVE.get(group, ())], [_row(room) for room in GROUPS[group]])
    data = marshal.dumps(_starting(*contents) if group == "start" else contents) + b"\n" + made_from
    if len(data) > MOST_BYTES:
        raise OSError(f"{len(data)} bytes are too many for one file of the shelf")
    return data


def _starting(native: list[tuple[str, str]], rows: "list[Row]") -> "CodeType":
    """A copy of shelf.py that starts the hook with these modules."""
    own = _path("shelf")
    others = {_module(room): _file(other) for other, rooms in GROUPS.items() for room in rooms if other != "start"}
    sources = {path: identity(path) for rooms in GROUPS.values() for path in map(_path, rooms)}
    contents = marshal.dumps((own, (identity(own), *interpreter()), others, sources, native, rows))
    run = f"start(fd, {contents!r})\nfrom hookwright.hook import main\nmain(sys.argv[1:])\n"
    return compile(f"{read_file(own).decode()}\n{run}", own, "exec", dont_inherit=True)


def _row(room: str) -> "Row":
    path = _path(room)
    known = identity(path)
    tree = ast.parse(read_file(path))
    later: dict[str, bytes] = {}
    if room in LATER:
        tree.body, later = _parted(tree.body, path)
    return _module(room), path, known, room.endswith("__init__"), _code(tree.body, path), later


def _parted(body: list[ast.stmt], path: str) -> tuple[list[ast.stmt], dict[str, bytes]]:
    """What must be run at once, and the rows below it: each by its name, and what follows them as ""."""
    rows = [node for node in body if isinstance(node, ast.ClassDef) and node.bases and not node.keywords]
    first = body.index(rows[0])
    later = {row.name: marshal.dumps(_code([row], path)) for row in rows}
    rest = [node for node in body[first:] if node not in rows]
    return body[:first], {**later, "": marshal.dumps(_code(rest, path))}


def _code(body: list[ast.stmt], path: str) -> "CodeType":
    code: CodeType = compile(ast.Module(body, []), path, "exec", dont_inherit=True)
    return code


def _module(room: str) -> str:
    return f"hookwright.{room}".removesuffix(".__init__")


def _path(room: str) -> str:
    return f"{FOLDER}/{room.replace('.', '/')}.py"


def _file(group: str) -> str:
    return f"{FOLDER}/__pycache__/{group}.{sys.implementation.cache_tag}.shelf"


def _origin(name: str) -> str:
    spec = __import__(name).__spec__
    return str(spec.origin) if spec else "built-in"
