"""The test map: what each test ran through when it last ran, in one SQLite file per project.

A unit is a function, class body, module level or data file together with its fingerprint. Units of one file that were
seen together form a group; tests share groups, for many run through a file in the same way. A test is out of date when
one of its units is not what the file holds now.
"""

from __future__ import annotations

import json
import marshal
import os
import sqlite3
import weakref
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from hookwright.affected.python.additions import NAMES, only_added
from hookwright.affected.python.graph import Identity, identity_of
from hookwright.affected.python.record import Place, Writer
from hookwright.affected.python.units import Units

VERSION = 3
WAIT_S = 5
SCHEMA = """
CREATE TABLE units (id INTEGER PRIMARY KEY, path TEXT, name TEXT, print TEXT, UNIQUE (path, name, print));
CREATE TABLE groups (id INTEGER PRIMARY KEY, path TEXT, key BLOB UNIQUE);
CREATE INDEX groups_by_path ON groups (path);
CREATE TABLE group_units (unit INTEGER, of_group INTEGER, PRIMARY KEY (unit, of_group)) WITHOUT ROWID;
CREATE TABLE tests (id INTEGER PRIMARY KEY, nodeid TEXT UNIQUE, path TEXT, outcome TEXT, seconds REAL, at REAL,
                    spawns INTEGER, recorded INTEGER);
CREATE TABLE test_groups (of_group INTEGER, test INTEGER, PRIMARY KEY (of_group, test)) WITHOUT ROWID;
CREATE INDEX groups_by_test ON test_groups (test);
CREATE TABLE module_groups (of_group INTEGER, path TEXT, PRIMARY KEY (of_group, path)) WITHOUT ROWID;
CREATE INDEX groups_by_module ON module_groups (path);
CREATE TABLE files (path TEXT PRIMARY KEY, changed INTEGER, size INTEGER, units BLOB, at REAL);
CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT);
"""
UNUSED = (
    "DELETE FROM groups WHERE id NOT IN (SELECT of_group FROM test_groups UNION SELECT of_group FROM module_groups)",
    "DELETE FROM group_units WHERE of_group NOT IN (SELECT id FROM groups)",
    "DELETE FROM units WHERE id NOT IN (SELECT unit FROM group_units)",
)


class Known(NamedTuple):
    """A test as it last ran."""

    nodeid: str
    path: str
    outcome: str
    seconds: float
    spawns: bool


