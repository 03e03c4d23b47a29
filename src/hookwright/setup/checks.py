"""What the doctor looks at, a function for each. Their table, with what people search for, is in `diagnosis`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from hookwright import trust
from hookwright.config import Reading
from hookwright.dispatch import SHARE_OF_AGENTS_PATIENCE
from hookwright.events import BY_NAME
from hookwright.setup import claude_client, command_line, install, notes, scopes, standing
from hookwright.setup.facts import Facts
from hookwright.setup.registration import unwatched
from hookwright.setup.settings_file import LEFT_ALONE
from hookwright.setup.settings_rules import bad_expression, faults

OK, WARN, BAD = "ok", "warn", "bad"
SLOW_MS = 250
SHOWN = 3  # differences on one line


class Finding(NamedTuple):
    """One line of the doctor."""

    level: str
    text: str
    do: str = ""


def agent(facts: Facts) -> Iterator[Finding]:
    """Claude Code is there, in a version we know."""
    told = ".".join(map(str, facts.client_version))
    if not facts.client:
        yield Finding(WARN, "Claude Code is not on PATH", "install it, or ignore this where only CI runs")
    elif not told:
        yield Finding(WARN, f"{facts.client} does not tell its version", "run `claude --version`")
    elif facts.client_version < claude_client.MEASURED:
        unknown = claude_client.not_sent_by(facts.client_version, facts.awaited)
        if unknown:
            yield Finding(BAD, f"Claude Code {told} never sends {', '.join(unknown)}, registered here", "claude update")
        measured = ".".join(map(str, claude_client.MEASURED))
        yield Finding(WARN, f"Claude Code {told} is older than {measured}, which we measured", "claude update")
    else:
        yield Finding(OK, f"Claude Code {told}")


def config(facts: Facts) -> Iterator[Finding]:
    """There is a config, and it checks."""
    if facts.config is None or facts.reading is None:
        yield Finding(WARN, "there is no config: every event goes unanswered", "hookwright init")
        return
    problems = sorted(facts.reading[0].report.problems)
    if problems:
        more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
        yield Finding(BAD, f"{problems[0]}{more}; what was last good is kept", "hookwright check")
    else:
        bound = sum(map(len, facts.table.rows.values()))
        on = _counted(len(facts.table.rows), "event")
        yield Finding(OK, f"{facts.config.name}: {_counted(bound, 'binding')} on {on}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def approval(facts: Facts) -> Iterator[Finding]:
    """Where the user wants to be asked, this project's config is approved as it is."""
    if not trust.required():
        yield Finding(OK, "a project's config runs without your approval; to be asked: hookwright trust --require")
    elif facts.config and not trust.allows(str(facts.config), Reading(str(facts.config), "").handler_names()):
        yield Finding(BAD, f"{facts.config.name} or its handlers are not as you approved them", "hookwright trust")
    else:
        yield Finding(OK, "the config runs as you approved it")


def settings(facts: Facts) -> Iterator[Finding]:
    """Each settings file is one that the client loads; where the client is there, its own word counts."""
    asked = facts.client_version >= claude_client.MEASURED
    told = claude_client.invalid_settings(facts.client, facts.project) if asked else None
    wrong = _by_our_rules(facts) if told is None else _by_the_client(told)
    yield from wrong
    for place, entries in facts.ours.items():
        for entry in entries:
            if bad_expression(entry.matcher):
                yield Finding(BAD, f"{place.path}: {entry.event}: the matcher cannot be read", "hookwright sync")
    if not wrong:
        number = sum(place.path.exists() for place in facts.documents)
        by = "our own rules" if told is None else "claude doctor"
        yield Finding(OK, f"{_counted(number, 'settings file')}, valid by {by}")


