"""The house: which room may import which. Read from the source, so that lazy imports count too."""

import ast
from pathlib import Path

import hookwright

SOURCE = Path(hookwright.__file__).parent
# From the bottom up. A room may import from rooms below its own storey, or, where said, beside it.
STOREYS = [
    {"errors", "wire", "secret_kinds", "shelf", "__init__"},
    {"paths", "masks", "globs"},
    {"events"},
    {"reply", "edits", "shell_words", "path_globs"},
    {"shell_changes"},
    {"agents", "agents.claude_code", "agents.over_http"},
    {"bindings", "journal", "spawn", "output"},
    {"screen", "streams"},
    {"process"},
    {"environment"},
    {"background"},
    {"handlers", "command", "loops"},
    {"dispatch", "yaml_nodes"},
    {"shapes"},
    {"records"},
    {"conclaude"},
    {"keys"},
    {"affected", "suite", "demo"},
    {"trust"},
    {"config", "config_docs"},
    {"shelving"},
    {"hook", "samples", "journal_view"},
    {"resident"},
    {"testing", "setup", "pytest_plugin"},
    {"protection"},
    {"verbs"},
    {"cli", "boot", "boot_slowly"},
    {"__main__"},
]
BESIDE = {("agents.claude_code", "agents"), ("agents", "agents.claude_code"), ("agents.over_http", "agents")}


PACKAGES = ("affected", "demo", "resident", "setup", "suite", "verbs")  # each one room, whatever goes on inside


def room_of(path):
    return room_named(".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"))


def room_named(module):
    package = module.partition(".")[0]
    return package if package in PACKAGES else module


def storey(room):
    return next((level for level, rooms in enumerate(STOREYS) if room in rooms), None)


def imports(path):
    """Every module of ours that a file names in an import, at any depth, type-checking blocks left out."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "hookwright":
            base = node.module.partition(".")[2]
            for name in node.names:
                inner = f"{base}.{name.name}" if base else name.name
                yield inner if (SOURCE / (inner.replace(".", "/") + ".py")).exists() else base or "__init__"
        elif isinstance(node, ast.Import):
            yield from (a.name.partition(".")[2] for a in node.names if a.name.startswith("hookwright."))


FILES = sorted(path for path in SOURCE.rglob("*.py") if "__pycache__" not in path.parts)


def test_every_room_has_its_storey():
    """A new file is put somewhere on purpose."""
    assert [room_of(path) for path in FILES if storey(room_of(path)) is None] == []


def test_imports_go_downwards_only():
    """No room imports from its own storey or above: no cycles, and the lazy ones count too."""
    wrong = []
    for path in FILES:
        room = room_of(path)
        for target in imports(path):
            target = room_named(target)
            if (
                room != target
                and room != "__init__"
                and (room, target) not in BESIDE
                and storey(target) >= storey(room)
            ):
                wrong.append(f"{room} imports {target}")
    assert wrong == []


def test_nothing_prints_but_the_verbs():
    """stdout belongs to the agent: print() is for verbs and the command line."""
    for path in FILES:
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        printing = any(getattr(call.func, "id", "") == "print" for call in calls)
        assert not printing or room_of(path) in ("verbs", "cli"), path
