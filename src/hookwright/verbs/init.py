"""`hookwright init`: a config that does something at once, and the agent's hooks registered."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from hookwright import shelving, trust
from hookwright.config import Reading
from hookwright.errors import DONE, Misuse, Refusal
from hookwright.resident import state
from hookwright.setup import changes, detection, install, resident, resident_check, scopes, settings, settings_file
from hookwright.setup.changes import Change
from hookwright.setup.facts import Facts
from hookwright.setup.install import Plan
from hookwright.verbs import check
from hookwright.verbs.resident import started


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `init` takes."""
    registering(parser)
    parser.add_argument(
        "--resident",
        action="store_true",
        help="have a server of your own answer events, so that none starts a process (implies --scope local)",
    )


def registering(parser: argparse.ArgumentParser) -> None:
    """What every verb takes that writes to an agent's settings."""
    known = ", ".join(scopes.AGENTS)
    parser.add_argument("--agent", action="append", metavar="NAME", help=f"the agent to register with ({known})")
    parser.add_argument(
        "--scope",
        choices=scopes.SCOPES,
        help="project: .claude/settings.json, shared through git; local: .claude/settings.local.json; user: your own "
        "settings, for all projects. Default: where hookwright is registered already, else project",
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would change as a diff, and change nothing")


def main(args: argparse.Namespace) -> int:
    """Detect, write, register, tell."""
    scopes.known_agents(args.agent)
    project = scopes.project_of(Path.cwd())
    found = detection.detected(project)
    scope = _scope_of_a_server(project, args.scope) if args.resident else args.scope
    plan = install.to_install(project, scope, found, with_server=args.resident)
    if args.dry_run:
        return show(plan)
    if found:
        print(f"found       {detection.described(found)}")
    carry_out(plan)
    _approve_what_we_wrote(plan, project)
    shelving.fill()  # else the first event would have to, while an agent waits
    tell_registered(plan, project)
    if args.resident:
        if not state.running(str(project)):
            state.forget(str(project))  # a token that came with a clone would be known to whoever made it
        print(f"started     {started(project)}")
    if project != Path.cwd() and set(plan.registered) - {"user"}:
        print(f"note        start the agent in {project}: from another folder it does not read these settings")
    if any(plan.registered.values()):
        print("next        start a conversation; `hookwright doctor` tells whether everything works")
    return DONE


def _approve_what_we_wrote(plan: Plan, project: Path) -> None:
    """A config that is wholly ours needs no question where the user wants to be asked about others."""
    config = scopes.config_of(project)
    if config and trust.required() and any(change.path == config and change.before is None for change in plan.changes):
        trust.approve(str(config), trust.digest(str(config), Reading(str(config), config.name).handler_names()))
        print(f"approved    {shown(config)} and its handlers, as they were written just now")


def _scope_of_a_server(project: Path, scope: str | None) -> str:
    """Raises Refusal where a server would answer beside a registration that others share, or its token be shared."""
    if scope not in (None, resident.SCOPE):
        raise Misuse(f"a resident server is registered in the {resident.SCOPE} scope only: it is of one machine.")
    for place in settings_file.registered_in(project):
        if place.scope != resident.SCOPE:
            undo = f"hookwright uninstall --scope {place.scope}"
            raise Refusal(f"{shown(place.path)} has our hooks too: all would run twice. Run `{undo}` first.")
    if proxy := resident_check.proxy_in_between(Facts(project), os.environ):
        raise Refusal(f"{proxy} is set: the client would send events to that proxy. Add 127.0.0.1 to NO_PROXY first.")
    if not resident_check.may_be_sent_to(Facts(project), resident_check.SERVERS.replace("*", "0/hook")):
        allowed, servers = resident_check.ALLOWED, resident_check.SERVERS
        raise Refusal(f"{allowed} in your settings keeps events from a server here. Add {servers!r} to it first.")
    resident.refuse_unless_private(scopes.place(resident.SCOPE, project).path, project)
    return resident.SCOPE


def show(plan: Plan) -> int:
    """The plan as diffs."""
    for change in plan.changes:
        print(changes.diff(change, shown(change.path)), end="")
        if change.backup:
            print(changes.diff_of_backup(change, shown(change.backup)), end="")
    for note in plan.notes:
        print(f"note: {note}")
    if not plan.changes:
        print("nothing would change")
    return DONE


def carry_out(plan: Plan) -> None:
    """Do what was planned, a line for each file."""
    changes.apply(plan.changes)
    for change in plan.changes:
        print(f"{_done(change):<11} {shown(change.path)}{_backed_up(change)}")
    if not plan.changes:
        print(f"{'up to date':<11} nothing had to change")


def tell_registered(plan: Plan, project: Path) -> None:
    """What the agent will call us for, and the notes."""
    for scope, groups in plan.registered.items():
        events = [f"{event}({group['matcher']})" if "matcher" in group else event for event, group in groups.items()]
        place = scopes.place(scope, project)
        print(f"registered  {', '.join(events) or 'nothing'} in {shown(place.path)}")
        others = sum(
            not settings.is_ours(handler) for *_, handler in settings.handlers(settings_file.document_of(place))
        )
        if others:
            print(f"            {others} other hook{'s stay as they are' if others > 1 else ' stays as it is'}")
    for note in plan.notes:
        print(f"note        {note}")


def shown(path: Path) -> str:
    """A path as a user would type it here."""
    return check.shown(str(path))


def _done(change: Change) -> str:
    return "removed" if change.after is None else "wrote" if change.before is None else "changed"


def _backed_up(change: Change) -> str:
    return f" (without us: {shown(change.backup)})" if change.backup and change.kept is not None else ""
