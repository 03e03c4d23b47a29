"""Tell a person, with the next event, what went wrong when nobody could be told."""

from hookwright.events import BY_NAME
from hookwright.wire import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.hook import Response


def tell(response: "Response", note: str) -> bool:
    """Add a note to an answer; False where this event has no words for the person."""
    event = BY_NAME.get(response.event_name)
    written = response.written
    if event is None or "systemMessage" not in event.top.split() or written.exit_code:
        return False
    try:
        document = decode(written.stdout.encode()) if written.stdout else {}
    except NotJson:
        return False
    if not isinstance(document, dict):
        return False
    before = document.get("systemMessage")
    document["systemMessage"] = "\n".join([*([before] if before else []), f"hookwright: {note}"])
    written.stdout = encode(document)
    response.notes.append(note)
    return True