def _by_the_client(told: list[str]) -> list[Finding]:
    """Its lines, the gravest of each place: what is wrong, and what becomes of the file instead of its why."""
    worst: dict[str, Finding] = {}
    for line in told:
        dropped = any(words in line for words in claude_client.DROPS_THE_FILE)
        what = f"{line.partition(' — ')[0]}; Claude Code ignores the WHOLE file" if dropped else line
        where = line.partition(": ")[0]
        if dropped or where not in worst:
            found = Finding(
                BAD if dropped else WARN, f"claude doctor: {what[:240]}", f"edit {line.partition(' › ')[0]}"
            )
            worst[where] = found
    return list(worst.values())


def _by_our_rules(facts: Facts) -> list[Finding]:
    found = []
    for place, document in facts.documents.items():
        for fault in faults(document):
            effect = "Claude Code ignores the WHOLE file" if fault.drops_file else "Claude Code ignores that entry"
            level = BAD if fault.drops_file else WARN
            found.append(Finding(level, f"{place.path}: {fault}; {effect}", f"edit {place.path}"))
    for told in facts.unreadable.values():
        place_and_cause = told.removesuffix(LEFT_ALONE)
        found.append(Finding(BAD, f"{place_and_cause} Claude Code ignores the WHOLE file", "edit that line"))
    return found


def registered(facts: Facts) -> Iterator[Finding]:
    """Our entries are there and say what the config says."""
    if not facts.ours and facts.plugin:
        yield Finding(OK, f"registered by the plugin {facts.plugin}")
        return
    if not facts.ours and facts.config and not facts.table.problem and not facts.table.rows:
        told = "nothing is registered: the config gives the agent nothing to do"
        yield Finding(WARN, told, "add a section, then hookwright init")
        return
    if not facts.ours:
        unknown = "" if scopes.client_folder() else " (there is no HOME, so the user's own were not looked at)"
        yield Finding(BAD, f"no settings file has our hooks: nothing fires{unknown}", "hookwright init")
        return
    if facts.table.problem:
        return  # the check of the config tells
    for told in unwatched(install.bound(facts.table)):
        yield Finding(WARN, told, "edit the config")
    do = "hookwright sync" if facts.config else "hookwright init, or hookwright uninstall"
    for place, entries in facts.ours.items():
        found = list(standing.differences(place, entries, facts.wanted[place]))
        for level, grave in ((BAD, True), (WARN, False)):
            texts = [each.text for each in found if each.grave is grave]
            if texts:
                more = f" (and {len(texts) - SHOWN} more)" if texts[SHOWN:] else ""
                yield Finding(level, f"{place.path}: {'; '.join(texts[:SHOWN])}{more}", do)
        if not found:
            yield Finding(OK, f"{place.scope} scope: {', '.join(entry.event for entry in entries)}")


def folder(facts: Facts) -> Iterator[Finding]:
    """Claude Code is started where the settings are: it does not look for them in the folders above."""
    below = facts.start != facts.project and any(place.scope != "user" for place in facts.ours)
    if below and not any(place.scope == "user" for place in facts.ours):
        told = f"Claude Code started in {facts.start} does not read the settings of {facts.project}"
        yield Finding(WARN, told, f"start it in {facts.project}, or: hookwright init --scope user")
    elif facts.ours:
        yield Finding(OK, f"the project is {facts.project}")


def twice(facts: Facts) -> Iterator[Finding]:
    """Registered once."""
    used = [place.scope for place in facts.ours] + (["the plugin"] if facts.plugin else [])
    times = len(notes.commands_of(facts.entries)) + bool(facts.plugin)
    if times > 1:
        told = f"registered in {' and '.join(used)}: every event is answered {times} times"
        yield Finding(WARN, told, f"hookwright uninstall --scope {used[0]}")
    elif used:
        same = " with one command line, which Claude Code runs once" if used[1:] else ""
        yield Finding(OK, f"registered in {' and '.join(used)}{same}")


