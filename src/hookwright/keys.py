"""Every key of the config: one row each. The checker, the schema, the docs page and the defaults come from them."""

from __future__ import annotations

from functools import cache

from yaml.nodes import Node

from hookwright import conclaude, shapes
from hookwright.events import BY_NAME, Event, canonical, lower_camel
from hookwright.records import Row, camel, map_of, record
from hookwright.shapes import Report, Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECTIONS = {lower_camel(name): name for name in BY_NAME}  # section -> event

COMMAND = (
    Row("run", shapes.text(), "The script. Several lines stay one script.", required=True),
    Row("tool", shapes.glob(), "Run only for tools whose name fits this glob.", "*"),
    Row("match", shapes.glob(), "Run only when the event's own matcher field fits this glob.", "*"),
    Row("files", shapes.path_globs(), "Run only when an edited file fits these gitignore-style patterns."),
    Row("showCommand", shapes.flag(), "Show the person which command ran.", True),
    Row("showStdout", shapes.flag(), "Show the command's standard output.", False),
    Row("showStderr", shapes.flag(), "Show the command's standard error.", False),
    Row("maxOutputLines", shapes.number(1, 10_000, whole=True), "Show at most this many lines of each stream."),
    Row("timeout", shapes.number(1, 3600, " of seconds"), "End the command and all its children after this time."),
    Row(
        "onError",
        shapes.choice("continue", "block"),
        "What a failure other than exit 2 does on an event that can be blocked.",
        "continue",
    ),
    Row("message", shapes.text(blank=True), "The reason given for a block, in place of the command's output."),
    Row("env", map_of(shapes.text(blank=True), "a mapping of names to text", "=\0"), "More environment variables."),
    Row("background", shapes.flag(), "Start it and go on at once; how it ended is in the journal.", False),
    Row("shell", shapes.text(), "The program that runs the script.", "/bin/sh"),
)

_OF_A_PROJECT = (
    Row(
        "budget", shapes.number(1, 3600, " of seconds"), "How long a run may take; the default depends on the language."
    ),
    Row("exclude", shapes.list_of(shapes.text()), "Gitignore-style patterns of tests that are never selected."),
    Row(
        "commands",
        map_of(shapes.list_of(shapes.text()), "a mapping of languages to commands"),
        "The test command of a language; {tests} stands for the selected tests.",
    ),
    Row(
        "background",
        shapes.flag(),
        "Let a detached run do what the budget cut off; the next event tells its outcome.",
        False,
    ),
    Row("warm", shapes.flag(), "Start pytest ahead of the next edit; it waits for 15 minutes and runs once.", False),
    Row(
        "leaveOut",
        shapes.list_of(shapes.text()),
        "Marks of tests that only `hookwright test --all` runs; by default slow and integration.",
    ),
    Row("maxCharacters", shapes.number(200, 10_000, whole=True), "The longest message.", 1000),
)

AUTO_TEST = (
    Row("enabled", shapes.flag(), "Whether affected tests are run at all.", True),
    Row(
        "when",
        shapes.choice("edit", "batch", "stop"),
        "After each edit, each batch of tool calls, or the turn.",
        "batch",
    ),
    *_OF_A_PROJECT,
    Row("gate", shapes.choice("stop"), "Keep the agent from stopping while affected tests fail."),
    Row(
        "projects",
        map_of(  # without defaults: where one is silent, the config's word holds
            record([Row(row.name, row.shape, row.help) for row in _OF_A_PROJECT], "a mapping of settings"),
            "a mapping of folders to their settings",
        ),
        f"Settings of single projects by their folders, relative to this file: "
        f"{', '.join(row.name for row in _OF_A_PROJECT)}.",
    ),
)

SUITE = (
    Row(
        "delivery",
        shapes.choice("additionalContext", "replace"),
        "How an action reaches the model.",
        "additionalContext",
    ),
    Row("drive", shapes.choice("self", "manual"), "Whether a run goes on by itself, or waits for words.", "manual"),
)


