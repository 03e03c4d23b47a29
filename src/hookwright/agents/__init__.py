"""One file per agent dialect. Exactly one is imported per run."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.events import Event
    from hookwright.reply import Reply

    class Dialect:
        """What a dialect module offers; a module is the implementation."""

        NAME: str

        @staticmethod
        def read(raw: "dict[str, Any]") -> "dict[str, Any]": ...
        @staticmethod
        def write(event: "Event", reply: "Reply") -> "Written": ...
        @staticmethod
        def meaning(event: "Event", written: "Written") -> list[str]: ...
        @staticmethod
        def understand(event: "Event", document: "dict[str, Any]") -> "Reply": ...


DIALECTS = {"claude-code": "hookwright.agents.claude_code"}
DEFAULT = "claude-code"


class Written:
    """What goes back to the agent, to the byte."""

    def __init__(self, stdout: str = "", stderr: str = "", exit_code: int = 0, notes: tuple[str, ...] = ()) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.exit_code = exit_code
        self.notes = notes  # parts of the answer that this event cannot carry


def dialect(name: str) -> "Dialect | None":
    """The dialect of an agent, imported now; None for an agent we do not know."""
    module = DIALECTS.get(name)
    if module is None:
        return None
    __import__(module)
    import sys

    return sys.modules[module]  # type: ignore[return-value]
