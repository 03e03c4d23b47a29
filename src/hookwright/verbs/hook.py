"""`hookwright hook`: only its help is here; the work is `hookwright.hook`, which starts without argparse."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `hook` takes."""
    parser.add_argument("event", nargs="?", help="PostToolUse, post-tool-use or post-tool; default: the payload's own")
    parser.add_argument("--agent", metavar="NAME", help="whose dialect to speak; default: claude-code")


def main(args: argparse.Namespace) -> int:
    """Never reached: `cli` hands over before it parses."""
    raise AssertionError(args)
