"""Which files an event's tool calls edited, and whether a pattern meets them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.edits import edited_paths, touches
from hookwright.events import event_of
from hookwright.globs import regex_code

PATCH = """*** Begin Patch
*** Update File: src/a.py
*** Move to: src/b.py
@@
-*** Delete File: not/this.py
+x
*** Add File: new.txt
+hello
*** Delete File: /abs/old.txt
*** End Patch
"""


PATCHED = ["/project/src/a.py", "/project/src/b.py", "/project/new.txt", "/abs/old.txt"]


def edited(tool, given, cwd="/project"):
    return edited_paths(event_of("PostToolUse", {"cwd": cwd, "tool_name": tool, "tool_input": given}))


@pytest.mark.parametrize(
    ("tool", "given", "paths"),
    [
        ("Write", {"file_path": "/project/a.py"}, ["/project/a.py"]),
        ("Edit", {"file_path": "a.py"}, ["/project/a.py"]),
        ("Edit", {"file_path": "./x/../a.py"}, ["/project/a.py"]),
        ("MultiEdit", {"files": [{"path": "a.py"}, {"path": "b"}, {"path": "a.py"}]}, ["/project/a.py", "/project/b"]),
        ("NotebookEdit", {"notebook_path": "/n.ipynb"}, ["/n.ipynb"]),
        ("apply_patch", {"command": PATCH}, PATCHED),
        ("apply_patch", {"input": PATCH.replace("\n", "\r\n")}, PATCHED),
        ("apply_patch", {"command": ["apply_patch", PATCH]}, PATCHED),
        ("apply_patch", {"command": "*** Update File: no/patch.py"}, []),
        ("Read", {"file_path": "/project/a.py"}, []),
        ("Bash", {"command": "touch a.py"}, []),
        ("Edit", {"file_path": ""}, []),
    ],
)
def test_the_files_of_one_tool_call(tool, given, paths):
    """Absolute, in order, each once; a tool that only reads edits nothing."""
    assert edited(tool, given) == paths


def test_the_files_of_a_batch():
    """All calls of a batch count, in their order."""
    calls = [
        {"tool_name": "Edit", "tool_input": {"file_path": "/p/a.py"}},
        {"tool_name": "Read", "tool_input": {"file_path": "/p/read.py"}},
        {"tool_name": "Write", "tool_input": {"file_path": "b.py"}},
        {"tool_name": "Edit", "tool_input": {"file_path": "/p/a.py"}},
    ]
    assert edited_paths(event_of("PostToolBatch", {"cwd": "/p", "tool_calls": calls})) == ["/p/a.py", "/p/b.py"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["path", "x"]), inner, max_size=3),
)


@given(st.sampled_from(["Write", "MultiEdit", "NotebookEdit", "apply_patch"]), JSON, JSON, JSON)
def test_odd_types_are_passed_over(tool, path, files, command):
    """Whatever an agent sends, it is a list of absolute paths that comes back."""
    given_input = {"file_path": path, "notebook_path": path, "files": files, "command": command}
    for raw in (
        {"tool_name": tool, "tool_input": given_input},
        {"tool_name": path, "tool_input": files},
        {"tool_calls": files, "cwd": command},
    ):
        for name in ("PostToolUse", "PostToolBatch", "Stop"):
            assert all(found.startswith("/") for found in edited_paths(event_of(name, raw)))


def event_for(path, cwd="/elsewhere"):
    return event_of("PostToolUse", {"cwd": cwd, "tool_name": "Edit", "tool_input": {"file_path": path}})


PYTHON_BUT_NOT_TESTS = [(True, regex_code(r"^(?:.+/)?[^/]*\.py$")), (False, regex_code(r"^tests/.*$"))]


@pytest.mark.parametrize(
    ("path", "met"),
    [
        ("/project/a.py", True),
        ("/project/src/deep/a.py", True),
        ("/project/tests/test_a.py", False),
        ("/project/a.txt", False),
        ("/elsewhere/a.py", False),
        ("/project2/a.py", False),
        ("/project/../a.py", False),
    ],
)
def test_the_last_pattern_that_fits_decides(path, met):
    """Seen from the config's folder; what lies outside it never fits."""
    assert touches(event_for(path), PYTHON_BUT_NOT_TESTS, "/project") is met


def test_one_file_of_several_is_enough():
    """The command runs when any edited file fits."""
    calls = [{"tool_name": "Edit", "tool_input": {"file_path": path}} for path in ("/project/a.txt", "/project/a.py")]
    assert touches(event_of("PostToolBatch", {"tool_calls": calls}), PYTHON_BUT_NOT_TESTS, "/project")


def test_a_folder_with_two_names(tmp_path: Path):
    """An agent that names the project by a link, or behind one, means the same files."""
    (tmp_path / "project" / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to("project")
    file = f"{tmp_path}/link/src/a.py"
    assert touches(event_for(file), PYTHON_BUT_NOT_TESTS, f"{tmp_path}/project")
    assert touches(event_for(f"{tmp_path}/project/a.py"), PYTHON_BUT_NOT_TESTS, f"{tmp_path}/link")
