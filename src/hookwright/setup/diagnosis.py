"""The doctor's checks: a row each. `docs/troubleshooting.md` is printed from the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hookwright.setup import checks, resident_check, seen_check
from hookwright.setup.checks import Finding
from hookwright.setup.facts import Facts


class Check(NamedTuple):
    """One thing that is looked at, and what to tell people who search for the symptom."""

    name: str
    look: Callable[[Facts], Iterator[Finding]]
    symptom: str
    cause: str
    mend: str


CHECKS = (
    Check(
        "agent",
        checks.agent,
        "Events or fields that the documentation names never come.",
        "Claude Code is missing, or older than the version that has them.",
        "claude update",
    ),
    Check(
        "config",
        checks.config,
        "I changed the config and nothing changed; or: `what was last good is kept` on stderr.",
        "The config has a mistake, so the last good one is still at work.",
        "hookwright check",
    ),
    Check(
        "approval",
        checks.approval,
        "`not as you approved them` on stderr; a handler or command no longer runs.",
        "You require approval (`hookwright trust --require`), and the config, a handler or a file beside it changed.",
        "hookwright trust",
    ),
    Check(
        "settings",
        checks.settings,
        "No hook fires at all, and deny rules of the same file have stopped working too.",
        "One invalid entry under PreToolUse or PermissionRequest makes Claude Code drop the whole settings file, "
        "without a word. So does a comment or a trailing comma. The client's doctor names the line.",
        "claude doctor",
    ),
    Check(
        "registered",
        checks.registered,
        "A section was added to the config and its event never comes; a guard lets things through; or no hook fires.",
        "Only events that the config gives something to do are registered. The registration is older than the config, "
        "or one of our entries was altered: another matcher, `if`, `async`, `shell` ...",
        "hookwright sync",
    ),
    Check(
        "folder",
        checks.folder,
        "Hooks fire in the project's folder and not when Claude Code is started in a folder below it.",
        "Claude Code reads .claude/settings.json only from the folder it is started in, not from those above. Start "
        "it there, or register for all folders.",
        "hookwright init --scope user",
    ),
    Check(
        "twice",
        checks.twice,
        "Every command runs twice; every message comes twice.",
        "hookwright is registered in two scopes, or in settings and as a plugin.",
        "hookwright uninstall --scope local",
    ),
    Check(
        "command",
        checks.command,
        "The hook is registered, the client starts it, and nothing is in the journal.",
        "The interpreter or the package that was registered is gone, or the launcher finds no hookwright. Doctor "
        "starts only command lines that it would have written itself; another one is shown, not run.",
        "hookwright init",
    ),
    Check(
        "interpreter",
        checks.interpreter,
        "It works for me and not for a colleague.",
        "The launcher finds no hookwright on their machine: not in .venv or venv, not on PATH, not with pipx or uv, "
        "and HOOKWRIGHT_PYTHON names none. Install it in one of these places, from a clone of its repository.",
        "pipx install .",
    ),
    Check(
        "resident",
        resident_check.look,
        '`HTTP 401` or `ECONNREFUSED` beside a hook\'s name; tool calls are blocked because `onFailure is "block"`.',
        "The resident server was killed, or its token file removed. The next prompt starts it again.",
        "hookwright resident start",
    ),
    Check(
        "disabled",
        checks.disabled,
        "No hook of anybody fires.",
        "disableAllHooks is set, an administrator allows managed hooks only (managed-settings.json or a file in "
        "managed-settings.d), or the client runs with --bare or "
        "--safe-mode. Remove the setting that doctor names.",
        "hookwright doctor",
    ),
    Check(
        "trust",
        checks.trusted_folder,
        "Hooks fire with `claude -p` and not in an interactive session.",
        "The folder has not been trusted; until then an interactive session runs no hooks of any settings file. Start "
        "a session here and accept.",
        "claude",
    ),
    Check(
        "timeouts",
        checks.timeouts,
        "A slow command is cut off, or its refusal is not heeded.",
        "Claude Code waits 600 s, on UserPromptSubmit and model switches 30 s, on MessageDisplay 10 s, on "
        "SessionEnd 1.5 s; a hook that it times out counts as silence. Give the command a lower `timeout`, or "
        "`background: true`.",
        "hookwright journal stats",
    ),
    Check(
        "seen",
        seen_check.look,
        "I do not know whether a hook has ever fired.",
        "Every event that reaches hookwright is a line in the journal. An event that the last conversation's "
        "transcript proves, and that the journal lacks, is named.",
        "hookwright journal tail -f",
    ),
)


def examined(facts: Facts) -> list[tuple[Check, list[Finding]]]:
    """Every check with what it found."""
    return [(check, list(check.look(facts))) for check in CHECKS]


_PAGE = """\
# Troubleshooting

<!-- Printed from the rows in src/hookwright/setup/diagnosis.py; after a change run `make docs`. -->

`hookwright doctor` looks at all of this in one go and says what to do; `hookwright doctor --json` is for CI (exit 0
when nothing is red). Find your symptom:

| symptom | cause | command to run | doctor's line |
|---|---|---|---|
{rows}

To see what an event comes to without an agent: `hookwright fire EVENT`. To see what came: `hookwright journal tail`.
To see the client's own view: `claude --debug-file log ...`, then look for `hook` in `log`.
"""


def markdown() -> str:
    """The page."""
    rows = [f"| {check.symptom} | {check.cause} | `{check.mend}` | {check.name} |" for check in CHECKS]
    return _PAGE.format(rows="\n".join(rows))
