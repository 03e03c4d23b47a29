"""The shelf: the code of the hot files in a few files, believed only while it is true."""

import json
import marshal
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hookwright
from hookwright import events, shelf, shelving

SHOW = (
    "import sys; from hookwright import on\n"
    "@on.Stop\n"
    "def show(event):\n"
    "    from hookwright import block, hook, reply\n"
    "    told = [name for name, m in sys.modules.items() if name.startswith('hookwright.') and not m.__spec__.loader]\n"
)
NAMES = SHOW + "    return block(' '.join(['from the shelf:', *told]))\n"


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, with nothing compiled."""
    package = tmp_path / "lib" / "hookwright"
    shutil.copytree(Path(shelving.FOLDER), package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def fill(package):
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r}); from hookwright.shelving import fill; fill()"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def files(package):
    return sorted((package / "__pycache__").glob("*.shelf"))


def test_init_fills_the_shelf(copy, tmp_path):
    """An agent that waits for its first event does not wait for that too."""
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    code = "import sys; sys.path.insert(0, sys.argv[1]); from hookwright.cli import main; sys.exit(main(['init']))"
    subprocess.run([sys.executable, "-I", "-c", code, str(copy.parent)], cwd=project, capture_output=True, check=True)
    assert len(files(copy)) == len(shelving.GROUPS)


def told(package, project, source=NAMES):
    """What a handler says when the copy's boot is started for it."""
    compiled = (project.folder / ".hookwright" / "state").exists()
    if not compiled:
        project.handlers(source)
    payload = json.dumps(project.payload("Stop"))
    for _ in range(1 if compiled else 2):  # the first event compiles the config and fills the shelf
        command = [sys.executable, "-I", "-S", str(package / "boot.py")]
        done = subprocess.run(command, input=payload, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return json.loads(done.stdout)["reason"]


def test_hot_files_come_from_the_shelf_once_it_is_filled(copy, project):
    """The first event without one fills it."""
    from_shelf = told(copy, project).split()
    assert {"hookwright.wire", "hookwright.hook", "hookwright.reply", "hookwright.events"} <= {*from_shelf}
    assert len(files(copy)) == len(shelving.GROUPS)


def test_an_edited_file_is_imported_the_usual_way(copy, project):
    """Each is believed by itself: the others stay on the shelf."""
    told(copy, project)
    for room in ("hook", "reply"):
        (copy / f"{room}.py").write_text((copy / f"{room}.py").read_text() + "\n")
    from_shelf = told(copy, project).split()
    assert "hookwright.wire" in from_shelf and "hookwright.events" in from_shelf
    assert "hookwright.hook" not in from_shelf and "hookwright.reply" not in from_shelf


@pytest.mark.parametrize("room", ["hook", "reply"])
def test_an_edited_file_is_on_the_shelf_again_after_the_next_compiling(copy, project, room):
    """One that every event needs, and one that only an answer does."""
    told(copy, project)
    (copy / f"{room}.py").write_text((copy / f"{room}.py").read_text() + "\n")
    project.handlers(NAMES)  # its date is enough
    assert f"hookwright.{room}" not in told(copy, project).split()
    assert f"hookwright.{room}" in told(copy, project).split()


def test_an_edited_shelf_is_not_used_at_all(copy, project):
    """How modules are put in their places is what was edited."""
    told(copy, project)
    (copy / "shelf.py").write_text((copy / "shelf.py").read_text() + "\n")
    assert told(copy, project) == "from the shelf:"
    fill(copy)
    assert "hookwright.hook" in told(copy, project)


def test_the_shelf_of_another_interpreter_is_not_used(copy, project):
    """Two of them can have the same name for their code; its C modules are not ours."""
    told(copy, project)
    (file,) = (copy / "__pycache__").glob("start.*.shelf")
    prefix = sys.base_exec_prefix.encode()
    file.write_bytes(file.read_bytes().replace(prefix, prefix[:-1] + b"_"))
    assert told(copy, project) == "from the shelf:"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"garbage",
        lambda data: marshal.dumps(5),
        lambda data: marshal.dumps([("hookwright.hook", 1)]),
        lambda data: data[: len(data) // 2],
    ],
)
@pytest.mark.parametrize("group", ["start", "answer"])
def test_a_broken_shelf_is_left_alone(copy, project, damage, group):
    """Nothing depends on it."""
    told(copy, project)
    (file,) = (copy / "__pycache__").glob(f"{group}.*.shelf")
    file.write_bytes(damage(file.read_bytes()))
    from_shelf = told(copy, project)
    assert ("hookwright.wire" in from_shelf) == (group == "answer")
    assert "hookwright.reply" not in from_shelf


