"""The files that `init` gives a project without a config: few lines that guard at once, the rest as comments to try."""

from __future__ import annotations

import json
from pathlib import Path

from hookwright.config_docs import SCHEMA_COMMENT, json_schema
from hookwright.paths import CONFIG_NAMES, OURS
from hookwright.setup.detection import LANGUAGES, Found, Language

HANDLERS = f"{OURS}/handlers.py"
SCHEMA = f"{OURS}/schema.json"
WRITTEN = f"{OURS}/state/written.json"  # what of this `init` wrote here
SCHEMA_MARK = b'"title": "hookwright config"'


def files(project: Path, found: list[Found]) -> dict[Path, bytes]:
    """The config and its handlers."""
    return {project / CONFIG_NAMES[0]: config(found).encode(), project / HANDLERS: handlers(found).encode()}


def schema() -> bytes:
    """What the config's first line points editors to."""
    return json.dumps(json_schema(), indent=1).encode() + b"\n"


def config(found: list[Found]) -> str:
    """A `.hookwright.yaml`."""
    auto_test = _AUTO_TEST.format(runners=_runners(found))
    example = _EXAMPLE.format(lint=_first(found).lint, files=_first(found).files)
    auto_test = auto_test if any(each.runner for each in found) else _as_comment(auto_test)
    return _CONFIG.format(schema=SCHEMA_COMMENT, auto_test=auto_test, example=_as_comment(example))


def handlers(found: list[Found]) -> str:
    """A `.hookwright/handlers.py` with the guards that fit the project's languages."""
    languages = [each.language for each in found] or list(LANGUAGES)
    locks = [f'    "{name}": "{command}",\n' for language in languages for name, command in language.locks.items()]
    return _HANDLERS.format(locks="".join(locks))


def _first(found: list[Found]) -> Language:
    return found[0].language if found else LANGUAGES[0]


def _runners(found: list[Found]) -> str:
    named = [each.runner for each in found if each.runner]
    return f" (here: {', '.join(named)})" if named else ""


def _as_comment(text: str) -> str:
    return "".join(line if line.startswith("#") else f"# {line}" for line in text.splitlines(keepends=True))


_CONFIG = """\
{schema}
# What hookwright does in this project. `hookwright check` finds mistakes, `hookwright fire EVENT` tries an event by
# hand, `hookwright doctor` tells whether it all works. After using a new event here: `hookwright sync`.

# Guards written in Python: no force-push, and a question before .env and lock files are edited by hand.
handlers:
  - .hookwright/handlers.py

# The agent may not change this file, its handlers, the journal, or hookwright's entries in the agent's settings.
protectOwnFiles: true

{auto_test}
{example}"""

_AUTO_TEST = """\
# After edits, run the tests that they affect{runners} and tell the model how they went.
# It refuses nothing, ends after `budget` seconds (10) and is silent where nothing is to be run; `hookwright test` does
# the same by hand.
autoTest:
  enabled: true
"""

_EXAMPLE = """\
# A command on an event; on an event that decides, exit 2 refuses and stderr is the reason.
postToolUse:
  commands:
    - run: {lint}
      tool: "{{Edit,Write}}"
      files: ["{files}"]
      timeout: 30
"""

_HANDLERS = '''\
"""What the agent may not do in this project.

Try it: hookwright fire PreToolUse --tool Bash --input '{{"command": "git push --force"}}'
"""

from hookwright import ask, deny, on

# Files that a tool writes -> the command that does.
WRITTEN_BY = {{
{locks}}}
SECRETS = (".env", ".envrc", ".netrc", ".npmrc", ".pypirc")


@on.PreToolUse(tool="Bash")
def no_force_push(event):
    """Nobody's pushed work is overwritten by accident; --force-with-lease stays possible."""
    command = str(event.tool_input.get("command", ""))
    for separator in ("&&", "||", "|", "\\n"):
        command = command.replace(separator, ";")
    for part in command.split(";"):
        words = part.split()
        if "git" in words and "push" in words[words.index("git") :]:
            after = words[words.index("push") + 1 :]
            if any(word in ("--force", "-f", "--mirror") or word.startswith("+") for word in after):
                return deny("Force-push is not allowed in this project. Use --force-with-lease, or ask the person.")


@on.PreToolUse(tool="{{Edit,Write,NotebookEdit}}")
def ask_before_secrets_and_locks(event):
    """Secrets belong to people, lock files to their tools."""
    name = str(event.tool_input.get("file_path") or event.tool_input.get("notebook_path") or "").rpartition("/")[2]
    if name in WRITTEN_BY:
        return ask(f"{{name}} is written by `{{WRITTEN_BY[name]}}`; edit it by hand all the same?")
    if name in SECRETS or (name.startswith(".env.") and not name.endswith((".example", ".sample", ".template"))):
        return ask(f"{{name}} may hold secrets; let the agent write it?")
'''
