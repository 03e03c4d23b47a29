"""One invocation, told top to bottom: a payload comes in, an answer goes out, a line is written, the process is gone.

This is the hot path. At import time it takes only `sys`, `posix`, `time`, `marshal` and small files of our own;
`tests/test_start.py` holds it to that. Whatever is not needed by an event that nobody bound is imported later.
"""

import gc
import posix
import time

import hookwright.bindings as bindings
import hookwright.paths as paths
import hookwright.wire as wire
from hookwright.agents import DEFAULT, Written, dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookwright.dispatch import Ran
    from hookwright.reply import Reply
    from hookwright.streams import Streams

LINE_LIMIT = 500
# A payload with one of these keys is in another spelling than the client's own and has to be translated.
_OTHER_SPELLING = frozenset(
    (
        "arguments",
        "eventType",
        "hookEventName",
        "session",
        "sessionId",
        "tool",
        "toolInput",
        "toolName",
        "toolResponse",
        "toolUseId",
        "transcriptPath",
    )
)


class Response:
    """What one event came to: the bytes for the agent, and how they came about."""

    def __init__(self, agent: str) -> None:
        self.started = time.perf_counter()
        self.agent = agent
        self.event_name = ""
        self.raw: dict[str, Any] = {}
        self.config = ""
        self.notes: list[str] = []
        self.table: bindings.Table | None = None  # what is bound; None where the config must be compiled first
        self.ran: list[Ran] = []
        self.reply: Reply | None = None
        self.written = Written()
        self.took_ms = 0.0

    @property
    def bound(self) -> list[bindings.Binding]:
        """All bindings of the event, met or not."""
        return self.table.of(self.event_name) if self.table else []

    @property
    def stderr(self) -> str:
        """What the dialect wants there, what a person may look up, and our notes; of a block only its reason."""
        told = "".join(char if char.isprintable() or char in "\n\t" else " " for char in self.written.stderr)
        if self.written.exit_code:
            return told
        shown = f"{self.reply.shown}\n" if self.reply and self.reply.shown else ""
        notes = [f"hookwright: {_for_a_terminal(note.strip()[:LINE_LIMIT])}\n" for note in self.notes]
        return "".join([told, shown, *notes])


def _for_a_terminal(text: str) -> str:
    """Without what could drive a terminal; a further line is indented, so that it cannot pass for one of ours."""
    lines = ("".join(char if char.isprintable() else " " for char in line) for line in text.splitlines())
    return "\n  ".join(lines)


def main(argv: list[str], answer: "Callable[[bytes, str, str], Response] | None" = None) -> None:
    """The process the agent started. Ends without finalising the interpreter: everything is written by then."""
    exit_code, fault, streams = 0, "the agent goes on without an answer", None
    gc.disable()  # nothing of ours lives long enough to be worth looking for
    try:
        if answer:
            streams = _streams()
            response = answer(_stdin(), *_arguments(argv))
        else:
            response = _received(_stdin(), *_arguments(argv))
            if _is_for_somebody(response):
                streams = _streams()
                _answer(response)
            response.took_ms = (time.perf_counter() - response.started) * 1000
        if streams:
            exit_code = streams.hand_over(response)
        elif response.notes:
            _tell(2, response.stderr)
        fault = "the event is not in the journal"
        record(response)
    except BaseException as error:  # the agent must not be stopped by a fault of ours
        _confess(error, fault, streams.err if streams else 2)
    posix._exit(exit_code)


def respond(
    payload: bytes,
    event_name: str = "",
    agent: str = DEFAULT,
    rehearsal: bool = False,
    meet: "Callable[[dict[str, Any]], None] | None" = None,
) -> Response:
    """Answer one event. Everything the agent gets is in the response; nothing is printed or recorded here.

    A rehearsal is not remembered: it does not count as having kept an agent from stopping. `meet` is shown the payload
    before anything is looked for: a process that answers many events is in another folder at each.
    """
    response = _received(payload, event_name, agent, meet)
    if _is_for_somebody(response):
        _answer(response, rehearsal)
    response.took_ms = (time.perf_counter() - response.started) * 1000
    return response


def _streams() -> "Streams":
    """The agent's streams, kept for ourselves: from here on other people's code may print."""
    from hookwright.streams import Streams

    return Streams()


def _stdin() -> bytes:
    """The payload; nothing where stdin is closed, or a terminal that went away."""
    try:
        return wire.read_all(0)
    except OSError:
        return b""


def _received(
    payload: bytes, event_name: str, agent: str, meet: "Callable[[dict[str, Any]], None] | None" = None
) -> Response:
    """The event, and what its config binds to it."""
    response = Response(agent)
    response.raw = _understood(payload, event_name, response)
    if meet:
        meet(response.raw)
    name = response.raw.get("hook_event_name")
    response.event_name = name if isinstance(name, str) else ""
    response.config = paths.find_config(paths.start_folder(response.raw.get("cwd")))
    if response.config and response.event_name:
        response.table = bindings.load(response.config, response.event_name)
    return response


