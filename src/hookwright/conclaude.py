"""What a `.conclaude.yaml` says in another way, or says at all, than a `.hookwright.yaml`.

Its commands carry over. Its other keys are known by name, so that a file brought along checks clean: they are warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from yaml.nodes import MappingNode, Node

from hookwright.events import lower_camel
from hookwright.records import Row, unique
from hookwright.shapes import Report, Shape, glob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.events import Event

NOT_ACTED_ON = "not acted on by hookwright"

# section ("" for the whole file) -> keys that conclaude knows and we do not act on
KEYS = {
    "": "notifications rules gitWorktree",
    "stop": "infinite infiniteMessage rounds",
    "preToolUse": "preventRootAdditions preventRootAdditionsMessage uneditableFiles preventUpdateGitIgnored "
    "toolUsageValidation preventAdditions preventGeneratedFileEdits generatedFileMessage",
    "permissionRequest": "default allow deny",
    "userPromptSubmit": "contextRules slashCommands",
    "messageDisplay": "onlyFinal",
    "worktreeCreate": "command timeout",
}
COMMAND_KEYS = ("notifyPerCommand",)
# A command with a filter that we cannot apply would run where it was not meant to: it is left out.
COMMAND_FILTERS = ("pattern", "caseInsensitive", "skill")

# There a command that fails in any way keeps the agent from stopping; everywhere else only exit 2 blocks.
BLOCKING = "stop"

# Sections whose patterns conclaude tries on something else than the event's matcher field.
OTHER_SUBJECT = {"fileChanged": "the whole path", "instructionsLoaded": "the memory type"}


def is_one(path: str) -> bool:
    """Whether a config is conclaude's."""
    return path.rpartition("/")[2].startswith(".conclaude.")


def ignored(section: str) -> dict[str, str]:
    """Key -> what to say about it."""
    told = {key: NOT_ACTED_ON for key in KEYS.get(section, "").split()}
    if not section:
        told["skillStart"] = f'{NOT_ACTED_ON}; write its commands under "subagentStart"'
    return told


def defaults(section: str) -> dict[str, str]:
    """Command key -> its default here, where that is another one than ours."""
    return {"shell": _shell()} | ({"onError": "block"} if section == BLOCKING else {})


@cache
def _shell() -> str:
    """conclaude runs everything with bash, so that is what its commands are written for."""
    import shutil  # brings bz2 and lzma: a tenth of what compiling a config costs

    return shutil.which("bash") or "/bin/sh"


def command(ours: Shape, section: str) -> Shape:
    """One command; with a filter that we cannot apply it is left out."""

    def read(node: Node, at: str, report: Report) -> Any:
        value = ours.read(node, at, report)
        given = [pair[0] for pair in node.value] if isinstance(node, MappingNode) else []
        if any(key.value in COMMAND_FILTERS for key in given):
            report.left_out.add(at)
        if value and section == BLOCKING and "\n" in (value["run"] or "").strip():
            value["run"] = f"set -e\n{value['run']}"  # to conclaude each line is a command, and any of them can block
        return value

    return Shape(read, ours.schema, ours.words)


def ignored_in_command() -> dict[str, str]:
    """Key of a command -> what to say about it."""
    left_out = f"{NOT_ACTED_ON}: a filter we do not have, so this command is left out"
    return {key: NOT_ACTED_ON for key in COMMAND_KEYS} | {key: left_out for key in COMMAND_FILTERS}


def commands(ours: Shape, event: type[Event]) -> Shape:
    """The commands of a section: a list as ours, or lists under patterns."""
    section = lower_camel(event.__name__)

    def read(node: Node, at: str, report: Report) -> Any:
        if not isinstance(node, MappingNode):
            return ours.read(node, at, report)
        found = {}
        for pattern, key, value in unique(node, at, report):
            inside = f"{at}.{pattern}"
            glob().read(key, inside, report)
            found[pattern] = report.read(ours, value, inside) or []
            entries = [f"{inside}[{index}]" for index in range(len(found[pattern]))]
            for entry in entries:
                if f"{entry}.match" in report.marks or f"{entry}.tool" in report.marks:
                    report.problem(key, entry, "is filtered twice: by its own filter, and by the pattern above it")
            if pattern != "*" and not _same_subject(section, event):
                subject = OTHER_SUBJECT.get(section, "something this event cannot be filtered by")
                report.warning(key, inside, f"{NOT_ACTED_ON}: conclaude tries it on {subject}; left out")
                report.left_out.update(entries)
        return found

    return Shape(read, ours.schema, ours.words)


def _same_subject(section: str, event: type[Event]) -> bool:
    return bool(event.matches) and section not in OTHER_SUBJECT


def rows(ours: Sequence[Row], section: str) -> tuple[Row, ...]:
    """Our command rows with conclaude's defaults."""
    other = defaults(section)
    return tuple(_with_default(row, other.get(row.name, row.default)) for row in ours)


def _with_default(row: Row, default: Any) -> Row:
    return Row(row.name, row.shape, row.help, default, row.required)
