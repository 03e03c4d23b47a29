"""`protectOwnFiles`: the agent may not change what watches it: our config, handlers, journal, and our settings entries.

Edits are judged by what the file would say afterwards, shell commands by their words. A program that the agent writes
and runs can still change any file of its user; docs/security.md says so.
"""

import posix

from hookwright.bindings import Binding
from hookwright.edits import EDITING_TOOLS, edited_paths
from hookwright.globs import compiled
from hookwright.paths import CONFIG_NAMES, OURS
from hookwright.reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookwright.events import Event

TOOLS = f"{{{','.join((*EDITING_TOOLS, 'Bash'))}}}"
SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
# Verbs of ours by which an agent could get rid of us, or approve what it wrote itself.
SWITCHING_OFF = ("uninstall", "trust")


def signs(folder: str) -> list[str]:
    """No file switches it on."""
    return []


def bindings_of(values: object, folder: str, handlers: "Sequence[str]" = ()) -> list[tuple[str, Binding]]:
    """One binding, where the config says `protectOwnFiles: true`; handler files are ours wherever they lie."""
    if values is not True:
        return []
    import os.path

    options = {"folder": folder, "handlers": [os.path.normpath(name) for name in handlers]}
    return [("PreToolUse", Binding("protection", "protectOwnFiles", compiled(TOOLS), options=options, filter=TOOLS))]


def handle(event: "Event", binding: Binding, _allowed_s: float) -> Reply | None:
    """Deny what would change our files; no opinion on anything else."""
    folder, handlers = binding.options["folder"], binding.options["handlers"]
    by_words = event.raw.get("tool_name") == "Bash"
    touched = _named(event, handlers) if by_words else _edited(event, folder, handlers)
    if not touched:
        return None
    reason = (
        f"{touched} belongs to hookwright, which watches over this project, and protectOwnFiles is on in its config. "
        "If the change is wanted, ask the person to make it."
    )
    return Reply("deny", reason)


def _edited(event: "Event", folder: str, handlers: list[str]) -> str:
    """The first of our files that these edits would change, or ""."""
    for path in edited_paths(event):
        real = _real(path)
        if _is_ours(real, folder, handlers):
            return path
        if _is_settings(real, folder):
            from hookwright.setup.settings_edits import changes_our_entries

            if changes_our_entries(event.raw, path):
                return f"hookwright's part of {path}"
    return ""


def _is_ours(path: str, folder: str, handlers: list[str]) -> bool:
    import os.path

    ours = _real(f"{folder.rstrip('/')}/{OURS}")
    files = {_real(os.path.join(folder, name)) for name in (*CONFIG_NAMES, *handlers)}
    return path == ours or path.startswith(f"{ours}/") or path in files


def _is_settings(path: str, folder: str) -> bool:
    return path in {_real(place) for place in settings_places(folder)}


def settings_places(folder: str) -> list[str]:
    """The settings files in which we may stand."""
    home = posix.environ.get(b"CLAUDE_CONFIG_DIR") or posix.environ.get(b"HOME", b"") + b"/.claude"
    return [
        *(f"{folder.rstrip('/')}/{name}" for name in SETTINGS),
        f"{home.decode(errors='surrogateescape')}/settings.json",
    ]


def _real(path: str) -> str:
    import os.path

    return os.path.realpath(path)


def _named(event: "Event", handlers: list[str]) -> str:
    """The first of our files that a shell command names without merely looking at it, or ""."""
    given = event.raw.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str):
        return ""
    if any(f"hookwright {verb}" in " ".join(command.split()) for verb in SWITCHING_OFF):
        return "What this command would change"
    last_parts = [name.rpartition("/")[2] for name in handlers]
    if not any(sign in command for sign in (".hook", ".conclaude", "settings", "*", "?", "[", *last_parts)):
        return ""
    from hookwright.shell_words import changed_by

    here = event.cwd.rstrip("/").rpartition("/")[2]
    bare = tuple(name.rpartition("/")[2] for name in SETTINGS) if here == ".claude" or ".claude" in command else ()
    return changed_by(command, (OURS, *CONFIG_NAMES, *handlers, *SETTINGS, *bare))
