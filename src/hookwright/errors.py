"""What we say when a person has to mend something, and the exit codes of every verb."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DONE = 0
NO = 1  # the answer is "no": tests failed, the check found problems
BLOCK = 2  # written by an agent's dialect only: to the agent it means "block"
COULD_NOT = 3
USAGE = 64


class Refusal(Exception):
    """An expected failure, shown as one sentence: what is wrong, where, what to do."""


class Misuse(Refusal):
    """The words of the call are wrong; leaves with the exit code of wrong usage."""


def did_you_mean(word: str, names: "Iterable[str]") -> str:
    """The nearest name as the end of a sentence, or nothing."""
    import difflib

    close = difflib.get_close_matches(word, list(names), n=1)
    return f'; did you mean "{close[0]}"?' if close else "."
