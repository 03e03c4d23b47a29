"""The config compiled in a scratch copy of its folder: the same rows as in earnest, and nothing written in the project.

The copy is made of links, with the files in it that are yet to be written.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hookwright import trust
from hookwright.bindings import Table
from hookwright.config import Reading, compile_config
from hookwright.errors import Refusal
from hookwright.paths import OURS


def compiled(config: Path, drafts: dict[Path, bytes]) -> Table:
    """The table of a config; `drafts` are files of the project that do not exist yet.

    Raises Refusal where the user wants to be asked first: to know what handlers bind, their files must be run.
    """
    if config not in drafts and not trust.allows(str(config), Reading(str(config), config.name).handler_names()):
        raise Refusal(f"{config.name} or its handlers are not as you approved them; run `hookwright trust` first.")
    with tempfile.TemporaryDirectory(prefix="hookwright-") as name:
        scratch = Path(name)
        (scratch / OURS).mkdir()
        _link(config.parent, scratch, {OURS})
        _link(config.parent / OURS, scratch / OURS, {"state", "journal.jsonl", ".gitignore"})
        for path, data in drafts.items():
            draft = scratch / path.relative_to(config.parent)
            draft.unlink(missing_ok=True)
            draft.write_bytes(data)
        return compile_config(str(scratch / config.name), trusted=True)


def _link(folder: Path, scratch: Path, left_out: set[str]) -> None:
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.name not in left_out:
            (scratch / entry.name).symlink_to(entry)
