"""Where a resident server was chosen: what the project's local settings hold of it.

While it runs, events are sent to it; while it does not, they are commands: so nothing is lost between an end and the
next start, and no settings file leads to a port that somebody else may have by now.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hookwright.agents.over_http import BY_COMMAND
from hookwright.errors import Refusal
from hookwright.events import BY_NAME
from hookwright.resident import state
from hookwright.resident.start import ADDRESS
from hookwright.resident.upkeep import LOOKS_AFTER
from hookwright.setup import command_line, registration
from hookwright.setup.registration import Bound
from hookwright.setup.settings import FORMAT, MARK, Entry, Group

SCOPE = "local"  # a port and a token are of one machine and one user
_BOOT = "/resident/boot.py"
_UNASKED = LOOKS_AFTER.keys() - {"Setup"}  # registered whatever the config binds; after a Setup comes a SessionStart


def chosen(entries: list[Entry]) -> bool:
    """Whether these entries are for a resident server, running or not."""
    return any(is_sent(entry.handler) or _BOOT in str(entry.handler.get("command")) for entry in entries)


def is_sent(handler: dict[str, Any]) -> bool:
    """Whether an entry of ours leads to a server; it then holds the token."""
    return handler.get("type") == "http"


def command(project: Path) -> str:
    """The command line of the events that are not sent."""
    boot = command_line.boot_file().removesuffix("/boot.py") + _BOOT
    return f"{command_line.of_this_machine(boot=boot)} {command_line.quoted(str(project))}"


def groups(wanted: Bound, project: Path) -> dict[str, Group]:
    """What a config asks for; beside that the events that look after the server."""
    closed = {event for event, bound in wanted.items() if BY_NAME[event].decides and _fails_closed(bound)}
    matchers = {event: registration.matcher(event, bound) for event, bound in wanted.items()}
    reached = bool(state.running(str(project)) and state.token(str(project)))
    return _groups({**dict.fromkeys(_UNASKED), **matchers}, closed, project, reached)


def _fails_closed(bound: list[Any]) -> bool:
    return any(binding.on_error == "block" for binding in bound)


def switched(standing: list[Entry], project: Path, to_server: bool) -> dict[str, Group]:
    """The same registration, sent to the server or not."""
    closed = {entry.event for entry in standing if entry.handler.get("onFailure") == "block"}
    return _groups({entry.event: entry.matcher for entry in standing}, closed, project, to_server)


def _groups(matchers: dict[str, str | None], closed: set[str], project: Path, to_server: bool) -> dict[str, Group]:
    by_command = {"type": "command", "command": command(project)}
    sent = _sent(project) if to_server else by_command
    found = {}
    for event in sorted(matchers, key=list(BY_NAME).index):
        handler = {**(by_command if event in BY_COMMAND else sent), MARK: FORMAT}
        if event in closed:
            handler["onFailure"] = "block"
        matcher = matchers[event]
        found[event] = ({} if matcher is None else {"matcher": matcher}) | {"hooks": [handler]}
    return found


def _sent(project: Path) -> dict[str, Any]:
    port, token = state.running(str(project)).get("port"), state.token(str(project))
    if not port or not token:
        raise Refusal(f"the resident server of {project} does not run. Start it with `hookwright resident start`.")
    # In a header, not in the address: the client shows addresses to people and to the model.
    return {"type": "http", "url": f"http://{ADDRESS}:{port}/hook", "headers": {"Authorization": f"Bearer {token}"}}


def refuse_unless_private(settings: Path, project: Path) -> None:
    """Raise Refusal where git would take the file that is going to hold the token."""
    git = shutil.which("git")
    if git is None or not any((folder / ".git").exists() for folder in (project, *project.parents)):
        return
    asked = subprocess.run([git, "-C", str(project), "check-ignore", "--quiet", str(settings)], check=False)
    if asked.returncode == 1:
        shown = settings.relative_to(project)
        raise Refusal(f"git does not ignore {shown}, which would hold a token. Add it to .gitignore, run this again.")
