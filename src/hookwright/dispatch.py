"""Run the picked handlers in order, guard each, merge what they answer."""

import sys
import time

from hookwright.reply import HandlerFailed, Reply, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.bindings import Binding
    from hookwright.events import Event

# kind of binding -> module with `handle(event, binding, allowed_s) -> Reply | None`, imported when one is bound
HANDLERS = {
    "function": "hookwright.handlers",
    "command": "hookwright.command",
    "affected": "hookwright.affected.handler",
    "suite": "hookwright.suite.handler",
    "protection": "hookwright.protection",
}

# We answer before the agent loses patience: a hook that it times out counts as silence, even if it would have denied.
SHARE_OF_AGENTS_PATIENCE = 0.9


class Ran:
    """What came of one binding."""

    def __init__(self, binding: "Binding", reply: Reply, ms: float, failed: bool) -> None:
        self.binding = binding
        self.reply = reply
        self.ms = ms
        self.failed = failed

    @property
    def outcome(self) -> str:
        """One word for the journal: failed, a decision, or what else was said."""
        if self.failed:
            return "failed"
        said = self.reply.said()
        parts = [self.reply.decision, *(part for part in ("halt", "input", "context", "user") if part in said)]
        return next((part for part in parts if part), "answered" if said else "nothing")


def dispatch(event: "Event", bindings: "list[Binding]") -> tuple[Reply, list[Ran]]:
    """Call each binding; on a deciding event the first refusal ends it."""
    until = time.monotonic() + event.timeout_s * SHARE_OF_AGENTS_PATIENCE
    ran: list[Ran] = []
    for binding in bindings:
        outcome = _guarded(event, binding, until)
        ran.append(outcome)
        if event.decides and outcome.reply.decision == "deny":
            break
    return merge([outcome.reply for outcome in ran]), ran


def _guarded(event: "Event", binding: "Binding", until: float) -> Ran:
    started = time.monotonic()
    failed = False
    try:
        left_s = until - started
        if left_s <= 0:
            raise HandlerFailed("not run, the handlers before it took all the time the agent gives")
        reply = _module(binding.kind).handle(event, binding, min(binding.timeout_s or left_s, left_s)) or Reply()
        failed = reply.failed
    except Exception as error:  # a broken handler must not stop the agent
        failed = True
        reply = _failure(event, binding, error)
    return Ran(binding, reply, (time.monotonic() - started) * 1000, failed)


def _module(kind: str):  # type: ignore[no-untyped-def]
    name = HANDLERS[kind]
    if name not in sys.modules:
        __import__(name)
    return sys.modules[name]


def _failure(event: "Event", binding: "Binding", error: Exception) -> Reply:
    text = str(error) if isinstance(error, HandlerFailed) else f"{type(error).__name__}: {error}"
    note = f"{binding.name} failed: {text}"
    if binding.on_error == "block" and event.decides:
        return Reply("deny", note, notes=(note,))
    return Reply(notes=(note,))
