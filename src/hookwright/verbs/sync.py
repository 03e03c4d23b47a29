"""`hookwright sync`: the registration brought up to the config, after a section was added or taken out."""

from __future__ import annotations

import argparse
from pathlib import Path

from hookwright.errors import DONE, Refusal
from hookwright.setup import install, scopes, settings_file
from hookwright.verbs import init


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `sync` takes."""
    init.registering(parser)


def main(args: argparse.Namespace) -> int:
    """Register anew where we are registered."""
    scopes.known_agents(args.agent)
    project = scopes.project_of(Path.cwd())
    plan = install.to_install(project, args.scope, None)
    if not args.scope and not settings_file.registered_in(project):
        raise Refusal(f"hookwright is not registered for {project}. Run `hookwright init`.")
    if args.dry_run:
        return init.show(plan)
    init.carry_out(plan)
    init.tell_registered(plan, project)
    return DONE
