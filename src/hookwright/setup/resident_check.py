"""The doctor on the resident server: it runs, it is of this version, and only its owner can talk to it."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from hookwright import __version__
from hookwright.resident import ask, state
from hookwright.setup import resident
from hookwright.setup.checks import BAD, OK, WARN, Finding
from hookwright.setup.facts import Facts


def look(facts: Facts) -> Iterator[Finding]:
    """Where one was chosen; it is a choice."""
    place = next((place for place, entries in facts.ours.items() if resident.chosen(entries)), None)
    if place is None:
        yield Finding(OK, "no resident server was chosen; every event starts a process")
        return
    project = str(facts.project)
    known, told = state.running(project), ask.status(project)
    urls = {str(entry.handler.get("url")) for entry in facts.ours[place] if resident.is_sent(entry.handler)}
    if known and not told:
        why = "it does not answer" if state.token(project) else "its token is gone, or others could read it"
        yield Finding(BAD, f"the resident server runs (process {known.get('pid')}), but {why}", _AGAIN)
    elif not known:
        lost = " and the settings lead to it: events go unanswered until the next prompt" if urls else ""
        yield Finding(BAD if urls else OK, f"the resident server does not run{lost}", "hookwright resident start")
    elif told["version"] != __version__:
        yield Finding(WARN, f"the resident server is {told['version']}; this is {__version__}", _AGAIN)
    elif urls and not any(f":{told['port']}/" in url for url in urls):
        yield Finding(BAD, f"{place.path} leads to another port than {told['port']}", "hookwright resident start")
    else:
        sent = f"process {told['pid']}, port {told['port']}, {told['events']} events"
        yield Finding(OK, f"the resident server runs: {sent}")
    if urls and stat.S_IMODE(place.path.stat().st_mode) & 0o077:
        told_of = f"{place.path} holds the server's token and others can read it"
        yield Finding(BAD, told_of, f"chmod 600 {place.path}")


_AGAIN = "hookwright resident stop, then hookwright resident start"
