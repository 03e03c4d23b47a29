"""The compiled code of the hot files, in one file for every event and one more for what answers it.

Importing a module costs about 0.1 ms before its first line runs: looking for it, checking its `.pyc`, reading that.
From the shelf its code is taken as it lies there, and believed only while the source has the time and size that it was
made from. Nothing depends on it: without a shelf (`shelving` fills it) Python imports as it always does.
"""

import _imp
import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    Later = dict[str, bytes]  # a class, or "" for the rest of its module -> its marshalled code
    Row = tuple[str, str, tuple[int, ...], bool, Any, Later]  # module, source, its identity, a package?, code, later

MOST_BYTES = 1 << 18  # of one file of the shelf; boot.py reads as many
_sources: dict[str, tuple[int, ...]] = {}  # all that it was made from, where this process took its start from it
_groups: dict[str, str] = {}  # a module that is not in its place yet -> the file of the shelf that it is in
_made: "dict[str, ModuleType]" = {}
_Spec: "Any" = type(sys.__spec__)


def start(fd: int, contents: bytes) -> None:
    """Put the modules of every event in their places, and let imports find the others.

    Called by the copy of this file that lies on the shelf with its contents; boot.py runs that as a part of itself.
    """
    posix.close(fd)  # not kept: were stdin closed, this would be its number
    own, known, groups, sources, native, rows = marshal.loads(contents)
    if own[:-8] != __file__[:-7] or (identity(own), *interpreter()) != known:  # boot.py's own name, where this runs
        raise ValueError("what is on this shelf is of another version of this file, of another Python, or of a link")
    _place(native, rows)
    _groups.update(groups)
    _sources.update(sources)
    # -I hides our own folder. Appended, not put first: nothing of ours can shadow the standard library.
    sys.path.append(own.rpartition("/")[0].rpartition("/")[0])
    this = _module("hookwright.shelf", own, False)
    this.__dict__.update((name, value) for name, value in globals().items() if not name.startswith("__"))
    sys.meta_path.insert(0, this)


def find_spec(name: str, path: "Any" = None, target: "Any" = None) -> "Any":
    """Called by the import machinery: the first module of a group that is asked for brings all of them."""
    if name not in _groups:
        return None
    file = _groups[name]
    for other in [other for other, its in _groups.items() if its == file]:
        del _groups[other]
    try:
        _place(*marshal.loads(read(file)))
    except Exception:  # a damaged file: import what is missing as usual
        return None
    if name not in sys.modules:
        return None
    _made[name] = sys.modules.pop(name)
    return _Spec(name, sys.modules["hookwright.shelf"], origin=_made[name].__file__)


def create_module(spec: "Any") -> "ModuleType":
    """The import machinery wants to be given what is there already."""
    return _made.pop(spec.name)


def exec_module(_module: "ModuleType") -> None:
    """Its code has been run."""


def read(file: str) -> bytes:
    """A file of the shelf; OSError where there is none."""
    fd = posix.open(file, posix.O_RDONLY)
    try:
        return posix.read(fd, MOST_BYTES)
    finally:
        posix.close(fd)


def is_whole() -> bool:
    """Whether this process has a shelf, made from the sources of now: for whoever has time to look at all of them."""
    return bool(_sources) and all(identity(path) == known for path, known in _sources.items())


def identity(path: str) -> tuple[int, ...]:
    """What changes when a source does: the same that Python compares."""
    try:
        stat = posix.stat(path)
    except OSError:
        return ()
    return (stat.st_mtime_ns, stat.st_size)


def interpreter() -> tuple[int, str]:
    """Which one this is: the C modules of another must not be loaded, even of one with the same name for its code."""
    return sys.hexversion, sys.base_exec_prefix


def _place(native: "list[tuple[str, str]]", rows: "list[Row]") -> None:
    """Make the modules whose sources are as they were; the others are imported by whoever needs them."""
    for name, origin in native:
        if name not in sys.modules:
            _place_native(name, origin)
    for name, path, known, package, code, later in rows:
        if name in sys.modules or identity(path) != known:
            continue
        module = _module(name, path, package)
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        if later:
            _promise(module, later)


def _module(name: str, path: str, package: bool) -> "ModuleType":
    """An empty module in its place, with what importing would have given it."""
    module = sys.modules[name] = type(sys)(name)
    parent, _, child = name.rpartition(".")
    module.__file__ = path
    module.__package__ = name if package else parent
    module.__spec__ = _Spec(name, None, origin=path, is_package=package)
    if package:
        module.__path__ = module.__spec__.submodule_search_locations  # type: ignore[assignment]
        module.__path__.append(path.rpartition("/")[0])
    if parent:
        setattr(sys.modules[parent], child, module)
    return module


def _promise(module: "ModuleType", later: "Later") -> None:
    """Make a class when it is first asked for; making all of the events takes a tenth of a start."""

    def __getattr__(name: str) -> "Any":
        if name.startswith("__"):
            raise AttributeError(name)
        for part in [name] if name in later else list(later):
            exec(marshal.loads(later.pop(part)), module.__dict__)
        if name not in module.__dict__:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return module.__dict__[name]

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def _place_native(name: str, origin: str) -> None:
    """A module in C, without the search for it that takes longer than loading it."""
    built_in = origin == "built-in"
    spec = _Spec(name, None, origin=origin)
    module = _imp.create_builtin(spec) if built_in else _imp.create_dynamic(spec)
    sys.modules[name] = module
    try:
        (_imp.exec_builtin if built_in else _imp.exec_dynamic)(module)
    except BaseException:
        del sys.modules[name]
        raise
    module.__spec__ = spec