class Store:
    """One project's map. Readers and writers in several processes may use it at once."""

    def __init__(self, file: str, root: str) -> None:
        self.root = root
        self.db = _opened(file)
        # Python 3.13 warns of a database that nobody closed, and a user's own pytest may take that for an error.
        self.close = weakref.finalize(self, self.db.close)

    # -- asking

    @property
    def is_empty(self) -> bool:
        return self.db.execute("SELECT 1 FROM tests WHERE recorded LIMIT 1").fetchone() is None

    def knows(self, path: str) -> bool:
        """Whether a recorded run has seen this file: code as it was imported, anything else as it was opened."""
        table = "module_groups" if path.endswith(".py") else "groups"
        return self.db.execute(f"SELECT 1 FROM {table} WHERE path = ? LIMIT 1", (path,)).fetchone() is not None

    def recorded_at(self, path: str) -> float | None:
        """When this very content was last recorded; None when it is another."""
        row = self.db.execute("SELECT changed, size, at FROM files WHERE path = ?", (path,)).fetchone()
        return row[2] if row and identity_of(f"{self.root}/{path}") == (row[0], row[1]) else None

    def stale_units(self, path: str, now: Units) -> dict[int, str]:
        """The recorded units of a file that are no longer what the file holds: id -> name."""
        rows = self.db.execute("SELECT id, name, print FROM units WHERE path = ?", (path,))
        return {number: name for number, name, fingerprint in rows if not _is_as_it_was(name, fingerprint, now)}

    def units_before(self, path: str) -> Units | None:
        """The units of a file when it was recorded; None when it never was."""
        row = self.db.execute("SELECT units FROM files WHERE path = ?", (path,)).fetchone()
        return marshal.loads(row[0]) if row else None

    def adds_names(self, path: str, now: Units) -> bool:
        """Whether the module level of a file has names that it had not when it was recorded."""
        before = (self.units_before(path) or {}).get(NAMES, "")
        return bool(set(now.get(NAMES, "").split()) - set(before.split()))

    def units_named(self, functions: Iterable[tuple[str, str]]) -> list[int]:
        """The numbers of these functions, (path, qualified name), as they were at any time."""
        query = "SELECT id FROM units WHERE path = ? AND name = ?"
        return [number for function in functions for (number,) in self.db.execute(query, function)]

    def is_changed(self, path: str, now: Units) -> bool:
        """Whether anything at all in a file is not what it was, also what no test ran through."""
        return self.units_before(path) != now

    def tests_through(self, units: Iterable[int]) -> dict[str, int]:
        """The tests that ran through one of these units, each with one that it met."""
        query = (
            "SELECT tests.nodeid, min(group_units.unit) FROM group_units JOIN test_groups USING (of_group) "
            "JOIN tests ON tests.id = test_groups.test WHERE group_units.unit IN ({}) GROUP BY tests.nodeid"
        )
        return dict(self._in(query, list(units)))

    def modules_through(self, units: Iterable[int]) -> set[str]:
        """The modules whose import ran through one of these units."""
        query = (
            "SELECT DISTINCT module_groups.path FROM group_units JOIN module_groups USING (of_group) "
            "WHERE group_units.unit IN ({})"
        )
        return {path for (path,) in self._in(query, list(units))}

    def tests_touching(self, paths: Iterable[str]) -> set[str]:
        """The tests that ran through anything in these files."""
        query = (
            "SELECT DISTINCT tests.nodeid FROM groups JOIN test_groups ON test_groups.of_group = groups.id "
            "JOIN tests ON tests.id = test_groups.test WHERE groups.path IN ({})"
        )
        return {nodeid for (nodeid,) in self._in(query, list(paths))}

    def tests(self) -> dict[str, Known]:
        rows = self.db.execute("SELECT nodeid, path, outcome, seconds, spawns FROM tests")
        return {row[0]: Known(row[0], row[1], row[2], row[3], bool(row[4])) for row in rows}

    def known_files(self) -> dict[str, Identity]:
        """The recorded files with the identity they had."""
        rows = self.db.execute("SELECT path, changed, size FROM files")
        return {path: (changed, size) for path, changed, size in rows}

    def kept(self, name: str) -> Any:
        row = self.db.execute("SELECT value FROM kept WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def _in(self, query: str, values: list[Any]) -> list[Any]:
        found: list[Any] = []
        for start in range(0, len(values), 500):
            some = values[start : start + 500]
            found += self.db.execute(query.format(",".join("?" * len(some))), some)
        return found

    # -- telling

    def keep(self, name: str, value: object) -> None:
        with self.db:
            self.db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, json.dumps(value)))

    def write(
        self,
        outcomes: dict[str, tuple[str, float]],
        ran: dict[str, Place],
        modules: dict[str, Place],
        before: dict[str, Identity],
        cut_off: bool = False,
    ) -> None:
        """Take in a run: what came of each test, and what it ran through. `before` is how the files were by then."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            writer = Writer(self.db, self.root, before, cut_off)
            for path, place in modules.items():
                writer.module(path, place)
            for nodeid, (outcome, seconds) in outcomes.items():
                writer.test(nodeid, outcome, seconds, ran.get(nodeid))

    def note_files(self, files: dict[str, Identity]) -> None:
        """After a whole run: how every file is, also those that no test came through."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            writer = Writer(self.db, self.root, files, False)
            known = self.known_files()
            for path in (path for path, identity in files.items() if known.get(path) != identity):
                writer.note(path)

    def forget_tests_but(self, nodeids: Iterable[str]) -> None:
        """After a whole run: tests that are no more, and what only they, or older runs, went through."""
        with self.db:
            kept = set(nodeids)
            gone = [row for row in self.db.execute("SELECT id, nodeid FROM tests") if row[1] not in kept]
            self.db.executemany("DELETE FROM tests WHERE id = ?", [(number,) for number, _ in gone])
            self.db.executemany("DELETE FROM test_groups WHERE test = ?", [(number,) for number, _ in gone])
            for statement in UNUSED:
                self.db.execute(statement)


def _is_as_it_was(name: str, fingerprint: str, now: Units) -> bool:
    return only_added(fingerprint, now.get(name)) if name == NAMES else now.get(name) == fingerprint


def _opened(file: str) -> sqlite3.Connection:
    """The database, made anew when it is missing, broken or of another version."""
    for _ in range(2):
        db = sqlite3.connect(file, timeout=WAIT_S)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")  # a map that is lost is recorded again
            _prepare(db)
            return db
        except sqlite3.OperationalError:
            db.close()
            raise
        except sqlite3.DatabaseError:
            db.close()
            _remove(file)
    raise sqlite3.DatabaseError(f"{file} cannot be made")


def _prepare(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    with db:
        db.execute("BEGIN IMMEDIATE")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION:  # another process was faster
            return
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in tables:
            db.execute(f'DROP TABLE "{name}"')
        for statement in SCHEMA.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")


def _remove(file: str) -> None:
    for ending in ("", "-wal", "-shm"):
        with suppress(OSError):
            os.unlink(file + ending)
