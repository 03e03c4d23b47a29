"""A run that drives itself: each Stop judges the current test on what was watched, and hands over the next.

It cannot go on for ever: every Stop uses up one attempt of one test, a conversation that does something else is left
alone, and before the client loses patience the run pauses by itself.
"""

import binascii
import time

from hookwright.errors import Refusal
from hookwright.reply import Reply
from hookwright.suite import actions, driver, messages, places, progress, state
from hookwright.suite.progress import Run, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.events import Event


def stop(event: "Event", folder: str, look: bytes) -> Reply | None:
    """The agent is done with the current test: judge it, hand over the next or show the report."""
    arrived = time.monotonic()
    kept = state.understood(look, state.our_mark(folder))
    if kept is None or kept["mode"] != state.RUNNING:
        return None
    if not driver.read(places.run_folder(folder, kept["started_at"])).has(event.session_id):
        return None
    with state.Locked(folder):
        run = progress.opened(folder)
        drives = driver.read(run.path)
        moved_on = run.index != kept["current_index"]  # hooks that are registered twice run side by side
        if moved_on or not run.running or not drives.has(event.session_id):
            return None
        if not drives.counts(_in_short(event), arrived, first=not event.raw.get("stop_hook_active")):
            return None
        reply = _judge_and_go_on(event, run, drives)
        drives.at = time.monotonic()
        driver.write(run.path, drives)
        actions.settle(run)
    return reply


def _judge_and_go_on(event: "Event", run: Run, drives: driver.Driver) -> Reply:
    verdict = None
    if run.current is not None and drives.index == run.index:
        verdict = progress.judge(run, _answer(event), seen_tools=True, may_retry=True)
    before = len(run.results)
    case = progress.take(run)
    drives.index = run.index
    judged = messages.verdict(verdict) if verdict else ""
    only_person = judged if verdict and verdict.again else ""  # who tries again must not read what is expected
    told = [judged] if judged and not only_person else []
    told += [messages.result(result) for result in run.results.since(before)]
    if case is None:
        return Reply(user=messages.fitting(_ending(run, told), run.path, "told.md"))
    if not event.raw.get("stop_hook_active"):
        drives.blocks = 0
    if driver.cap() and drives.blocks >= driver.cap():
        drives.paused = True
        return Reply(user=_paused(run, [only_person, *told]))
    drives.blocks += 1
    told.append(messages.for_model(messages.action(run, case) + _attempt(verdict), driven=True))
    return Reply("deny", messages.fitting("\n\n".join(told), run.path, "told.md"), user=only_person)


def _in_short(event: "Event") -> str:
    told = f"{event.prompt_id}\n{event.raw.get('stop_hook_active')}\n{_answer(event)}"
    return f"{len(told)} {binascii.crc32(told.encode('utf-8', 'replace'))}"


def _answer(event: "Event") -> str:
    said = event.raw.get("last_assistant_message")
    return said if isinstance(said, str) else ""


def _attempt(verdict: Verdict | None) -> str:
    if verdict is None or not verdict.again:
        return ""
    return f"\n\n(Attempt {verdict.attempt + 1} of {verdict.case.get('retries', 0) + 1}: the one before failed.)"


def _ending(run: Run, told: list[str]) -> str:
    from hookwright.suite import reports

    try:
        page = reports.written(run, "md")
    except Refusal as refusal:
        page = f"hookwright: {refusal}"
    where = f"The report is in {run.path}/report.html (also .md, .json, .xml)."
    return "\n\n".join(filter(None, (*told[-1:], page.rstrip(), where, reports.left_alone(run))))


def _paused(run: Run, told: list[str]) -> str:
    why = (
        f"The run pauses at {run.index + 1}/{run.total}: the client lets an agent be kept from stopping "
        f"{driver.cap()} times in a row without a tool call. Type **next** to go on."
    )
    return "\n\n".join(filter(None, [*told, why]))