def command(facts: Facts) -> Iterator[Finding]:
    """The registered command line really runs; one that we would not have written is not tried."""
    for line, why in facts.grounded.items():
        shown = line if len(line) < 60 else f"{line[:57]}..."
        yield Finding(BAD, f"not run, because {why}: {shown}", "look at it, then hookwright sync")
    for line, flight in facts.flights.items():
        if flight.exit_code:
            told = f"the hook leaves with {flight.exit_code}: {flight.stderr[:200] or 'no word'}"
            yield Finding(BAD, told, "hookwright init")
        elif not flight.arrived:
            told = flight.stderr[:200] or "it leaves without a word; its launcher may be gone or torn"
            yield Finding(BAD, f"the command line does not reach hookwright: {told}", "hookwright init")
        elif flight.ms > SLOW_MS:
            yield Finding(WARN, f"the hook takes {flight.ms:.0f} ms per event", "hookwright journal stats")
        else:
            yield Finding(OK, f"the command line answers in {flight.ms:.0f} ms")
        if command_line.is_temporary(line):
            told = "the command line names an installation in a cache, which its tool may clear"
            yield Finding(WARN, told, "install it with pipx or in .venv, then hookwright init")


def interpreter(facts: Facts) -> Iterator[Finding]:
    """The command people type is there."""
    reached = bool(facts.flights) and all(flight.arrived for flight in facts.flights.values())
    if facts.on_path:
        yield Finding(OK, f"hookwright is {facts.on_path}")
    elif reached:
        yield Finding(OK, "hookwright is not on PATH; the registered command line finds it without")
    else:
        told = "hookwright is not on PATH, and no registered command line has reached it"
        yield Finding(WARN, told, "install it with pipx or in .venv, or set HOOKWRIGHT_PYTHON")


def disabled(facts: Facts) -> Iterator[Finding]:
    """No setting switches hooks off."""
    found = False
    objects = [(place, document) for place, document in facts.documents.items() if isinstance(document, dict)]
    saying = {place.scope: place for place, document in objects if "disableAllHooks" in document}
    counts = next((saying[scope] for scope in ("local", "project", "user") if scope in saying), None)
    if counts and facts.documents[counts]["disableAllHooks"] is True:
        found = True
        yield Finding(BAD, f"disableAllHooks is set in {counts.path}", f"remove it from {counts.path}")
    for key in ("disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization"):
        if facts.managed.get(key):
            found = True
            yield Finding(BAD, f"your administrator has set {key}", "ask them to allow hookwright (a plugin may be)")
    if os.environ.get("CLAUDE_CODE_SIMPLE") not in (None, "", "0"):
        found = True
        yield Finding(BAD, "CLAUDE_CODE_SIMPLE is set: the client runs without hooks", "unset CLAUDE_CODE_SIMPLE")
    if not found:
        yield Finding(OK, "no setting switches hooks off")


def trusted_folder(facts: Facts) -> Iterator[Finding]:
    """The folder is trusted in the client."""
    if facts.trusted:
        yield Finding(OK, "Claude Code trusts this folder")
    elif facts.trusted is False:
        told = "Claude Code has not been told to trust this folder: interactive sessions run no hooks (claude -p does)"
        yield Finding(WARN, told, "start `claude` here and accept")
    else:
        yield Finding(OK, "Claude Code has not been used here yet; it will ask whether it may trust this folder")


def timeouts(facts: Facts) -> Iterator[Finding]:
    """Nobody loses patience before our handlers may."""
    short = False
    for entry in filter(standing.too_short, facts.entries):
        short = True
        given, counted_on = entry.handler["timeout"], BY_NAME[entry.event].timeout_s
        told = f"{entry.event} is registered with a timeout of {given} s; we count on {counted_on:g} s"
        yield Finding(BAD, told, "hookwright sync")
    for event in facts.table.rows:
        patience = BY_NAME[event].timeout_s * SHARE_OF_AGENTS_PATIENCE
        for binding in facts.table.of(event):
            if binding.kind == "command" and (binding.timeout_s or 0) > patience:
                short = True
                told = f"{binding.name} may take {binding.timeout_s:g} s, but is ended after {patience:g} s on {event}"
                yield Finding(WARN, told, "lower its timeout, or set background: true")
    if not short:
        yield Finding(OK, "no timeout is shorter than ours")