def _is_for_somebody(response: Response) -> bool:
    """Whether there is anything to run for this event, if only the making of the table that would say so."""
    if response.table is None:
        return bool(response.config and response.event_name)
    return bool(response.table.candidates)


def record(response: Response) -> None:
    """Add the event to the journal of its project; a project without a config has none."""
    if not response.config:
        return
    from hookwright import journal
    from hookwright.masks import cut

    ran = [{"binding": ran.binding.name, "ms": round(ran.ms, 1), "outcome": ran.outcome} for ran in response.ran]
    told: dict[str, Any] = {"ran": ran} if ran else {}
    if response.reply and (answer := response.reply.said()):
        told["answer"] = answer
    told["exit"] = response.written.exit_code
    told["ms"] = round(response.took_ms - sum(ran.ms for ran in response.ran), 2)
    if response.notes:
        told["notes"] = [cut(note, journal.CUT_AT) for note in response.notes]
    event_name = response.event_name or "unknown"
    journal.append(response.config, journal.line(response.agent, event_name, response.raw, told))


def _understood(payload: bytes, event_name: str, response: Response) -> "dict[str, Any]":
    """The payload with the client's own names; {} and a note when it is none."""
    try:
        raw = wire.decode(payload) if payload.strip() else None
    except wire.NotJson:
        raw = None
        response.notes.append("the payload on stdin is not JSON; the event goes unanswered.")
    else:
        if raw is None:
            response.notes.append("there is no payload on stdin; the event goes unanswered.")
        elif not isinstance(raw, dict):
            response.notes.append("the payload on stdin is not a JSON object; the event goes unanswered.")
    if not isinstance(raw, dict):
        return {}
    if event_name:
        from hookwright.events import canonical

        raw["hook_event_name"] = canonical(event_name)
    if response.agent == DEFAULT and _OTHER_SPELLING.isdisjoint(raw) and _is_canonical(raw.get("hook_event_name")):
        return raw
    spoken = dialect(response.agent)
    if spoken is None:
        response.notes.append(f"no agent is called {response.agent!r} here; the event goes unanswered.")
        return {}
    return spoken.read(raw)


def _is_canonical(name: object) -> bool:
    """Whether an event is spelled as the client spells it; told by its form, to leave the table of events unread."""
    return isinstance(name, str) and name[:1].isupper() and name.isalnum() and not name.isupper()


def _answer(response: Response, rehearsal: bool = False) -> None:
    """Pick, dispatch, write."""
    table = response.table = response.table or _compile(response.config)
    if table.news:
        response.notes.append(table.news)
    if not (table.candidates or table.rows.get(response.event_name)):
        return
    import hookwright.dispatch as dispatch
    import hookwright.events as events

    event = events.event_of(response.event_name, response.raw)
    event.agent = response.agent
    event.rehearsal = rehearsal
    picked = table.picked(event)
    if not picked:
        return
    kinds = {binding.kind for binding in picked}
    if kinds != {"command"}:
        gc.enable()  # other people's code, and features that read whole projects
    if "function" in kinds:
        import hookwright.handlers as handlers

        handlers.CODE.update(table.code)
        handlers.own_process = not rehearsal
    response.reply, response.ran = dispatch.dispatch(event, picked)
    of_a_suite = any(ran.binding.kind == "suite" and ran.reply.decision for ran in response.ran)
    if event.loops and not rehearsal and not of_a_suite:  # a suite run counts its own steps
        from hookwright import loops

        loops.let_go_if_told_before(event, response.reply, response.config)
    if response.reply.said():
        spoken = dialect(response.agent)
        assert spoken is not None  # a payload was read with it
        response.written = spoken.write(event, response.reply)
    response.notes += [*response.reply.notes, *response.written.notes]


def _compile(config: str) -> bindings.Table:
    """The config is new or has changed: the one slow path, once per edit."""
    from hookwright.handlers import bring_site_packages

    bring_site_packages()  # PyYAML lives there
    from hookwright import shelf
    from hookwright.config import compile_config

    if not shelf.is_whole():
        from hookwright.shelving import fill

        fill()
    return compile_config(config)


def _arguments(argv: list[str]) -> tuple[str, str]:
    """EVENT and --agent; anything else is passed over, for a hook must not fail on a flag."""
    event_name, agent = "", DEFAULT
    words = iter(argv)
    for word in words:
        if word == "--agent":
            agent = next(words, DEFAULT)
        elif word.startswith("--agent="):
            agent = word.partition("=")[2]
        elif not word.startswith("-"):
            event_name = event_name or word
    return event_name, agent


def _confess(error: BaseException, fault: str, stderr: int) -> None:
    """One line about a fault of ours, for people."""
    text = f"hookwright: {fault} ({type(error).__name__}: {error})"
    _tell(stderr, " ".join(text.split())[:LINE_LIMIT] + "\n")


def _tell(stderr: int, text: str) -> None:
    try:
        wire.write_all(stderr, text.encode("utf-8", "replace"))
    except BaseException:  # noqa: S110 - nobody left to tell
        pass
