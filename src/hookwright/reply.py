"""What can be answered to an event, and the one rule that merges several answers into one."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DECISIONS = ("deny", "defer", "ask", "allow")  # the strictest first


class HandlerFailed(Exception):
    """A handler could not give its answer; the text is for people."""


class Reply:
    """One answer. Every part is optional; a Reply without any part is "no opinion"."""

    __slots__ = ("context", "decision", "extra", "failed", "halt", "input", "notes", "reason", "shown", "user")

    def __init__(
        self,
        decision: str = "",
        reason: str = "",
        *,
        context: str = "",
        user: str = "",
        input: "dict[str, Any] | None" = None,
        halt: str | None = None,
        extra: "dict[str, Any] | None" = None,
        notes: tuple[str, ...] = (),
        shown: str = "",
        failed: bool = False,
    ) -> None:
        self.decision = decision  # allow, deny (a block is one), ask, defer, or "" for none
        self.reason = _text(reason)
        self.context = _text(context)  # for the model
        self.user = _text(user)  # for the person
        self.input = input  # the tool's input, rewritten
        self.halt = None if halt is None else str(halt)  # end the turn, with this text
        self.extra = extra or {}  # answer fields by the agent's own names
        self.notes = notes  # for stderr and the journal: what went wrong on our side
        self.shown = shown  # for stderr alone: what a person may want to look up, and need not
        self.failed = failed  # the handler failed; its notes say how

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reply) and self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"Reply({', '.join(f'{name}={value!r}' for name, value in self.parts().items())})"

    def parts(self) -> "dict[str, Any]":
        """The parts that say something."""
        nothing: tuple[object, ...] = ("", None, {}, (), False)
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) not in nothing}

    def said(self) -> "dict[str, Any]":
        """The parts that are meant for the agent and its person."""
        return {name: value for name, value in self.parts().items() if name not in ("notes", "shown", "failed")}


def merge(replies: list[Reply]) -> Reply:
    """The strictest decision with its reasons; every text, in order; any halt; for the rest the last one wins."""
    merged = Reply()
    for strictest in DECISIONS:
        if any(reply.decision == strictest for reply in replies):
            merged.decision = strictest
            merged.reason = _joined(reply.reason for reply in replies if reply.decision == strictest)
            break
    merged.context = _joined(reply.context for reply in replies)
    merged.user = _joined(reply.user for reply in replies)
    merged.shown = _joined(reply.shown for reply in replies)
    merged.failed = any(reply.failed for reply in replies)
    halts = [reply.halt for reply in replies if reply.halt is not None]
    if halts:
        merged.halt = _joined(halts)
    for reply in replies:
        merged.input = reply.input if reply.input is not None else merged.input
        merged.extra.update(reply.extra)
        merged.notes += reply.notes
    return merged


def _joined(texts: "Any") -> str:
    return "\n".join(str(text) for text in texts if text)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _must_be_json(value: object, where: str) -> None:
    """What JSON cannot hold would reach the tool changed, or not at all."""
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{where} has the key {key!r}; a key must be text")
            _must_be_json(member, f"{where}[{key!r}]")
    elif isinstance(value, list | tuple):
        for member in value:
            _must_be_json(member, f"an item of {where}")
    elif isinstance(value, float) and value - value != 0:
        raise TypeError(f"{where} is {value}, which JSON cannot hold")
    elif value is not None and not isinstance(value, str | int | float):
        raise TypeError(f"{where} is a {type(value).__name__}, which JSON cannot hold")


def allow(reason: str | None = None) -> Reply:
    """Let it happen without asking the person."""
    return Reply("allow", reason or "")


def deny(reason: str) -> Reply:
    """Do not let it happen; the model, or the person, reads why."""
    return Reply("deny", reason)


def ask(reason: str) -> Reply:
    """Let the person decide."""
    return Reply("ask", reason)


def defer() -> Reply:
    """Put the tool call off (only for headless runs that handle deferred calls)."""
    return Reply("defer")


def block(reason: str) -> Reply:
    """The same refusal by the name that prompts, stops and tasks use for it."""
    return Reply("deny", reason)


def context(text: str) -> Reply:
    """Tell the model something."""
    return Reply(context=text)


def tell_user(text: str) -> Reply:
    """Tell the person something; the model does not see it."""
    return Reply(user=text)


def rewrite(input: "dict[str, Any]") -> Reply:
    """Run the tool with this input instead (the whole input, not a part of it)."""
    if not isinstance(input, dict):
        raise TypeError(f"rewrite() takes the whole tool input as a dict, not {type(input).__name__}")
    _must_be_json(input, "the input")
    return Reply(input=input)


def halt(reason: str) -> Reply:
    """End the agent's turn."""
    return Reply(halt=_text(reason))


def keep_working(reason: str = "There is more to do.") -> Reply:
    """Do not let an agent or teammate stop yet."""
    return Reply("deny", reason)


def reject_task(reason: str = "The task is not accepted.") -> Reply:
    """Do not let a task be created or completed."""
    return Reply("deny", reason)


def permission(decision: str, message: str | None = None) -> Reply:
    """Answer a permission prompt in the person's place: "allow" or "deny"."""
    if decision not in ("allow", "deny"):
        raise ValueError(
            f'permission() takes "allow" or "deny", not {decision!r}; return None to let the person decide'
        )
    return Reply(decision, message or "")


def answer(**fields: "Any") -> Reply:
    """Any other answer field by the agent's own name, as `answer(sessionTitle="Release")`."""
    return Reply(extra=fields)
