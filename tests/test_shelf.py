"""The shelf: one file for the code of all hot files, believed only while it is true."""

import marshal
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hookwright import shelf

SHOW = "import sys; sys.stderr.write(' '.join(type(m.__spec__.loader).__name__ for n, m in sys.modules.items() if n == 'hookwright.hook'))"


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, with nothing compiled."""
    package = tmp_path / "lib" / "hookwright"
    shutil.copytree(Path(shelf.FOLDER), package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def run(package, code):
    """A process in which the copy's boot has set things up, up to the hook."""
    boot = (package / "boot.py").read_text().replace("main(sys.argv[1:])", code)
    (package / "boot_of_this_test.py").write_text(boot)
    return subprocess.run(
        [sys.executable, "-I", "-S", str(package / "boot_of_this_test.py")], capture_output=True, text=True, check=True
    ).stderr


def fill(package):
    run(package, "import site; site.main(); from hookwright import shelf; shelf.fill()")


def test_hot_files_come_from_the_shelf_once_it_is_filled(copy):
    """Before that, and without it, Python imports as always."""
    assert run(copy, SHOW) == "SourceFileLoader"
    fill(copy)
    assert run(copy, SHOW) == "Shelf"


def test_an_edited_file_is_imported_the_usual_way(copy):
    """Each is believed by itself: the others stay on the shelf."""
    fill(copy)
    (copy / "hook.py").write_text((copy / "hook.py").read_text() + "\n")
    assert run(copy, SHOW) == "SourceFileLoader"
    assert run(copy, SHOW.replace("hookwright.hook", "hookwright.wire")) == "Shelf"


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: b"",
        lambda d: b"garbage",
        lambda d: marshal.dumps(5),
        lambda d: marshal.dumps({"hookwright.hook": 1}),
        lambda d: d[: shelf.INDEX_BYTES],
        lambda d: d[: shelf.INDEX_BYTES] + b"\xff" * len(d),
    ],
)
def test_a_broken_shelf_is_left_alone(copy, damage):
    """Nothing depends on it."""
    fill(copy)
    (file,) = (copy / "__pycache__").glob("shelf.*.bin")
    file.write_bytes(damage(file.read_bytes()))
    assert run(copy, SHOW) == "SourceFileLoader"


def test_modules_on_the_shelf_know_their_files(copy):
    """`__file__`, packages and their submodules are as without it."""
    fill(copy)
    told = run(
        copy,
        "import hookwright.agents.claude_code as c, hookwright.agents as a, hookwright.hook as h\n"
        "sys.stderr.write('|'.join([c.__file__, a.__path__[0], h.__file__, c.__package__]))",
    )
    assert told.split("|") == [
        str(copy / "agents" / "claude_code.py"),
        str(copy / "agents"),
        str(copy / "hook.py"),
        "hookwright.agents",
    ]


def test_where_it_cannot_be_written_there_is_none(copy):
    """A root-owned installation works without."""
    (copy / "__pycache__").write_text("not a folder")
    fill(copy)
    assert run(copy, SHOW) == "SourceFileLoader"


def test_every_hot_room_exists():
    """The list names real files, and all that an unbound event needs."""
    for room in shelf.HOT:
        path = Path(shelf.FOLDER, *room.split("."))
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists()
