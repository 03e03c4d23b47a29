"""`protectOwnFiles`: the agent may not change what watches it: our config, handlers, journal, and our settings entries.

Edits are judged by what the file would say afterwards, shell commands by their words. A program that the agent writes
and runs can still change any file of its user; docs/security.md says so.
"""

import posix

from hookwright.bindings import Binding
from hookwright.edits import EDITING_TOOLS, absolute, named_paths
from hookwright.globs import compiled
from hookwright.paths import CONFIG_NAMES, DECISIONS, LONGEST, OURS
from hookwright.reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hookwright.events import Event

TOOLS = f"{{{','.join((*EDITING_TOOLS, 'Bash'))}}}"
SERVERS_TOOLS = "mcp__*"
# What a tool of an MCP server that writes files has in its name.
_WRITING = (
    *("append", "copy", "create", "delete", "edit", "insert", "move", "patch"),
    *("put", "remove", "rename", "replace", "save", "update", "write"),
)
SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
# Verbs of ours by which an agent could get rid of us, or approve what it wrote itself.
SWITCHING_OFF = ("uninstall", "trust")
# A command without any of these names nothing of ours; quotes and backslashes are taken out first.
_SIGNS = (".hook", "hookwright", ".conclaude", ".claude", "settings", "*", "?", "[", "{")


MOST_SHOWN = 300  # characters of a path
MOST_LOOKED_UP = 1_000  # paths of one call: a hook that takes too long is no guard
TOO_MUCH = "What this names in thousands of places"
MOST_FOLLOWED = 200  # texts of a server's tool that are looked up as paths, wherever links may lead


def signs(folder: str) -> list[str]:
    """No file switches it on."""
    return []


def bindings_of(values: object, folder: str, handlers: "Sequence[str]" = ()) -> list[tuple[str, Binding]]:
    """Where the config says `protectOwnFiles: true`, what guards them; handler files are ours wherever they lie."""
    if values is not True:
        return []
    import os.path

    from hookwright import trust

    decisions = [place] if (place := trust.file()) else []
    options = {"folder": folder, "handlers": [os.path.normpath(name) for name in handlers], "decisions": decisions}
    return [
        ("PreToolUse", Binding("protection", "protectOwnFiles", compiled(tools), options=options, filter=tools))
        for tools in (TOOLS, SERVERS_TOOLS)  # apart, for a mere list of names is compared without `re`
    ]


def handle(event: "Event", binding: Binding, _allowed_s: float) -> Reply | None:
    """Deny what would change our files; no opinion on anything else."""
    by_words = event.raw.get("tool_name") == "Bash"
    touched = _named(event, binding.options["handlers"]) if by_words else _edited(event, binding.options)
    if not touched:
        return None
    reason = (
        f"{touched[-MOST_SHOWN:]} belongs to hookwright, which watches over this project, and protectOwnFiles is on in "
        "its config. If the change is wanted, ask the person to make it."
    )
    return Reply("deny", reason)


def _edited(event: "Event", options: "dict[str, Any]") -> str:
    """The first of our files that these edits would change, or ""."""
    for at, path in enumerate(_written_paths(event)):
        if at >= MOST_LOOKED_UP:
            return TOO_MUCH
        # Some clients take ".." out of a path as text, others follow links first.
        ways = {absolute(path, event.cwd), _as_given(path, event.cwd)}
        for real in {_real(way) for way in ways if len(way) <= LONGEST}:
            if _is_ours(real, options):
                return path
            if any(_same(real, _real(place)) for place in settings_places(options["folder"])):
                from hookwright.setup.settings_edits import changes_our_entries

                if changes_our_entries(event.raw, real):
                    return f"hookwright's part of {path}"
    return ""


