"""`hookwright plugin build DIR`: a Claude Code plugin, with a marketplace to install it from."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from hookwright.errors import DONE
from hookwright.setup import changes, claude_client, plugin


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `plugin` takes."""
    works = parser.add_subparsers(dest="work", metavar="WORK", required=True)
    build = works.add_parser("build", help="write the plugin's files")
    build.add_argument("folder", metavar="DIR", help="an empty or new folder, or an earlier build")
    since = ".".join(map(str, plugin.MODULE_SINCE))
    build.add_argument(
        "--module",
        action=argparse.BooleanOptionalAction,
        help=f"with or without the hooks module, which replaces a suite's words in the prompt; it needs Claude Code "
        f"{since}. Default: with it, unless the client here is older",
    )


def main(args: argparse.Namespace) -> int:
    """Build, and say how to use it."""
    folder = Path(args.folder).absolute()
    with_module = args.module if args.module is not None else plugin.takes_module(_client_version())
    planned = changes.real(plugin.to_build(folder, with_module))
    changes.apply(planned)
    for change in planned:
        done = "removed" if change.after is None else "wrote"
        print(f"{done:<11} {Path(args.folder) / change.path.relative_to(folder)}")
        if change.after is None:
            changes.remove_if_empty(change.path.parent)
    if not with_module:
        print("note        without the hooks module: a suite's words reach the model with their action beside them")
    market = shlex.quote(args.folder if args.folder.startswith(("/", ".")) else f"./{args.folder}")
    print(f"try         claude --plugin-dir {market}")
    print(f"install     claude plugin marketplace add {market} && claude plugin install hookwright@hookwright")
    return DONE


def _client_version() -> tuple[int, ...]:
    client = claude_client.found()
    return claude_client.version(client) if client else ()
