"""Taking a run into the map: units and groups get their numbers, files their fingerprints."""

from __future__ import annotations

import hashlib
import marshal
import sqlite3
import time
from typing import NamedTuple

from hookwright.affected.python.additions import NAMES
from hookwright.affected.python.graph import Identity, identity_of
from hookwright.affected.python.units import MODULE, UNKNOWN, Units, resolved, units_of
from hookwright.paths import read_file


class Place(NamedTuple):
    """What was seen in a test, or while a module was imported."""

    units: list[tuple[str, str]]  # (path, qualified name)
    files: list[str]
    spawns: bool = False


class Writer:
    """One transaction: numbers of units and groups are looked up once."""

    def __init__(self, db: sqlite3.Connection, root: str, before: dict[str, Identity], cut_off: bool) -> None:
        self.db, self.root, self.before, self.cut_off = db, root, before, cut_off
        self.at = time.time()
        self.units: dict[str, Units] = {}
        self.unit_ids: dict[tuple[str, str, str], int] = {}
        self.group_ids: dict[tuple[str, frozenset[str]], int] = {}

    def note(self, path: str) -> None:
        """Keep a file's fingerprints."""
        self._units_of(path)

    def module(self, path: str, place: Place) -> None:
        self.db.execute("DELETE FROM module_groups WHERE path = ?", (path,))
        groups = self._groups(place)
        self.db.executemany("INSERT OR IGNORE INTO module_groups VALUES (?, ?)", [(group, path) for group in groups])

    def test(self, nodeid: str, outcome: str, seconds: float, place: Place | None) -> None:
        path = nodeid.split("::")[0]
        row = self.db.execute("SELECT id FROM tests WHERE nodeid = ?", (nodeid,)).fetchone()
        if row is None:
            values = (nodeid, path, outcome, seconds, self.at)
            sql = (
                "INSERT INTO tests (nodeid, path, outcome, seconds, at, spawns, recorded) VALUES (?, ?, ?, ?, ?, 0, 0)"
            )
            number = self.db.execute(sql, values).lastrowid
        else:
            number = row[0]
            sql = "UPDATE tests SET outcome = ?, seconds = ?, at = ? WHERE id = ?"
            self.db.execute(sql, (outcome, seconds, self.at, number))
        if place is None:
            return
        self.db.execute("UPDATE tests SET spawns = ?, recorded = 1 WHERE id = ?", (place.spawns, number))
        if outcome != "failed":  # that one may have ended early: what it ran through before still counts
            self.db.execute("DELETE FROM test_groups WHERE test = ?", (number,))
        rows = [(group, number) for group in self._groups(place)]
        self.db.executemany("INSERT OR IGNORE INTO test_groups VALUES (?, ?)", rows)

    def _groups(self, place: Place) -> list[int]:
        by_path: dict[str, set[str]] = {}
        for path, name in place.units:
            by_path.setdefault(path, set()).add(name)
        for path in place.files:
            by_path.setdefault(path, set()).add("")
        return [self._group(path, frozenset(names)) for path, names in by_path.items()]

    def _group(self, path: str, names: frozenset[str]) -> int:
        known = self.group_ids.get((path, names))
        if known is not None:
            return known
        units = self._units_of(path)
        more = {NAMES} if MODULE in names and NAMES in units else set()
        members = sorted({self._unit(path, name, units) for name in names | more})
        key = hashlib.blake2b(repr(members).encode(), digest_size=16).digest()
        row = self.db.execute("SELECT id FROM groups WHERE key = ?", (key,)).fetchone()
        if row:
            number: int = row[0]
        else:
            number = self.db.execute("INSERT INTO groups (path, key) VALUES (?, ?)", (path, key)).lastrowid or 0
            self.db.executemany("INSERT INTO group_units VALUES (?, ?)", [(unit, number) for unit in members])
        self.group_ids[path, names] = number
        return number

    def _unit(self, path: str, name: str, units: Units) -> int:
        name = resolved(name, units) if name else ""
        unit = (path, name, units.get(name, UNKNOWN))
        if unit not in self.unit_ids:
            self.db.execute("INSERT OR IGNORE INTO units (path, name, print) VALUES (?, ?, ?)", unit)
            query = "SELECT id FROM units WHERE path = ? AND name = ? AND print = ?"
            self.unit_ids[unit] = self.db.execute(query, unit).fetchone()[0]
        return self.unit_ids[unit]

    def _units_of(self, path: str) -> Units:
        if path not in self.units:
            self.units[path] = self._known_units(path)
        return self.units[path]

    def _known_units(self, path: str) -> Units:
        identity = identity_of(f"{self.root}/{path}")
        if identity is None or self.before.get(path, identity) != identity:
            return {MODULE: UNKNOWN}  # edited while it ran: nobody knows which text that was
        row = self.db.execute("SELECT changed, size, units FROM files WHERE path = ?", (path,)).fetchone()
        if row and (row[0], row[1]) == identity:
            units: Units = marshal.loads(row[2])
        else:
            units = units_in(f"{self.root}/{path}")
        if not self.cut_off:  # else a test that did not get its turn would find nothing changed
            values = (path, *identity, marshal.dumps(units), self.at)
            self.db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", values)
        return units


def units_in(file: str) -> Units:
    """The units a file holds now; a data file is one, a file that is gone holds none."""
    try:
        content = read_file(file)
    except OSError:
        return {}
    if file.endswith(".py"):
        return units_of(content)
    return {"": hashlib.blake2b(content, digest_size=8).hexdigest()}
