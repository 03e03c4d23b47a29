"""What happens in a conversation while a self-driven run is on: tool calls are evidence, other prompts a pause.

Every tool call comes by here, so this file loads little.
"""

from hookwright.suite import driver, places, state
from hookwright.suite import evidence as seen
from hookwright.suite.words import OURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.events import Event

PATIENCE_S = 5.0  # an event that only watches does not wait long


def see(event: "Event", folder: str, look: bytes) -> None:
    """A tool was called: write it down for the current test, if this conversation has it."""
    run = _run_folder(folder, look)
    if not run or not driver.read(run).has(event.session_id):
        return
    with state.Locked(folder, PATIENCE_S):
        drives = driver.read(run)
        if not drives.has(event.session_id):
            return
        interrupted = event.raw.get("is_interrupt") is True
        if drives.blocks or drives.stop or interrupted:
            drives.blocks, drives.stop, drives.paused = 0, "", interrupted
            driver.write(run, drives)
        seen.add_call(places.evidence_file(run, drives.index), seen.call_of_event(event.raw))


def pause(event: "Event", folder: str, look: bytes, prompt: str) -> None:
    """The person wants something else: what the agent does now is no part of the current test."""
    if prompt.lstrip().startswith(OURS):
        return  # our own instruction, put in the place of a word by the client's hooks module
    run = _run_folder(folder, look)
    if not run or not driver.read(run).has(event.session_id):
        return
    with state.Locked(folder, PATIENCE_S):
        drives = driver.read(run)
        drives.paused = True
        driver.write(run, drives)


def _run_folder(folder: str, look: bytes) -> str:
    """The folder of the run that is on, or "". Found without reading the state as JSON."""
    _, _, rest = look.rpartition(b'"started_at"')
    started_at = rest.partition(b'"')[2].partition(b'"')[0].decode("utf-8", "replace")
    return places.run_folder(folder, started_at) if started_at else ""
