"""The code of the hot files in one file, so that a started hook opens one file instead of fifteen.

Importing a module costs about 0.1 ms before its first line runs: looking for it, checking its `.pyc`, reading that. The
shelf is a copy of those `.pyc`s, each believed only while its source has the time and size it was made from. It lies
beside them in `__pycache__`, and nothing depends on it: without it Python imports as it always does.
"""

import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

FOLDER = __file__.rpartition("/")[0]
FILE = f"{FOLDER}/__pycache__/shelf.{sys.implementation.cache_tag}.bin"
INDEX_BYTES = 1 << 14
# What an answered event may need, whatever is bound to it. Rarely used rooms are imported the usual way.
HOT = (
    "agents",
    "agents.claude_code",
    "bindings",
    "dispatch",
    "edits",
    "environment",
    "events",
    "globs",
    "handlers",
    "command",
    "hook",
    "journal",
    "loops",
    "masks",
    "output",
    "paths",
    "process",
    "reply",
    "spawn",
    "streams",
    "wire",
)


class Shelf:
    """An importer of the modules that are on the shelf; asked before the usual ones."""

    def __init__(self, fd: int, index: "dict[str, tuple[str, tuple[int, ...], int, int]]") -> None:
        self.fd = fd
        self.index = index  # module -> its source, that one's identity, where its code begins, how long it is
        self.code: dict[str, Any] = {}

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        """Called by the import machinery, for everything that is imported."""
        if name not in self.index:
            return None
        try:
            source, known, begins, length = self.index[name]
            if _identity(source) != known:
                return None
            self.code[name] = marshal.loads(posix.pread(self.fd, length, begins))
        except Exception:  # a damaged shelf: import it as usual
            return None
        package = name == "hookwright.agents"
        spec: Any = type(sys.__spec__)(name, self, origin=source, is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        if package:
            spec.submodule_search_locations.append(f"{FOLDER}/agents")
        return spec

    def create_module(self, spec: "Any") -> None:
        """The usual module will do."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the module's code, as importing does."""
        exec(self.code.pop(module.__name__), module.__dict__)  # noqa: S102


def put_to_use() -> None:
    """Let imports come from the shelf, if there is one."""
    try:
        fd = posix.open(FILE, posix.O_RDONLY | posix.O_CLOEXEC)
        index = marshal.loads(posix.pread(fd, INDEX_BYTES, 0))
    except (OSError, ValueError, EOFError, TypeError):
        return
    if fd > 2 and isinstance(index, dict):  # else the agent gave us no stdin, and its number must stay free
        sys.meta_path.insert(0, Shelf(fd, index))
    else:
        posix.close(fd)


def fill() -> None:
    """Make the shelf anew from the `.pyc`s that are there now; where that cannot be, there is none."""
    from importlib.util import cache_from_source

    from hookwright.paths import read_file, replace_file

    index, body = {}, b""
    try:
        for room in HOT:
            path = f"{FOLDER}/{room.replace('.', '/')}.py"
            path = path if _identity(path) else f"{FOLDER}/{room}/__init__.py"
            known = _identity(path)
            __import__(f"hookwright.{room}")  # makes its `.pyc` where there is none
            code = read_file(cache_from_source(path))[16:]  # behind the header
            index[f"hookwright.{room}"] = (path, known, INDEX_BYTES + len(body), len(code))
            body += code
        head = marshal.dumps(index)
        replace_file(FILE, head + bytes(INDEX_BYTES - len(head)) + body)
    except (OSError, NotImplementedError):
        return


def _identity(path: str) -> tuple[int, ...]:
    try:
        stat = posix.stat(path)
    except OSError:
        return ()
    return (stat.st_mtime_ns, stat.st_size)
