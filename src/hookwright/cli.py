"""The command line: verbs -> module, imported when chosen."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from typing import NoReturn

from hookwright import __version__
from hookwright.errors import COULD_NOT, DONE, USAGE, Misuse, Refusal
from hookwright.screen import Screen

# verb -> what it does; its module in `verbs/` offers `arguments(parser)` and `main(args) -> int`
COMMANDS = {
    "init": "set this project up: write a config if there is none, and register with the agent",
    "sync": "bring the registration up to date after the config has changed",
    "uninstall": "take our entries out of the agent's settings again",
    "doctor": "whether everything is in place, and what to do where it is not",
    "resident": "a server that answers events, so that none of them starts a process",
    "hook": "answer one event: the agent's payload comes on stdin, the answer goes to stdout",
    "fire": "try an event by hand: what matches, what is answered, what the agent would do",
    "events": "the table of events and what each can be answered with",
    "check": "check the config and say everything that is wrong with it",
    "config": "the effective config, and where each value comes from",
    "schema": "the JSON Schema of the config, for editors",
    "test": "run the tests that a change can break",
    "languages": "the languages whose tests can be run, and what of them is installed here",
    "journal": "what ran, why, and how long it took",
    "suite": "conversation suites: tests of an MCP server or of an agent's behaviour",
    "trust": "approve what a project's config runs, and say whether approval is needed",
    "plugin": "build a Claude Code plugin of hookwright",
}


class Parser(argparse.ArgumentParser):
    """argparse leaves with 2 on wrong usage; to an agent 2 means "block"."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(argv: list[str] | None = None) -> int:
    """The `hookwright` command."""
    words = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):  # a character that the terminal has no sign for is no reason to fail
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if words[:1] == ["hook"] and not {"-h", "--help"} & set(words):
        from hookwright.hook import main as hook

        hook(words[1:])  # ends the process
    args = _parser(words[0] if words else "").parse_args(words)
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Screen(sys.stdout), Screen(sys.stderr)
    try:
        return _done(args)
    finally:
        sys.stdout, sys.stderr = streams


def _done(args: argparse.Namespace) -> int:
    """Do the verb's work; what goes wrong is a sentence and an exit code."""
    try:
        answer = int(importlib.import_module(f"hookwright.verbs.{args.verb}").main(args))
        sys.stdout.flush()
        return answer
    except Refusal as refusal:
        print(f"hookwright: {refusal}", file=sys.stderr)
        return USAGE if isinstance(refusal, Misuse) else COULD_NOT
    except BrokenPipeError:  # `hookwright journal tail | head`
        sys.stderr.close()
        return DONE
    except OSError as error:  # a full disk, a folder that may not be read
        print(f"hookwright: {_told(error)}", file=sys.stderr)
        return COULD_NOT
    except KeyboardInterrupt:
        return 130
    except Exception:  # a fault of ours: the report goes to a file, one line to the person
        print(f"hookwright: this is a bug; please report it with {_report()}", file=sys.stderr)
        return COULD_NOT


def _parser(chosen: str) -> Parser:
    """Only the chosen verb's module is imported; the others are known by their one line."""
    parser = Parser(prog="hookwright", description="The hook runtime for coding agents.")
    parser.add_argument("--version", action="version", version=f"hookwright {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, duty in COMMANDS.items():
        sub = verbs.add_parser(verb, help=duty, description=f"{duty[0].upper()}{duty[1:]}.")
        if verb == chosen:
            importlib.import_module(f"hookwright.verbs.{verb}").arguments(sub)
    return parser


def _told(error: OSError) -> str:
    """What went wrong with which file; the folder that a shell stands in has no name once it is removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the folder you are in is not there any more. Go to another (cd) first."
    return f"{error.filename or 'output'}: {error.strerror or error}"


def _report() -> str:
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="hookwright-", suffix=".txt", delete=False) as file:
        file.write(f"hookwright {__version__}, Python {sys.version}\n{sys.argv[1:]}\n{traceback.format_exc()}")
    return file.name
