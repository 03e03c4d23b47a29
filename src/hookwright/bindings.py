"""(event + filter -> handler): load the rows compiled from the config, and pick those that an event meets.

YAML is never read here. When the compiled rows are missing or older than the config, `load` says so and its caller
has them made anew (`config`), so nothing here points back up.
"""

import marshal
import posix
import sys

from hookwright import __version__
from hookwright.paths import read_file, replace_file, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.events import Event


# (config, event) -> (identity of the compiled file, its header, the table): kept by a process that answers many events.
MOST_REMEMBERED = 256
remembered: "dict[tuple[str, str], tuple[tuple[int, ...], bytes, Table]] | None" = None


class Binding:
    """One handler and when it is called."""

    def __init__(
        self,
        kind: str,
        name: str,
        match: object = None,
        on_error: str = "continue",
        timeout_s: float | None = None,
        options: "dict[str, Any] | None" = None,
        filter: str = "",
    ) -> None:
        self.kind = kind  # a row of dispatch.HANDLERS
        self.name = name  # for people: the journal, notes, `hookwright fire`
        self.match = match  # what globs.compiled made of the filter
        self.on_error = on_error  # continue | block
        self.timeout_s = timeout_s
        self.options = options or {}  # what only this kind of handler understands
        self.filter = filter  # the filter as the user wrote it

    def row(self) -> tuple[object, ...]:
        """Plain values, for the compiled file."""
        return (self.kind, self.name, self.match, self.on_error, self.timeout_s, self.options, self.filter)


class Table:
    """All that was compiled from one config: rows per event, the code of handler files, what is wrong."""

    def __init__(
        self,
        rows: "dict[str, list[tuple[Any, ...]]]",
        sources: dict[str, tuple[int, ...]] | None = None,
        code: dict[str, bytes] | None = None,
        problem: str = "",
        digest: str = "",
        candidates: "list[tuple[object, bytes]] | None" = None,
    ) -> None:
        self.rows = rows
        self._made: dict[tuple[str, int], Binding] = {}
        self.candidates = candidates or []  # instead of rows, where one event's were loaded: (match, packed row)
        self.sources = sources or {}  # files beside the config that the rows were made from
        self.code = code or {}  # handler file -> its marshalled code
        self.problem = problem  # why the rows are those of the last good config
        self.digest = digest  # of the content the rows were made from, where the user wants to approve it
        self.news = ""  # the problem, while it has not been told yet

    def of(self, event_name: str) -> list[Binding]:
        """The bindings of one event, in config order."""
        many = len(self.candidates or self.rows.get(event_name, ()))
        return [self._binding(event_name, number) for number in range(many)]

    def picked(self, event: "Event") -> list[Binding]:
        """The bindings of an event whose filters it meets; of a thousand others nothing is even unpacked."""
        name = event.event_name
        if not self.candidates:
            return pick(event, self.of(name))
        found = _subjects(event)
        met = [n for n, (match, _) in enumerate(self.candidates) if match is None or _fits(match, found)]
        return [binding for n in met if _touched(event, binding := self._binding(name, n))]

    def _binding(self, event_name: str, number: int) -> Binding:
        """Made once, so that who ran can be found among those who were bound."""
        made = self._made.get((event_name, number))
        if made is None:
            row = marshal.loads(self.candidates[number][1]) if self.candidates else self.rows[event_name][number]
            made = self._made[event_name, number] = Binding(*row)
        return made


def identity(path: str) -> tuple[int, ...]:
    """What changes when a file's content may have changed; () when there is no such file."""
    try:
        stat = posix.stat(path)
    except OSError:
        return ()
    return (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)


def load(config: str, event_name: str = "") -> Table | None:
    """The compiled rows of a config, or only those of one event; None when they must be compiled (again)."""
    try:
        table = _read(config, event_name) if remembered is None else _recalled(config, event_name)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if table is None:
        return None
    for path, known in table.sources.items():
        if identity(path) != known:
            return None
    return table


