"""A config file, read and checked, and compiled to bindings. Which keys there are is said in `keys`."""

from __future__ import annotations

import os
from importlib import import_module

from hookwright import bindings, conclaude, globs, journal, keys, paths, shapes, trust, yaml_nodes
from hookwright.bindings import Binding, Table
from hookwright.errors import Refusal
from hookwright.handlers import bindings_in, described
from hookwright.path_globs import path_regexes
from hookwright.shapes import Problem, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# section -> the module whose `bindings_of(values, folder, handlers)` says on which events the feature works, and whose
# `signs(folder)` names the files that switch it on without a section
FEATURES = {
    "autoTest": "hookwright.affected.bindings",
    "suite": "hookwright.suite.bindings",
    "protectOwnFiles": "hookwright.protection",
}


class Command:
    """One command as configured, its defaults filled in."""

    def __init__(self, event_name: str, key: str, pattern: str, values: dict[str, Any]) -> None:
        self.event_name = event_name
        self.key = key
        self.pattern = pattern
        self.values = values


class HandlerFile:
    """One file of Python handlers, and what loading it brought."""

    def __init__(
        self,
        key: str,
        path: str,
        identity: tuple[int, ...],
        found: list[tuple[str, Binding]],
        code: bytes = b"",
        problem: str = "",
        modules: Sequence[str] = (),
    ) -> None:
        self.key = key
        self.path = path
        self.identity = identity
        self.found = found
        self.code = code
        self.problem = problem
        self.modules = modules


class Reading:
    """A config as it was found."""

    def __init__(self, path: str, shown_as: str) -> None:
        self.path = os.path.abspath(path)
        self.report = Report(shown_as)
        self.values: dict[str, Any] = {}
        try:
            root = yaml_nodes.root(paths.read_file(path))
            if root is not None and not yaml_nodes.is_a(root, "null"):
                self.values = self.report.read(keys.whole_file(conclaude.is_one(path)), root, "") or {}
        except yaml_nodes.NotYaml as error:
            self._wrong(str(error), error.line, error.column)
        except OSError as error:
            self._wrong(f"cannot be read: {error.strerror}")
        self.broken = bool(self.report.problems)

    def _wrong(self, text: str, line: int = 1, column: int = 1) -> None:
        self.report.problems.append(Problem(self.report.file, line, column, "", text))

    def commands(self, section: str) -> Iterator[Command]:
        """The commands of one section that are to run."""
        given = (self.values.get(section) or {}).get("commands") or []
        groups = given.items() if isinstance(given, dict) else [("", given)]
        for pattern, listed in groups:
            for index, values in enumerate(listed):
                key = f"{section}.commands{'.' if pattern else ''}{pattern}[{index}]"
                if values is not None and key not in self.report.left_out:
                    yield Command(keys.SECTIONS[section], key, pattern or _filter(values), values)

    def handler_names(self) -> list[str]:
        """The handler files as they are written in the config."""
        return [name for name in self.values.get("handlers") or [] if name]

    def handler_files(self, trusted: bool = False) -> list[HandlerFile]:
        """Load the handler files. One that does not load is a problem of its own and leaves the others alone."""
        listed = enumerate(self.values.get("handlers") or [])
        if not trusted and not trust.allows(self.path, self.handler_names()):
            untold = "is not loaded, for it is not as you approved it; run `hookwright trust`"
            return [HandlerFile(f"handlers[{at}]", name, (), [], problem=untold) for at, name in listed if name]
        return [_load(f"handlers[{index}]", name, self.path) for index, name in listed if name]

    def add_problems_of(self, files: list[HandlerFile]) -> None:
        """Tell of handler files that did not load, and of those with nothing in them."""
        for file in files:
            mark = self.report.marks[file.key]
            if file.problem:
                self.report.problems.append(Problem(self.report.file, *mark, file.key, file.problem))
            elif not file.found:
                text = "registers no handler; put @on.<Event> above a function"
                self.report.warnings.append(Problem(self.report.file, *mark, file.key, text))


def _filter(values: dict[str, Any]) -> str:
    given = [values[name] for name in ("tool", "match") if values.get(name) not in (None, "*")]
    return given[0] if given else "*"


def _load(key: str, name: str, config: str) -> HandlerFile:
    path = os.path.normpath(os.path.join(paths.folder_of(config), name))
    identity = bindings.identity(path)
    if not identity:
        return HandlerFile(key, path, identity, [], problem=f"{shapes.brief(name)}: there is no such file")
    try:
        loaded = bindings_in(path, name)
    except BaseException as error:  # the user's file runs here, and may raise anything
        told = " ".join(described(error, path).replace(path, name, 1).split())
        return HandlerFile(key, path, identity, [], problem=told)
    return HandlerFile(key, path, identity, loaded.found, loaded.code, modules=loaded.modules)


def check(path: str, shown_as: str = "") -> list[Problem]:
    """Everything that is wrong with a config and its handler files, in the order of the file."""
    return sorted(examine(path, shown_as)[0].report.problems)


def examine(path: str, shown_as: str = "") -> tuple[Reading, list[HandlerFile]]:
    """A config with its handler files loaded; what is wrong with either is in the report."""
    reading = Reading(path, shown_as or path)
    files = reading.handler_files()
    reading.add_problems_of(files)
    return reading, files


