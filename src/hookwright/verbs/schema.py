"""`hookwright schema`: the JSON Schema of the config, for editors."""

from __future__ import annotations

import argparse
import json

from hookwright import config_docs


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `schema` takes."""
    parser.add_argument("--markdown", action="store_true", help="the same as a page for readers: docs/config.md")


def main(args: argparse.Namespace) -> int:
    """Print it."""
    print(config_docs.markdown().rstrip() if args.markdown else json.dumps(config_docs.json_schema(), indent=2))
    return 0