def _read(config: str, event_name: str) -> Table | None:
    """From the compiled file, if that is of the config as it is."""
    header, _, body = _read_own(_file(config)).partition(b"\n")
    return _unpacked(body, event_name) if header == _header(config) else None


def _recalled(config: str, event_name: str) -> Table | None:
    """The same, read once for as long as neither the config nor the compiled file changes."""
    assert remembered is not None
    made, header = identity(_file(config)), _header(config)
    known = remembered.get((config, event_name))
    if known and known[:2] == (made, header):
        return known[2]
    table = _read(config, event_name)
    if table is not None:
        if len(remembered) > MOST_REMEMBERED:
            remembered.clear()
        remembered[config, event_name] = made, header, table
    return table


def last_good(config: str) -> Table | None:
    """The rows compiled last, whatever the config says now."""
    try:
        header, _, body = _read_own(_file(config)).partition(b"\n")
        if header.split(b" ")[:3] != _header(config).split(b" ")[:3]:
            return None
        table = _unpacked(body)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return Table(table.rows, table.sources, table.code, digest=table.digest)


def store(config: str, table: Table) -> None:
    """Keep compiled rows for the next event. Raises OSError where nothing can be written."""
    packed = {name: marshal.dumps([(row[2], marshal.dumps(row)) for row in rows]) for name, rows in table.rows.items()}
    body = marshal.dumps((packed, table.sources, table.code, table.problem, table.digest))
    replace_file(_file(config), _header(config) + b"\n" + body)


def _unpacked(body: bytes, event_name: str = "") -> Table:
    """Each event's rows lie there packed by themselves: those of others cost an event nothing."""
    packed, sources, code, problem, digest = marshal.loads(body)
    if event_name:
        candidates = marshal.loads(packed[event_name]) if event_name in packed else []
        return Table({}, sources, code, problem, digest, candidates)
    rows = {name: [marshal.loads(row) for _, row in marshal.loads(event)] for name, event in packed.items()}
    return Table(rows, sources, code, problem, digest)


def pick(event: "Event", bindings: list[Binding]) -> list[Binding]:
    """The bindings whose filters the event meets."""
    return [binding for binding in bindings if meets(event, binding)]


def meets(event: "Event", binding: Binding) -> bool:
    """Whether one binding's filters are met: its tool or match pattern, and its files."""
    return (binding.match is None or _fits(binding.match, _subjects(event))) and _touched(event, binding)


def _subjects(event: "Event") -> list[str]:
    from hookwright.events import subjects

    return subjects(event)


def _fits(match: "Any", subjects: list[str]) -> bool:
    """Whether a filter that globs.compiled made fits; most of them can be told not to without `globs`."""
    for subject in subjects:
        if isinstance(match, tuple):
            if subject in match:
                return True
        elif subject.startswith(match["begins"]):
            from hookwright.globs import matches

            if matches(match, subject):
                return True
    return False


def _touched(event: "Event", binding: Binding) -> bool:
    if not binding.options.get("files"):
        return True
    from hookwright.edits import touches

    return touches(event, binding.options["files"], binding.options["folder"])


def _file(config: str) -> str:
    return f"{state_folder(config)}/{config.rpartition('/')[2]}.bindings"


def _header(config: str) -> bytes:
    """Read before anything is unmarshalled: nobody who did not stat this very file can have written it."""
    maker = f"hookwright {__version__} {sys.implementation.cache_tag}.{sys.hexversion:x}"
    return f"{maker} {posix.geteuid()} {identity(config)}".encode()


def _read_own(path: str) -> bytes:
    """A file only we can have written: ours, and closed to everyone else."""
    stat = posix.stat(path)
    if stat.st_uid != posix.geteuid() or stat.st_mode & 0o077:
        raise PermissionError(path)
    return read_file(path)
