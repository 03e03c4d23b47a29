"""The doctor on the resident server: it runs, it is of this version, and only its owner can talk to it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping

from hookwright import __version__
from hookwright.resident import ask, state
from hookwright.resident.start import ADDRESS
from hookwright.setup import resident
from hookwright.setup.checks import BAD, OK, WARN, Finding
from hookwright.setup.facts import Facts

ALLOWED = "allowedHttpHookUrls"  # of the client: where it may send events
SERVERS = f"http://{ADDRESS}:*"  # what would let it send them to any server of ours
PROXIES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
)  # the client heeds each of them for our address, too


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
    if any(not may_be_sent_to(facts, url) for url in urls):
        told_of = f"{ALLOWED} in the settings does not name the resident server: the client sends it nothing"
        yield Finding(BAD, told_of, f"add {SERVERS!r} to {ALLOWED}, or hookwright resident stop")
    if urls and (proxy := proxy_in_between(facts, os.environ)):
        told_of = f"{proxy} is set: the client sends events, and the server's token, to that proxy"
        yield Finding(BAD, told_of, f"add {ADDRESS} to NO_PROXY, or hookwright resident stop")
    if urls and stat.S_IMODE(place.path.stat().st_mode) & 0o077:
        told_of = f"{place.path} holds the server's token and others can read it"
        yield Finding(BAD, told_of, f"chmod 600 {place.path}")


def may_be_sent_to(facts: Facts, url: str) -> bool:
    """Whether the client would send events there: no settings name addresses, or one of these fits."""
    named = [
        document[ALLOWED]
        for document in (*facts.documents.values(), facts.managed)
        if isinstance(document, dict) and isinstance(document.get(ALLOWED), list)
    ]
    patterns = [re.escape(str(pattern)).replace(r"\*", ".*") for listed in named for pattern in listed]
    return not named or any(re.fullmatch(pattern, url) for pattern in patterns)


def proxy_in_between(facts: Facts, environ: Mapping[str, str]) -> str:
    """The variable by which the client would send our events elsewhere; its settings can set variables, too."""
    variables = dict(environ)
    for document in (*facts.documents.values(), facts.managed):
        own = document.get("env") if isinstance(document, dict) else None
        variables |= own if isinstance(own, dict) else {}
    spared = f"{variables.get('NO_PROXY', '')},{variables.get('no_proxy', '')}".replace(",", " ").split()
    if ADDRESS in spared or "*" in spared:
        return ""
    return next((name for name in PROXIES if variables.get(name)), "")


_AGAIN = "hookwright resident stop, then hookwright resident start"
