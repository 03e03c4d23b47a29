"""The command lines that a settings file gets. None of them can deny anything once hookwright is gone.

`python missing.py` leaves with 2, and so does a shell at a syntax error; to an agent 2 means "block". So a file is
looked at before it is started.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import hookwright
from hookwright.errors import Refusal

LAUNCHER = "hookwright.sh"
LAUNCHER_MARK = b"#!/bin/sh\n# hookwright launcher"  # how the launcher of every version begins
_TEMPORARY = ("/uv/archive-v", "/.cache/uv/", "/.cache/pipx/", "/pipx/.cache/")


def of_this_machine(python: str = "", boot: str = "") -> str:
    """For settings that stay here: this interpreter and this package, by their absolute paths."""
    python, boot = python or sys.executable, boot or boot_file()
    gone = f"hookwright is gone from {Path(boot).parent}; run: hookwright uninstall"
    tests = (("-f", boot), ("-r", boot), ("-f", python), ("-x", python))  # a folder is "executable" too
    found = " && ".join(f"[ {test} {quoted(path)} ]" for test, path in tests)
    return f"{found} || {{ echo {quoted(gone)} >&2; exit 0; }}; exec {quoted(python)} -I -S {quoted(boot)}"


def of_the_project() -> str:
    """For settings that colleagues share: the launcher beside them; a torn one (a merge conflict) is not started."""
    return _checked(f"${{CLAUDE_PROJECT_DIR:-.}}/.claude/{LAUNCHER}")


def of_the_plugin() -> str:
    """For a plugin's hooks: the launcher inside it."""
    return _checked(f"${{CLAUDE_PLUGIN_ROOT}}/hooks/{LAUNCHER}")


def _checked(path: str) -> str:
    torn = 'echo "$launcher is missing or torn; to mend it: hookwright sync" >&2; exit 0'
    whole = '[ -s "$launcher" ] && /bin/sh -n "$launcher" 2>/dev/null'
    return f'launcher="{path}"; {whole} || {{ {torn}; }}; exec /bin/sh "$launcher"'


def boot_file() -> str:
    """The file that an agent starts."""
    return str(Path(os.path.abspath(hookwright.__file__)).with_name("boot.py"))


def found_here() -> str:
    """What the launcher remembers of an installation: this one."""
    found = (sys.executable, boot_file())
    if any("\n" in path for path in found):
        raise Refusal(f"{found} cannot be remembered: a path has a line end in it. Install hookwright elsewhere.")
    return "".join(f"{path}\n" for path in (*found, ""))  # the third line is HOOKWRIGHT_PYTHON, which was not needed


def launcher() -> bytes:
    """The launcher's text."""
    return Path(__file__).with_name("launcher.sh").read_bytes()


def quoted(path: str) -> str:
    """A word for the shell. Raises Refusal for what no settings file can hold."""
    if not path or "\n" in path or "\0" in path or not path.isprintable() or _has_surrogates(path):
        raise Refusal(f"{path!r} cannot be written into a command line. Install hookwright in another folder.")
    return "'" + path.replace("'", "'\\''") + "'"


def _has_surrogates(path: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in path)


def is_temporary(command: str) -> bool:
    """Whether a command line names an installation that its tool may clear away (uvx, pipx run)."""
    return any(part in command for part in _TEMPORARY)
