"""`hookwright plugin build DIR`: a Claude Code plugin, with a marketplace to install it from."""

from __future__ import annotations

import argparse
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
        print(f"wrote       {Path(args.folder) / change.path.relative_to(folder)}")
    print(f"try         claude --plugin-dir {args.folder}")
    print(f"install     claude plugin marketplace add {args.folder} && claude plugin install hookwright@hookwright")
    return DONE
