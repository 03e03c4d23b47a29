"""`hookwright suite`: conversation suites from the command line; the same functions as the words in a conversation."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable

from hookwright import paths
from hookwright.errors import DONE, NO, Refusal
from hookwright.suite import actions, messages, places, progress, words
from hookwright.suite.order import Filters
from hookwright.verbs import suite_run
from hookwright.verbs.check import shown

WORDS = {
    "next": "the next test to do",
    "skip": "skip the current test",
    "retry": "take the current test again, or the last result back",
    "status": "how far the run is",
    "vars": "the saved variables",
    "abort": "end the run",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `suite` takes."""
    verbs = parser.add_subparsers(dest="suite_verb", metavar="WHAT", required=True)
    _begin_arguments(verbs.add_parser("init", help="begin a run, or resume the one that is on"))
    for word, duty in WORDS.items():
        verbs.add_parser(word, help=duty)
    validate = verbs.add_parser("validate", help="judge the current test on a response")
    validate.add_argument("text", nargs="?", metavar="TEXT", help="the response; default: standard input")
    report = verbs.add_parser("report", help="the results")
    report.add_argument("--format", choices=("md", "json", "junit", "html"), default="md")
    report.add_argument("--output", metavar="FILE", help="write it there instead of printing it")
    check = verbs.add_parser("check", help="check a suite file and say everything that is wrong with it")
    check.add_argument("suite", nargs="?", metavar="FILE", help="default: tests/functional/tests.json or .yaml")
    verbs.add_parser("schema", help="the JSON Schema of a suite file, for editors")
    new = verbs.add_parser("new", help="a suite file from the tools of an MCP server")
    new.add_argument("--output", metavar="FILE", default=places.SUITE_NAMES[1])
    new.add_argument("--server", metavar="NAME", help="the server's name; with no command, one of .mcp.json")
    new.add_argument(
        "command", nargs="*", metavar="COMMAND", help="what starts the server: -- python -m hookwright.demo"
    )
    suite_run.arguments(verbs)
    prompt = verbs.add_parser("prompt", help="what a prompt becomes while a run is on, for the client's hooks module")
    prompt.add_argument("text", metavar="TEXT")
    prompt.add_argument("--session", metavar="ID", default="")
    prompt.add_argument("--folder", metavar="DIR", help="where the conversation is; default: here")


def _begin_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--suite", metavar="FILE", help="default: tests/functional/tests.json or .yaml")
    parser.add_argument("--category", metavar="X", help="only tests of this category")
    parser.add_argument("--tag", metavar="Y", help="only tests with this tag")
    parser.add_argument("--id", metavar="ID", action="append", default=[], help="only this test; may be repeated")
    parser.add_argument("--reset", action="store_true", help="begin anew, even if a run is on")


# Verbs that start a suite's servers, or its `before` and `after`.
RUNNING = ("init", "next", "prompt", "retry", "run", "skip", "validate")


def main(args: argparse.Namespace) -> int:
    """Do one of them."""
    config = paths.find_config(os.getcwd())
    if config and args.suite_verb in RUNNING:
        from hookwright.config import refuse_unapproved

        refuse_unapproved(config)
    if args.suite_verb in suite_run.VERBS:
        return suite_run.VERBS[args.suite_verb](args, project())
    return VERBS.get(args.suite_verb, _word)(args)


def project(start: str | None = None) -> str:
    """The folder whose run is meant: the config's, or the nearest with a suite or a run, or this one."""
    here = os.path.abspath(start or os.getcwd())
    config = paths.find_config(here)
    if config:
        return paths.folder_of(config)
    folder = here
    while True:
        marks = (places.state_file(folder), *(f"{folder}/{name}" for name in places.SUITE_NAMES))
        if any(os.path.exists(mark) for mark in marks):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return here
        folder = above


def _init(args: argparse.Namespace) -> int:
    named = os.path.abspath(args.suite) if args.suite else None
    told = actions.begin(project(), named, Filters(args.category, args.tag, args.id), args.reset, os.getcwd())
    return _tell(told)


def _word(args: argparse.Namespace) -> int:
    told = actions.do(project(), args.suite_verb)
    for note in told.run.notes if told.run else ():
        print(note)
    return _tell(told)


def _validate(args: argparse.Namespace) -> int:
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if args.text is None else args.text
    return _tell(actions.do(project(), "validate", text))


def _tell(told: actions.Told) -> int:
    print(told.text)
    return DONE if told.good else NO


def _report(args: argparse.Namespace) -> int:
    from hookwright.suite import reports

    text = reports.written(progress.opened(project()), args.format)
    if args.output:
        reports.write(os.path.abspath(args.output), text)
        print(f"Written: {args.output}")
    else:
        print(text, end="")
    return DONE


def _check(args: argparse.Namespace) -> int:
    from hookwright.suite import suites

    path = suites.find(os.getcwd(), args.suite)
    suite = suites.Suite(path, shown(path))
    for warning in sorted(suite.report.warnings):
        print(f"warning: {warning}")
    for problem in suite.problems:
        print(problem)
    if not suite.problems:
        print(f"{shown(path)}: {messages.tests(len(suite.cases))}: no problems")
    return NO if suite.problems else DONE


def _schema(_args: argparse.Namespace) -> int:
    from hookwright.suite.cases import json_schema

    print(json.dumps(json_schema(), indent=2))
    return DONE


def _new(args: argparse.Namespace) -> int:
    from hookwright.suite import scaffold

    if os.path.exists(args.output):
        raise Refusal(f"{args.output} exists already; name another with --output.")
    name, server = scaffold.server_of(args.server, args.command, project())
    text, tools = scaffold.suite_for(name, server, project())
    os.makedirs(os.path.dirname(os.path.abspath(args.output)), exist_ok=True)
    with open(args.output, "x", encoding="utf-8") as file:
        file.write(text)
    made = f"{args.output}, {messages.tests(tools)}"
    print(f"Written: {made}. Fill in what each must answer, then `hookwright suite check`.")
    return DONE


def _prompt(args: argparse.Namespace) -> int:
    """Print what an action word stands for; nothing for any other prompt, and for words that answer the person."""
    word, _ = words.read(args.text)
    folder = project(args.folder)
    if word not in ("next", "retry") or not progress.is_on(folder):
        return DONE
    told = actions.do(folder, word, "", args.session, drives=_drives_itself(folder))
    if told.to == actions.MODEL:
        print(messages.for_model(told.text, told.driven), end="")
    return DONE


def _drives_itself(folder: str) -> bool:
    from hookwright.config import Reading

    path = paths.find_config(folder)
    section = Reading(path, path).values.get("suite") if path else None
    return isinstance(section, dict) and section.get("drive") == "self"


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "init": _init,
    "validate": _validate,
    "report": _report,
    "check": _check,
    "schema": _schema,
    "new": _new,
    "prompt": _prompt,
}
