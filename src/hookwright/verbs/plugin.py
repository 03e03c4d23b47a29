"""`hookwright plugin build DIR`: a Claude Code plugin, with a marketplace to install it from."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from hookwright.errors import DONE
from hookwright.setup import changes, plugin


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `plugin` takes."""
    works = parser.add_subparsers(dest="work", metavar="WORK", required=True)
    build = works.add_parser("build", help="write the plugin's files")
    build.add_argument("folder", metavar="DIR", help="an empty or new folder, or an earlier build")


def main(args: argparse.Namespace) -> int:
    """Build, and say how to use it."""
    folder = Path(args.folder).absolute()
    planned = changes.real(plugin.to_build(folder))
    changes.apply(planned)
    for change in planned:
        done = "removed" if change.after is None else "wrote"
        print(f"{done:<11} {Path(args.folder) / change.path.relative_to(folder)}")
        if change.after is None:
            changes.remove_if_empty(change.path.parent)
    market = shlex.quote(args.folder if args.folder.startswith(("/", ".")) else f"./{args.folder}")
    print(f"try         claude --plugin-dir {market}")
    print(f"install     claude plugin marketplace add {market} && claude plugin install hookwright@hookwright")
    return DONE
