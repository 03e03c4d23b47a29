"""`hookwright uninstall`: the agent's settings as they would be without us."""

from __future__ import annotations

import argparse
from pathlib import Path

from hookwright import paths
from hookwright.errors import DONE
from hookwright.resident import state
from hookwright.setup import changes, removal, scopes
from hookwright.setup.resident import SCOPE
from hookwright.verbs import init, resident


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `uninstall` takes."""
    known = ", ".join(scopes.AGENTS)
    parser.add_argument("--agent", action="append", metavar="NAME", help=f"the agent to leave ({known})")
    parser.add_argument("--scope", choices=scopes.SCOPES, help="only there; default: wherever hookwright is registered")
    parser.add_argument("--dry-run", action="store_true", help="print what would change as a diff, and change nothing")
    parser.add_argument(
        "--purge",
        action="store_true",
        help="remove the journal too, and the config and handlers that `init` wrote if nobody has changed them",
    )


def main(args: argparse.Namespace) -> int:
    """Take out, tell what stays."""
    scopes.known_agents(args.agent)
    project = scopes.project_of(Path.cwd())
    if not args.dry_run and args.scope in (None, SCOPE):
        if resident.stopped(project):
            print(f"{'stopped':<11} the resident server")
        state.forget(str(project))
    plan = removal.to_uninstall(project, args.scope, args.purge)
    if args.dry_run:
        return init.show(plan)
    changes.apply(plan.changes)
    if args.purge:
        changes.remove_if_empty(project / paths.OURS / "state")
        changes.remove_if_empty(project / paths.OURS)
    for change in plan.changes:
        print(f"{'removed' if change.after is None else 'restored':<11} {init.shown(change.path)}")
    if not plan.changes:
        print("hookwright is not registered here")
    left = [path for path in (scopes.config_of(project), project / paths.OURS) if path and path.exists()]
    if left and plan.changes:
        more = "" if args.purge else " (see `hookwright uninstall --purge`)"
        print(f"{'left':<11} {', '.join(init.shown(path) for path in left)}{more}")
    return DONE
