"""The setup verbs, run as a user runs them: in a process of their own, with a home of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import hookwright
from hookwright.setup import changes, install

PACKAGE = Path(hookwright.__file__).parent
_MAIN = "import sys; sys.path.insert(0, {source!r}); from hookwright.cli import main; sys.exit(main())"


@dataclass
class Said:
    """What a verb said."""

    out: str
    err: str
    code: int


def verb(*words: str, cwd: Path, home: Path, source: Path = PACKAGE.parent, **env: str) -> Said:
    """Run `hookwright WORDS`; `source` is the folder the package is taken from."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", _MAIN.format(source=str(source)), *words],
        cwd=cwd,
        env={**kept, "HOME": str(home), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Said(done.stdout, done.stderr, done.returncode)


def register(project: Path, config: str = "") -> None:
    """What `hookwright init --scope local` does, in this process; HOME is the test's affair."""
    if config:
        (project / ".hookwright.yaml").write_text(config)
    changes.apply(install.to_install(project, "local", None).changes)


def alter(project: Path, event: str, **keys: object) -> None:
    """Change our entry on an event in the local settings; `matcher` is the group's, anything else the handler's."""
    path = project / ".claude/settings.local.json"
    document = json.loads(path.read_bytes())
    group = document["hooks"][event][0]
    for key, value in keys.items():
        (group if key == "matcher" else group["hooks"][0])[key] = value
    path.write_text(json.dumps(document))