def test_modules_on_the_shelf_are_as_importing_makes_them(copy, project):
    """`__file__`, `__package__`, a spec, packages and their submodules, attributes of their parent."""
    source = SHOW + (
        "    import importlib.util, hookwright, hookwright.agents.claude_code as c, hookwright.agents as a\n"
        "    found = [importlib.util.find_spec(name).origin for name in ('hookwright', 'hookwright.reply')]\n"
        "    return block('|'.join([c.__file__, a.__path__[0], hookwright.hook.__file__, c.__package__, *found]))\n"
    )
    fill(copy)
    assert told(copy, project, source).split("|") == [
        str(copy / "agents" / "claude_code.py"),
        str(copy / "agents"),
        str(copy / "hook.py"),
        "hookwright.agents",
        str(copy / "__init__.py"),
        str(copy / "reply.py"),
    ]


def test_a_row_is_made_when_it_is_asked_for(copy, project):
    """Only the event that came; the others by name, by import, or all at once, and each once."""
    source = SHOW + (
        "    import hookwright.events as events\n"
        "    made = [name for name in vars(events) if name in ('Stop', 'PreToolUse', 'Setup')]\n"
        "    from hookwright.events import PreToolUse\n"
        "    same = events.PreToolUse is PreToolUse and type(event) is events.Stop\n"
        "    everything = events.BY_NAME['PreToolUse'] is PreToolUse and events.canonical('set-up') == 'Setup'\n"
        "    return block(f'{made} {same} {everything} {sorted(events.BY_NAME)} {hasattr(events, \"Nothing\")}')\n"
    )
    fill(copy)
    assert told(copy, project, source) == f"['Stop'] True True {sorted(events.BY_NAME)} False"


def test_a_shelf_filled_through_a_link_is_filled_again(copy, project, tmp_path):
    """Another installation may be a link to this one; what it put there names its own folder, which may be gone."""
    linked = tmp_path / "elsewhere" / "hookwright"
    linked.parent.mkdir()
    linked.symlink_to(copy)
    fill(linked)
    linked.unlink()
    fill(copy)
    assert "hookwright.hook" in told(copy, project)


def test_a_shelf_filled_through_a_link_is_not_taken_from(copy, project, tmp_path):
    """Its folder would be looked in for modules; were it a site-packages, ours would never be."""
    linked = tmp_path / "site-packages" / "hookwright"
    linked.parent.mkdir()
    linked.symlink_to(copy)
    shown = SHOW + "    return block(' '.join(sys.path))\n"
    assert str(copy.parent) in told(copy, project, shown).split()
    fill(linked)
    folders = told(copy, project).split()
    assert str(copy.parent) in folders and str(linked.parent) not in folders


def test_where_it_cannot_be_written_there_is_none(copy, project):
    """A root-owned installation works without."""
    (copy / "__pycache__").write_text("not a folder")
    fill(copy)
    assert told(copy, project) == "from the shelf:"


def test_a_full_shelf_is_not_filled_again(copy):
    """And one with an old file is."""
    fill(copy)
    before = [file.stat().st_ino for file in files(copy)]
    fill(copy)
    assert [file.stat().st_ino for file in files(copy)] == before
    (copy / "wire.py").write_text((copy / "wire.py").read_text() + "\n")
    fill(copy)
    assert [file.stat().st_ino for file in files(copy)] != before


def test_every_room_on_the_shelf_exists_and_fits():
    """The list names real files, and no file of the shelf is longer than what is read of it."""
    folder = Path(hookwright.__file__).parent
    for group, rooms in shelving.GROUPS.items():
        assert all((folder / f"{room.replace('.', '/')}.py").exists() for room in rooms)
        assert len(shelving._contents(group)) < shelf.MOST_BYTES
