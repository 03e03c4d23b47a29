"""A hook that also sees to the server: it is there at the beginning of a conversation, and back at the next prompt."""

from hookwright.hook import Response, respond

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# event -> whether a server that somebody stopped is started too
LOOKS_AFTER = {"SessionStart": True, "Setup": False, "UserPromptSubmit": False}
CRASHED = "the resident server had ended unexpectedly and was started again; events since then may have gone unanswered"


def respond_and_look_after(project: str) -> "Callable[[bytes, str, str], Response]":
    """`hook.respond` for a project that has a server."""

    def answer(payload: bytes, event_name: str, agent: str) -> Response:
        response = respond(payload, event_name, agent)
        if project and response.event_name in LOOKS_AFTER:
            _look_after(project, response)
        return response

    return answer


def _look_after(project: str, response: Response) -> None:
    from hookwright.resident import start

    try:
        started = start.start(project, even_if_stopped=LOOKS_AFTER[response.event_name])
        if started is None or not started.fresh:
            return
        from hookwright.resident.apart import run_apart

        run_apart(project, "resident", "start", "--quiet")  # has the agent's settings lead to it
    except OSError as error:
        response.notes.append(f"the resident server cannot be started: {error.strerror or error}")
        return
    if started.crashed:
        from hookwright.resident.notes import tell

        tell(response, CRASHED)
