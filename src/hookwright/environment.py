"""What a command is told about its event: variables, and files for values too large to be one.

Payload values reach a command only here and on its stdin; they are never part of the script.
"""

import posix
import time

from hookwright.paths import make_folders, make_own, state_folder
from hookwright.wire import encode, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.events import Event

PREFIXES = (b"CONCLAUDE_", b"HOOKWRIGHT_")
SPILL_ABOVE_BYTES = 100 * 1024  # Linux takes 128 KB for one variable, name included
ROOM_BYTES = 512 * 1024  # for all of ours together; macOS takes 1 MB for everything
FIELDS_LIMIT = 100
FORGOTTEN_AFTER_S = 24 * 3600
OTHERWISE_NAMED = ("tool_response", "hook_event_name")  # TOOL_OUTPUT, HOOK_EVENT

# The promised names: no field of a payload stands for one of them, and a hook that runs inside another hook's command
# does not pass that one's on.
OWN = "TOOL_NAME TOOL_INPUT TOOL_OUTPUT TOOL_TIMESTAMP TOOL_USE_ID SESSION_ID CWD CONFIG_DIR HOOK_EVENT TRANSCRIPT_PATH"


def environment(event: "Event", folder: str, extra: dict[str, str]) -> tuple[dict[bytes, bytes], list[str]]:
    """The variables of a command, and the files that some of them point to; the caller removes those."""
    own = {prefix + name.encode() for prefix in PREFIXES for name in OWN.split()}
    variables = {name: value for name, value in posix.environ.items() if name not in own}
    values = {name: as_bytes(text) for name, text in _values(event, folder).items()}
    files = _spill(values, folder, _room(variables))
    for name, value in values.items():
        for prefix in PREFIXES:
            variables[prefix + name.encode()] = value
    variables.update({as_bytes(name): as_bytes(str(value)) for name, value in extra.items()})
    return variables, files


def payload(event: "Event") -> bytes:
    """The whole payload, for a command's stdin."""
    return to_json(event.raw).encode()


def to_json(value: object) -> str:
    """JSON that always can be written: a number beyond all bounds (1e999) is null."""
    try:
        return encode(value)
    except ValueError:
        return encode(_finite(value))


def as_bytes(text: str) -> bytes:
    """A text as a variable can hold it: no NUL, no half characters; a path's odd bytes stay what they are."""
    text = text.replace("\0", "\ufffd")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def private_file(folder: str) -> tuple[int, str]:
    """A new file that nobody else can read: in the project's state folder, else in one of its own -> (fd, path)."""
    config = f"{folder.rstrip('/')}/."
    name = posix.urandom(8).hex()
    try:
        make_folders(config)
        spill = f"{state_folder(config)}/spill"
        make_own(spill)
        _sweep(spill)
    except OSError:
        temporary = posix.environ.get(b"TMPDIR", b"/tmp").decode("utf-8", "surrogateescape")
        spill = f"{temporary.rstrip('/')}/hookwright-{name}"
        posix.mkdir(spill, 0o700)
    path = f"{spill}/{name}"
    return posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600), path


def remove(files: list[str]) -> None:
    """Take spilled files away again, with the folder where it was made for one of them."""
    for path in files:
        folder = path.rpartition("/")[0]
        try:
            posix.unlink(path)
            if folder.rpartition("/")[2].startswith("hookwright-"):
                posix.rmdir(folder)
        except OSError:  # the command has done it
            continue


def _values(event: "Event", folder: str) -> dict[str, str]:
    """Names derived from the payload's fields, and over them the ones that are promised."""
    values: dict[str, str] = {}
    for field, value in list(event.raw.items())[:FIELDS_LIMIT]:
        if value is not None and field not in OTHERWISE_NAMED and field.isidentifier() and field.isascii():
            values[_name(field)] = value if isinstance(value, str) else to_json(value)
    for name in OWN.split():
        values.pop(name, None)
    return values | _promised(event, folder)


def _promised(event: "Event", folder: str) -> dict[str, str]:
    values = {
        "SESSION_ID": event.session_id,
        "CWD": event.cwd,
        "CONFIG_DIR": folder,
        "HOOK_EVENT": event.event_name,
        "TRANSCRIPT_PATH": event.transcript_path,
    }
    if event.tools == "one":
        values["TOOL_NAME"] = getattr(event, "tool_name", "")
        values["TOOL_INPUT"] = to_json(event.raw.get("tool_input", {}))
        values["TOOL_TIMESTAMP"] = _now()
        if getattr(event, "tool_use_id", ""):
            values["TOOL_USE_ID"] = getattr(event, "tool_use_id", "")
        if hasattr(event, "tool_response"):
            values["TOOL_OUTPUT"] = to_json(event.raw.get("tool_response"))
    return values


def _name(field: str) -> str:
    """lastAssistantMessage, last_assistant_message -> LAST_ASSISTANT_MESSAGE."""
    if field.islower():
        return field.upper()
    spaced = "".join(
        f"_{char}" if char.isupper() and before.islower() else char
        for before, char in zip(" " + field, field, strict=False)
    )
    return spaced.upper()


def _now() -> str:
    """The time with its zone, as ISO 8601 has it."""
    now = time.time()
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now * 1000) % 1000:03}+00:00"


def _room(inherited: dict[bytes, bytes]) -> int:
    """How many bytes our values may take; half of what the system leaves, for a command starts programs too."""
    taken = sum(len(name) + len(value) + 10 for name, value in inherited.items())
    return min(ROOM_BYTES, max(0, posix.sysconf("SC_ARG_MAX") - taken) // 2)


def _spill(values: dict[str, bytes], folder: str, room: int) -> list[str]:
    """Move values into files, the largest first, until each and all of them together fit."""
    files: list[str] = []
    total = len(PREFIXES) * sum(len(name) + len(value) + 30 for name, value in values.items())
    for name in sorted(values, key=lambda name: len(values[name]), reverse=True):
        size = len(values[name])
        if size <= SPILL_ABOVE_BYTES and (total <= room or size < 1024):
            break
        fd, path = private_file(folder)
        files.append(path)
        try:
            write_all(fd, values[name])
        finally:
            posix.close(fd)
        values[name] = as_bytes(encode({"spilled": path, "bytes": size}))
        total -= len(PREFIXES) * (size - len(values[name]))
    return files


def _sweep(folder: str) -> None:
    """Files of a hook that was killed before it could take them away."""
    now = time.time()
    for name in posix.listdir(folder):
        try:
            if now - posix.stat(f"{folder}/{name}").st_mtime > FORGOTTEN_AFTER_S:
                posix.unlink(f"{folder}/{name}")
        except OSError:  # another hook was faster
            continue


def _finite(value: "Any") -> "Any":
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_finite(member) for member in value]
    return None if isinstance(value, float) and value - value != 0 else value