def compile_config(path: str, trusted: bool = False) -> Table:
    """The rows for the hook path, kept for the next event. What is broken is replaced by what was last good.

    `trusted` where the caller has already seen to it that the user approves.
    """
    path = os.path.abspath(path)
    before = bindings.identity(path)
    reading = Reading(path, path.rpartition("/")[2])
    known = bindings.last_good(path) or Table({})
    digest = _digest(path, reading) if trust.required() and not trusted else ""
    if digest and not trust.approves(path, digest):
        table = _unapproved(path, digest, known, reading)
    else:
        table = _kept(known) if reading.broken else _table(reading, known)
        table.digest = known.digest if reading.broken else digest
        if reading.report.problems:
            table.problem = table.news = _told(reading.report.problems, bool(known.rows))
    try:
        paths.make_folders(path)
        if digest:
            journal.append(path, b"")  # were it made after this, our own folder would look changed
        watched = [trust.file(), *(trust.watched(path, reading.handler_names()) if digest else ())]
        table.sources |= {file: bindings.identity(file) for file in watched}
        same = bindings.identity(path) == before and (not digest or _digest(path, reading) == digest)
        if same:  # else something was edited meanwhile, and the next event compiles it
            bindings.store(path, table)
    except OSError:
        pass
    return table


def _digest(path: str, reading: Reading) -> str:
    try:
        return trust.digest(path, reading.handler_names())
    except Refusal as refusal:  # a hash that nobody can have approved: a guard is not switched off by too many files
        return str(refusal)


def refuse_unapproved(path: str) -> None:
    """Raises Refusal where a user wants to be asked about a config and has not approved it as it is."""
    if not trust.allows(path, Reading(path, path).handler_names()):
        raise Refusal(f"{path} is not as you approved it; see what it would run with `hookwright trust`.")


def _unapproved(path: str, digest: str, known: Table, reading: Reading) -> Table:
    """Nothing of a config that its user has not seen; what they approved before goes on."""
    table = Table({}, code=known.code)
    if known.digest and trust.approves(path, known.digest):
        table.digest = known.digest
        # A handler's code is as it was compiled; what it imports as it runs is read from the disk.
        importable = trust.beside(digest) == trust.beside(known.digest)
        for event_name, rows in known.rows.items():
            table.rows[event_name] = [row for row in rows if importable or Binding(*row).kind != "function"]
    kept = "what you approved before still runs" if any(table.rows.values()) else "nothing of it runs"
    table.problem = table.news = (
        f"{reading.report.file} or its handlers are not as you approved them; {kept}; run `hookwright trust`"
    )
    return table


def _kept(known: Table) -> Table:
    # The identities of today: else every event would find a changed handler file, and compile a broken config again.
    return Table(known.rows, {file: bindings.identity(file) for file in known.sources}, known.code)


def rows_without_handlers(reading: Reading) -> Table:
    """The rows of commands and features; no handler file is loaded for them."""
    return _rows(reading, Table({}), [])


def _table(reading: Reading, known: Table) -> Table:
    files = reading.handler_files(trusted=True)
    reading.add_problems_of(files)
    return _rows(reading, known, files)


def _rows(reading: Reading, known: Table, files: list[HandlerFile]) -> Table:
    table = Table({}, {file.path: file.identity for file in files})
    table.sources |= {module: bindings.identity(module) for file in files for module in file.modules}
    for section in reading.values:
        if section == "handlers":
            for file in files:
                _add_handlers(table, file, known)
        elif section in keys.SECTIONS:
            for command in reading.commands(section):
                row = _binding(command, paths.folder_of(reading.path)).row()
                table.rows.setdefault(command.event_name, []).append(row)
        elif section in FEATURES:
            _add_feature(table, section, reading)
    return table


def _add_feature(table: Table, section: str, reading: Reading) -> None:
    found, signs = of_a_feature(section, reading)
    table.sources |= signs  # so that one that comes later is noticed
    for event_name, binding in found:
        table.rows.setdefault(event_name, []).append(binding.row())


def of_a_feature(section: str, reading: Reading) -> tuple[list[tuple[str, Binding]], dict[str, tuple[int, ...]]]:
    """The bindings of a feature that has its section, or whose files show that it is wanted; and which files can."""
    feature, folder = import_module(FEATURES[section]), paths.folder_of(reading.path)
    values = reading.values.get(section)
    signs = {path: bindings.identity(path) for path in feature.signs(folder)}
    if values is None and not any(signs.values()):
        return [], signs
    return list(feature.bindings_of(values or {}, folder, reading.handler_names())), signs


def _add_handlers(table: Table, file: HandlerFile, known: Table) -> None:
    """The rows of one handler file; of one that does not load, those it had when it last did."""
    for event_name, binding in file.found:
        table.rows.setdefault(event_name, []).append(binding.row())
    code = file.code or known.code.get(file.path)
    if code:
        table.code[file.path] = code
    if file.problem:
        for event_name, rows in known.rows.items():
            kept = [row for row in rows if Binding(*row).options.get("file") == file.path]
            table.rows.setdefault(event_name, []).extend(kept)


def _binding(command: Command, folder: str) -> Binding:
    values = command.values
    options = {row.name: values.get(row.name) for row in keys.COMMAND if row.name not in _OF_THE_BINDING}
    options |= {"env": values["env"] or {}, "folder": folder, "files": compiled_files(values.get("files") or [])}
    match = globs.compiled(command.pattern)
    return Binding("command", command.key, match, values["onError"], values["timeout"], options, command.pattern)


_OF_THE_BINDING = ("tool", "match", "onError", "timeout")  # the keys that every kind of handler has


def compiled_files(patterns: list[str]) -> list[tuple[bool, dict[str, Any]]]:
    """(includes, regex) of each pattern in turn; the last one that fits a path decides."""
    regexes = [regex for pattern in patterns for regex in path_regexes(pattern)]
    return [(includes, globs.regex_code(text)) for includes, text in regexes]


def _told(problems: list[Problem], known: bool) -> str:
    first, *others = sorted(problems)
    more = f" (and {len(others)} more)" if others else ""
    kept = "what was last good is kept" if known else "it is not acted on"
    return f"{str(first)[:300]}{more}; {kept}; run `hookwright check`"
