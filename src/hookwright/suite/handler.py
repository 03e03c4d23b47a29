"""Does this event concern a run? Asked of every prompt, so it must cost next to nothing while the answer is no."""

from hookwright.paths import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.bindings import Binding
    from hookwright.events import Event
    from hookwright.reply import Reply

STATE = "/.claude/test-state.json"  # as `places` has it, which is not loaded while there is no run
RUNNING = b'"running"'
NOT_TYPED = "<task-notification>"  # the client's own prompt when a background task is done


def handle(event: "Event", binding: "Binding", _allowed_s: float) -> "Reply | None":
    """The answer of a run to an event; None where there is no run, or nothing to say."""
    try:
        state = read_file(binding.options["folder"] + STATE)
    except OSError:
        state = b""
    return EVENTS[event.event_name](event, binding, state)


def _prompt(event: "Event", binding: "Binding", state: bytes) -> "Reply | None":
    from hookwright.suite import words

    prompt = event.raw.get("prompt")
    if not isinstance(prompt, str):
        return None
    word, text = words.read(prompt)
    running = RUNNING in state
    if not word:
        if running and not event.rehearsal and not prompt.startswith(NOT_TYPED):
            from hookwright.suite import watch

            watch.pause(event, binding.options["folder"], state, prompt)
        return None
    if not running and (word not in words.WITHOUT_A_RUN or (word == "report" and not state)):
        return None
    if event.rehearsal and word not in words.READING:
        return _left_alone(prompt)
    from hookwright.suite import conversation

    return conversation.answer(event, binding.options, word, text)


def _tool(event: "Event", binding: "Binding", state: bytes) -> "Reply | None":
    if RUNNING in state and not event.rehearsal:
        from hookwright.suite import watch

        watch.see(event, binding.options["folder"], state)
    return None


def _stop(event: "Event", binding: "Binding", state: bytes) -> "Reply | None":
    if RUNNING not in state:
        return None
    if event.rehearsal:
        return _left_alone("a Stop")
    from hookwright.suite import selfdrive

    return selfdrive.stop(event, binding.options["folder"], state)


def _left_alone(what: str) -> "Reply":
    from hookwright.reply import Reply

    return Reply(notes=(f"a rehearsal leaves the test run as it is: {what.strip()[:40]!r} was not done",))


EVENTS = {"UserPromptSubmit": _prompt, "PostToolUse": _tool, "PostToolUseFailure": _tool, "Stop": _stop}
