"""The test map on disk: several processes at once, other versions, broken files."""

import gc
import multiprocessing
import sqlite3

import pytest

from hookwright.affected.python.graph import identity_of
from hookwright.affected.python.record import Place, units_in
from hookwright.affected.python.store import VERSION, Store

CODE = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def fill(folder, tests=("test_a.py::test_f",), names=("f",)):
    store = Store(str(folder / "map.sqlite"), str(folder))
    place = Place([("a.py", name) for name in names], [])
    before = {"a.py": identity_of(f"{folder}/a.py")}
    store.write(
        {test: ("passed", 0.1) for test in tests},
        dict.fromkeys(tests, place),
        {"a.py": Place([("a.py", "<module>")], [])},
        before,
    )
    return store


def stale(store, folder):
    return set(store.stale_units("a.py", units_in(f"{folder}/a.py")).values())


def test_what_is_written_is_read(tmp_path):
    (tmp_path / "a.py").write_text(CODE)
    fill(tmp_path).close()
    store = Store(str(tmp_path / "map.sqlite"), str(tmp_path))
    assert store.knows("a.py") and not store.knows("b.py")
    assert stale(store, tmp_path) == set()
    (tmp_path / "a.py").write_text(CODE.replace("1", "3"))
    assert stale(store, tmp_path) == {"f"}
    assert list(store.tests_through(store.stale_units("a.py", units_in(f"{tmp_path}/a.py")))) == ["test_a.py::test_f"]
    store.close()


def test_edited_while_it_ran(tmp_path):
    """Nobody knows which text ran: it stays out of date until it runs again."""
    (tmp_path / "a.py").write_text(CODE)
    store = Store(str(tmp_path / "map.sqlite"), str(tmp_path))
    store.write({"t": ("passed", 0.1)}, {"t": Place([("a.py", "f")], [])}, {}, {"a.py": (1, 1)})
    assert stale(store, tmp_path) == {"<module>"}
    store.close()


def test_other_version_is_made_anew(tmp_path):
    """A map of an older or newer hookwright is dropped, not misread."""
    (tmp_path / "a.py").write_text(CODE)
    fill(tmp_path).close()
    db = sqlite3.connect(tmp_path / "map.sqlite")
    db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.commit()
    db.close()
    store = Store(str(tmp_path / "map.sqlite"), str(tmp_path))
    assert store.is_empty
    store.close()


def test_broken_file_is_made_anew(tmp_path):
    (tmp_path / "map.sqlite").write_bytes(b"this is no database, and long enough to be looked at" * 100)
    (tmp_path / "a.py").write_text(CODE)
    store = fill(tmp_path)
    assert not store.is_empty
    store.close()


def _write(folder, number):
    from pathlib import Path

    for step in range(5):
        fill(Path(folder), tests=[f"test_{number}.py::test_{step}"], names=("f", "g")).close()


def test_several_writers(tmp_path):
    """Nothing is lost when processes write at the same time."""
    (tmp_path / "a.py").write_text(CODE)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(tmp_path), number)) for number in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    store = Store(str(tmp_path / "map.sqlite"), str(tmp_path))
    assert len(store.tests()) == 15
    store.close()


def test_tests_that_are_no_more(tmp_path):
    (tmp_path / "a.py").write_text(CODE)
    store = fill(tmp_path, tests=("t::old", "t::new"))
    store.forget_tests_but(["t::new"])
    assert list(store.tests()) == ["t::new"]
    (tmp_path / "a.py").write_text(CODE.replace("1", "3"))
    fill(tmp_path, tests=("t::new",)).close()
    store.forget_tests_but(["t::new"])
    assert stale(store, tmp_path) == set()  # the old version of f is forgotten
    store.close()


def test_nobody_has_to_close_it(tmp_path):
    """A map that is let go closes its file, so that no warning of Python's reaches a user's own test run."""
    store = Store(str(tmp_path / "map.sqlite"), str(tmp_path))
    db = store.db
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError):
        db.execute("SELECT 1")
