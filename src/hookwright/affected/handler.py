"""An edit came: which tests does it touch, and do they pass? -> one message. It never blocks, unless it is the gate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hookwright.affected import pending, run
from hookwright.affected.changes import changed_files
from hookwright.affected.message import message
from hookwright.affected.projects import Edit, real, sorted_by_project
from hookwright.affected.settings import Settings, from_options
from hookwright.affected.turns import turn
from hookwright.affected.verdict import Verdict
from hookwright.bindings import Binding
from hookwright.edits import edited_paths
from hookwright.events import Event
from hookwright.process import GRACE_S
from hookwright.reply import Reply, merge

SHARE_OF_WAIT = 0.5  # of the time we are given, and no longer than a run may take: for one of another edit to end


def handle(event: Event, binding: Binding, allowed_s: float) -> Reply | None:
    """Run the affected tests of each project that was edited."""
    settings = from_options(binding.options, real(binding.options["folder"]))
    paths = edited_paths(event) or (changed_files(settings.folder) if event.event_name == "Stop" else [])
    to_model = binding.options.get("tell", "both") == "both"
    replies = pending.told(settings, to_model) if settings.background else []
    for edit in sorted_by_project(paths, settings).edits:
        reply = _reply(edit, settings, binding.options, allowed_s)
        replies += [reply] if reply else []
    return merge(replies) if replies else None


def _reply(edit: Edit, settings: Settings, options: dict[str, Any], allowed_s: float) -> Reply | None:
    verdict = verdict_of(edit, allowed_s)
    if verdict is None:
        return None
    if options.get("tell") == "gate":
        verdict.report.left_out = []  # no reason to go on, and not the same each time
    text = message(verdict, settings.for_project(edit.project.root).most_characters)
    if not text:
        return None
    if verdict.cut_off and settings.background:
        pending.go_on(edit, options)
        text += "\n   The rest goes on in the background."
    return TOLD[options.get("tell", "both")](text, verdict)


def verdict_of(edit: Edit, allowed_s: float) -> Verdict | None:
    """Wait for our turn and run; None when there is nothing to run with, or a newer edit takes over."""
    budget_s = min(edit.project.budget_s, max(allowed_s * (1 - SHARE_OF_WAIT) - 2 * GRACE_S, 1.0))
    project = replace(edit.project, budget_s=budget_s)
    with turn(project.state, edit.files, min(allowed_s * SHARE_OF_WAIT, edit.project.budget_s)) as files:
        if files is None:
            return None
        return run.affected(project, files)


def _both(text: str, verdict: Verdict) -> Reply:
    return Reply(context=text, user=text)


def _person(text: str, verdict: Verdict) -> Reply:
    return Reply(user=text)


def _gate(text: str, verdict: Verdict) -> Reply:
    """Tests that fail or cannot be collected keep the agent; a timeout or a broken runner is told, and lets it go."""
    return Reply("deny", text) if verdict.word == "failed" or verdict.report.broken else Reply(user=text)


TOLD = {"both": _both, "person": _person, "gate": _gate}
