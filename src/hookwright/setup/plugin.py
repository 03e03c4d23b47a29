"""A Claude Code plugin, generated from our own tables: hooks for every project with a config, commands, a skill."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hookwright import __version__, suite
from hookwright.errors import Refusal
from hookwright.setup import changes, command_line, registration
from hookwright.setup.changes import Change

NAME = "hookwright"
MANIFEST = ".claude-plugin/plugin.json"
WRITTEN = ".claude-plugin/written.json"  # what a build wrote, so that the next one can take away what it does not write
ABOUT = "Answers every hook event of Claude Code in projects that have a .hookwright.yaml, tests included."
AUTHOR = {"name": "hookwright"}
MODULE = "hooks/register.js"
MODULE_SINCE = (2, 1, 287)  # the first client that reads one; it is early access, and everything works without it


def takes_module(client_version: tuple[int, ...]) -> bool:
    """Whether the plugin should carry the hooks module; where no client tells its version, it may be a new one."""
    return not client_version or client_version >= MODULE_SINCE


def to_build(folder: Path, with_module: bool = True) -> list[Change]:
    """The plugin's files, and those of an earlier build that are none any more. Raises Refusal for a folder that holds
    something else, and where a link leads out of it."""
    _ours_or_empty(folder)
    wanted = {
        MANIFEST: _json(_manifest()),
        ".claude-plugin/marketplace.json": _json(_marketplace()),
        "hooks/hooks.json": _json({"description": ABOUT, "hooks": hooks()} | _modules(with_module)),
        f"hooks/{command_line.LAUNCHER}": command_line.launcher(),
    }
    if with_module:
        wanted[MODULE] = Path(suite.__file__).with_name("mod.js").read_bytes()
    pages = Path(__file__).with_name("plugin_files")
    wanted |= {str(page.relative_to(pages)): page.read_bytes() for page in sorted(pages.rglob("*.md"))}
    wanted[WRITTEN] = _json({name: changes.digest(data) for name, data in wanted.items()})
    leading_out = next((name for name in wanted if not _is_inside(folder, name)), None)
    if leading_out:
        raise Refusal(
            f"{folder / leading_out} leads elsewhere through a link. Nothing was changed; name another folder."
        )
    planned = [Change(folder / name, changes.content(folder / name), data) for name, data in wanted.items()]
    return _left_over(folder, wanted) + planned


def _modules(wanted: bool) -> dict[str, list[str]]:
    return {"modules": [f"./{Path(MODULE).name}"]} if wanted else {}


def _left_over(folder: Path, wanted: dict[str, bytes]) -> list[Change]:
    """The files of an earlier build that this one does not write, as long as nobody has changed them."""
    written = changes.listed(folder / WRITTEN)
    ours = [name for name in written if name not in wanted and _is_inside(folder, name) and (folder / name).is_file()]
    old = [(folder / name, written[name], changes.content(folder / name) or b"") for name in ours]
    return [Change(path, data, None) for path, digest, data in old if changes.digest(data) == digest]


def _is_inside(folder: Path, name: str) -> bool:
    return os.path.realpath(folder / name) == f"{os.path.realpath(folder)}/{name}"


def hooks() -> dict[str, Any]:
    """Every event but those whose mere registration changes the agent: a plugin does not know the project's config."""
    command = command_line.of_the_plugin()
    return {event: [registration.group(command)] for event in registration.harmless_events()}


def _manifest() -> dict[str, Any]:
    return {
        "name": NAME,
        "version": __version__,
        "description": ABOUT,
        "author": AUTHOR,
        "license": "MIT",
        "keywords": ["hooks", "testing", "guardrails"],
    }


def _marketplace() -> dict[str, Any]:
    entry = {"name": NAME, "source": "./", "description": ABOUT}
    return {"name": NAME, "description": "hookwright's own plugin.", "owner": AUTHOR, "plugins": [entry]}


def _json(document: object) -> bytes:
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def _ours_or_empty(folder: Path) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    manifest = changes.content(folder / MANIFEST) if folder.is_dir() else None
    try:
        name = json.loads(manifest or b"{}").get("name")
    except (ValueError, AttributeError):
        name = None
    if name != NAME:
        raise Refusal(f"{folder} holds something else. Name an empty folder, or one with an earlier build.")
