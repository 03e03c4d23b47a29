"""`hookwright resident`: a server that answers events, so that the agent starts no process for them."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from hookwright.errors import COULD_NOT, DONE, NO, Refusal
from hookwright.resident import ask, start, state
from hookwright.resident.pool import LONGEST_S
from hookwright.setup import changes, install, resident, scopes, settings, settings_file

RELOAD_S = 3.0  # the client takes up notice of changed settings within two seconds
READY_S = 10.0
TRIES = 5


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `resident` takes."""
    parser.add_argument("action", choices=("start", "stop", "status"))
    parser.add_argument(
        "--idle-minutes",
        type=float,
        default=start.IDLE_S / 60,
        metavar="N",
        help="start: end it after so long without an event (default %(default)g)",
    )
    parser.add_argument("--idle", action="store_true", help=argparse.SUPPRESS)  # the server itself asks to be stopped
    parser.add_argument("--quiet", action="store_true", help=argparse.SUPPRESS)  # asked by a hook


def main(args: argparse.Namespace) -> int:
    """Start, stop, or tell."""
    project = scopes.project_of(Path.cwd())
    if args.action == "status":
        return _tell(project)
    if args.action == "start":
        told = started(project, args.idle_minutes * 60)
        if not args.quiet:
            print(told)
        return DONE
    ended = stopped(project, state.IDLE if args.idle else state.STOPPED)
    print("stopped" if ended else "no resident server runs here")
    return DONE


def started(project: Path, idle_s: float = start.IDLE_S) -> str:
    """Have a server, and the settings lead to it where they shall; what there is to tell of it. Raises Refusal."""
    start.start(str(project), idle_s)
    status = _when_ready(project)
    if not status:
        log = state.file(str(project), state.LOG)
        raise Refusal(f"the resident server does not answer. What it said of it is in {log}.")
    led = switch(project, True)
    where = "" if led else "; no settings lead to it: run `hookwright init --resident`"
    return f"the resident server runs: process {status['pid']}, port {status['port']}{where}"


def stopped(project: Path, why: str = state.STOPPED) -> bool:
    """End the server once no settings lead to it any more; whether there was one."""
    sent, refused = _is_sent(project), None
    try:
        switch(project, False)
    except Refusal as refusal:  # a settings file that cannot be read must not keep the server alive
        refused = refusal
    if sent and state.running(str(project)):
        time.sleep(RELOAD_S)
    if why == state.IDLE:
        _until_quiet(project)
    ended = start.stop(str(project), why)
    if refused:
        raise refused
    return ended


def _until_quiet(project: Path) -> None:
    """An event that came in the last moment is not cut short: nobody asked for this end."""
    until = time.monotonic() + LONGEST_S
    while ask.status(str(project)).get("under_way") and time.monotonic() < until:
        time.sleep(0.1)


def switch(project: Path, to_server: bool) -> bool:
    """Have events sent to the server, or not; False where no server was chosen for this project."""
    for tries_left in reversed(range(TRIES)):
        try:
            plan = install.to_switch(project, to_server)
            changes.apply(plan)
            return bool(plan)
        except Refusal:  # the client writes this file too, just now perhaps
            if not tries_left:
                raise
            time.sleep(0.1)
    return False


def _is_sent(project: Path) -> bool:
    try:
        document = settings_file.document_of(scopes.place(resident.SCOPE, project))
    except Refusal:
        return False
    return any(resident.is_sent(entry.handler) for entry in settings.entries(document))


def _when_ready(project: Path) -> dict[str, Any]:
    until = time.monotonic() + READY_S
    while not (status := ask.status(str(project))) and state.running(str(project)) and time.monotonic() < until:
        time.sleep(0.02)
    return status


def _tell(project: Path) -> int:
    status = ask.status(str(project))
    if status:
        minutes = status["uptime_s"] / 60
        print(f"{'running':<11} process {status['pid']}, port {status['port']}, hookwright {status['version']}")
        print(f"{'served':<11} {status['events']} events in {minutes:.0f} min by {len(status['workers'])} workers")
        print(f"{'project':<11} {status['project']}")
        print(f"{'settings':<11} {'events are sent to it' if _is_sent(project) else 'none lead to it'}")
        return DONE
    known = state.running(str(project))
    if known:
        print(f"process {known.get('pid')} holds {state.file(str(project), state.LOCK)} and does not answer")
        return COULD_NOT
    print("no resident server runs here")
    return NO