def takes_tool(event: type[Event]) -> bool:
    """Whether `tool` filters this event: it is about one tool call, or a batch of them."""
    return bool(event.tools)


def command_rows(event: type[Event]) -> tuple[Row, ...]:
    """The keys of a command on this event."""
    absent = {"tool", "files"} if not takes_tool(event) else set()
    absent |= {"match"} if not event.matches else set()
    return tuple(row for row in COMMAND if row.name not in absent)


def _filters_it_lacks(event: type[Event]) -> dict[str, str]:
    name = event.__name__
    instead = '; use "match"' if event.matches else ", and has nothing to match"
    told = {}
    if not takes_tool(event):
        told = {"tool": f"{name} is not about a tool{instead}", "files": f"{name} edits no files"}
    if not event.matches:
        told["match"] = f"{name} has nothing to match" + ('; use "tool"' if takes_tool(event) else "")
    return told


@cache
def whole_file(of_conclaude: bool = False) -> Shape:
    """The shape of a config: a section for each event, and what else stands beside them."""
    ignored = conclaude.ignored("") if of_conclaude else {}
    return record(top_rows(of_conclaude), "a mapping of sections", {}, ignored, "section", _section_name)


def top_rows(of_conclaude: bool = False) -> tuple[Row, ...]:
    """The top-level keys."""
    sections = [
        Row(lower_camel(name), _section(event, of_conclaude), (event.__doc__ or "").strip())
        for name, event in BY_NAME.items()
    ]
    return (
        *sections,
        Row(
            "handlers", shapes.list_of(shapes.text(), once=True), "Files of handlers in Python, relative to the config."
        ),
        Row("autoTest", record(AUTO_TEST, "a mapping"), "Affected tests after an edit."),
        Row("suite", record(SUITE, "a mapping"), "Conversation suites."),
        Row(
            "protectOwnFiles",
            shapes.flag(),
            "Deny the agent's edits to hookwright's config, handlers, journal and settings entries.",
        ),
    )


def _section(event: type[Event], of_conclaude: bool) -> Shape:
    section = lower_camel(event.__name__)
    rows = conclaude.rows(command_rows(event), section) if of_conclaude else command_rows(event)
    ignored = conclaude.ignored_in_command() if of_conclaude else {}
    words = 'a mapping with "run": write "- run: ..."'
    command = _with_an_effect(_with_one_filter(record(rows, words, _filters_it_lacks(event), ignored)), event)
    commands = shapes.list_of(conclaude.command(command, section) if of_conclaude else command)
    if of_conclaude:
        commands = conclaude.commands(commands, event)
    misplaced = {row.name: 'belongs to a command: write it in the list under "commands"' for row in COMMAND}
    inside = (Row("commands", commands, "What to run on this event, in this order."),)
    return record(inside, 'a mapping with "commands"', misplaced, conclaude.ignored(section) if of_conclaude else {})


def _with_one_filter(command: Shape) -> Shape:
    def read(node: Node, at: str, report: Report) -> Any:
        value = command.read(node, at, report)
        if f"{at}.tool" in report.marks and f"{at}.match" in report.marks:
            report.problem(node, at, 'has "tool" and "match", which are the same filter here; keep one')
        return value

    return Shape(read, command.schema | {"not": {"required": ["tool", "match"]}}, command.words)


def _with_an_effect(command: Shape, event: type[Event]) -> Shape:
    def read(node: Node, at: str, report: Report) -> Any:
        value = command.read(node, at, report)
        if isinstance(value, dict) and value.get("onError") == "block" and not can_block(event):
            report.warning(node, f"{at}.onError", f"has no effect: a command can only observe {event.__name__}")
        return value

    return Shape(read, command.schema, command.words)


def can_block(event: type[Event]) -> bool:
    """Whether a command can stop what this event announces; a batch of tool calls has already happened."""
    return event.decides and event.tools != "many"


def _section_name(spelling: str) -> str:
    return lower_camel(camel(canonical(spelling)))
