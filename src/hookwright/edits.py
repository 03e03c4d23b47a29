"""Which files an event's tool calls edited."""

import posix

from hookwright.globs import pattern_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookwright.events import Event

# tool -> the input fields that name a file
EDITORS = {
    "Write": ("file_path",),
    "Edit": ("file_path",),
    "MultiEdit": ("file_path",),
    "NotebookEdit": ("notebook_path", "file_path"),
}
PATCH_TOOL = "apply_patch"
EDITING_TOOLS = (*EDITORS, PATCH_TOOL)
PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def edited_paths(event: "Event") -> list[str]:
    """Absolute paths, each once, in the order of the edits."""
    return list(dict.fromkeys(absolute(path, event.cwd) for path in named_paths(event)))


def named_paths(event: "Event") -> "Iterator[str]":
    """The paths as the tools were given them."""
    calls = event.raw.get("tool_calls") if hasattr(event, "tool_calls") else [event.raw]
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(call.get("tool_name"), str):
            yield from _named(call["tool_name"], call.get("tool_input"))


def touches(event: "Event", files: "Any", folder: str) -> bool:
    """Whether one of the edited files meets the compiled `files:` patterns; the last one that fits decides."""
    patterns = [(include, pattern_of(stored)) for include, stored in files]
    for path in edited_paths(event):
        inside = _inside(path, folder)
        fitting = [include for include, pattern in patterns if inside and pattern.match(inside)]
        if fitting and fitting[-1]:
            return True
    return False


def _named(tool: str, given: object) -> "Iterator[str]":
    """The paths as the tool was given them."""
    if not isinstance(given, dict):
        return
    if tool == PATCH_TOOL:
        yield from _patched(given)
        return
    for field in EDITORS.get(tool, ()):
        yield from _texts(given.get(field))
    if tool in EDITORS and isinstance(given.get("files"), list):
        for file in given["files"]:
            yield from _texts(file.get("path") if isinstance(file, dict) else None)


def _texts(value: object) -> "Iterator[str]":
    if isinstance(value, str) and value:
        yield value


def _patched(given: "dict[str, Any]") -> "Iterator[str]":
    for field in ("command", "input", "patch"):
        value = given.get(field)
        words = value if isinstance(value, list) else [value]  # some agents send the words of a command line
        for text in (word for word in words if isinstance(word, str) and "*** Begin Patch" in word):
            for line in text.splitlines():
                for start in PATCH_LINES:
                    yield from _texts(line.removeprefix(start).strip() if line.startswith(start) else "")


def absolute(path: str, cwd: str) -> str:
    """Without "." and "..", from the event's folder; as text, for the file may be gone."""
    kept: list[str] = []
    for part in (path if path.startswith("/") else f"{cwd}/{path}").split("/"):
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return "/" + "/".join(kept)


def _inside(path: str, folder: str) -> str:
    """The path seen from a folder, or "" where it lies elsewhere."""
    folder = folder.rstrip("/")
    if path.startswith(f"{folder}/"):
        return path[len(folder) + 1 :]
    # The same folder may have two names: macOS keeps /tmp in /private/tmp.
    wanted = _identity(folder or "/")
    above, _, inside = path.rpartition("/")
    while above and wanted:
        if _identity(above) == wanted:
            return inside
        above, _, name = above.rpartition("/")
        inside = f"{name}/{inside}"
    return ""


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        stat = posix.stat(folder)
    except (OSError, ValueError):
        return None
    return stat.st_dev, stat.st_ino