def _written_paths(event: "Event") -> "Iterable[str]":
    """The files that a tool writes to; of a server's tool, whatever of its input may be a path."""
    name = str(event.raw.get("tool_name"))
    if not name.startswith("mcp__"):
        return named_paths(event)
    writes = any(word in name.rpartition("__")[2].lower() for word in _WRITING)
    texts = _short_texts(event.raw.get("tool_input")) if writes else []
    return [text for at, text in enumerate(texts) if at < MOST_FOLLOWED or any(sign in text.lower() for sign in _SIGNS)]


def _short_texts(given: object) -> list[str]:
    """The texts in a tool's input that are short enough for a path, at whatever depth."""
    found, left = [], [given]
    while left:
        value = left.pop()
        if isinstance(value, str) and 0 < len(value) <= LONGEST and "\n" not in value:
            found.append(value.removeprefix("file://"))
        elif isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
    return found


def _as_given(path: str, cwd: str) -> str:
    """The path as a client may take it: a home that is written short, blanks around it."""
    import os.path

    return os.path.join(cwd, os.path.expanduser(path.strip()))


def _is_ours(path: str, options: "dict[str, Any]") -> bool:
    import os.path

    folder = options["folder"]
    above, _, name = path.rpartition("/")
    if name.lower() in CONFIG_NAMES and f"{above}/".startswith(f"{_real(folder).rstrip('/')}/"):
        return True  # also one nearer to where the agent works, which would be taken in its place
    names = (OURS, *CONFIG_NAMES, *options["handlers"], *options["decisions"])
    places = [_real(os.path.join(folder, name)) for name in names]
    while len(path) > 1:
        if any(_same(path, place) for place in places):
            return True
        path = path.rpartition("/")[0]
    return False


def _same(path: str, other: str) -> bool:
    """Whether two paths are one file: by name, by a hard link, or where upper and lower case are one."""
    import os.path

    if path == other:
        return True
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return False


def settings_places(folder: str) -> list[str]:
    """The settings files in which we may stand."""
    home = posix.environ.get(b"CLAUDE_CONFIG_DIR") or posix.environ.get(b"HOME", b"") + b"/.claude"
    return [
        *(f"{folder.rstrip('/')}/{name}" for name in SETTINGS),
        f"{home.decode(errors='surrogateescape')}/settings.json",
    ]


def _real(path: str) -> str:
    import os.path

    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # no path at all, to any system
        return path


def _named(event: "Event", handlers: list[str]) -> str:
    """The first of our files that a shell command names without merely looking at it, or ""."""
    given = event.raw.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str):
        return ""
    plain = command.replace("\\\n", "").replace("\\", "").replace("'", "").replace('"', "")
    if not any(sign in plain for sign in (*_SIGNS, *(part for name in handlers for part in name.split("/")))):
        return ""
    from hookwright.shell_changes import changed_by, runs
    from hookwright.shell_words import TooMuch

    said = " ".join(plain.split())
    if any(f"hookwright {verb}" in said for verb in SWITCHING_OFF):
        return "What this command would change"
    names = (OURS, *CONFIG_NAMES, DECISIONS, *handlers, *SETTINGS)
    folders = {name.rpartition("/")[0] for name in (*handlers, *SETTINGS, f".config/{DECISIONS}")} - {""}
    try:
        if runs(command, "hookwright", SWITCHING_OFF):
            return "What this command would change"
        return changed_by(command, (*names, *_bare(names, event.cwd, plain)), tuple(sorted(folders)))
    except TooMuch:
        return TOO_MUCH


def _bare(names: "Sequence[str]", cwd: str, command: str) -> list[str]:
    """The last parts of names whose folder the command names too, or stands in already."""
    found = []
    for name in names:
        above, _, last = name.rpartition("/")
        if above and (f"/{cwd}/".endswith(f"/{above}/") or above.rpartition("/")[2] in command):
            found.append(last)
    return [*found, "journal.jsonl", "handlers.py", "handlers", "state"] if f"/{OURS}/" in f"{cwd}/" else found
