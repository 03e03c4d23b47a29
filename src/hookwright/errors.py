"""What we say when a person has to mend something, and the exit codes of every verb."""

DONE = 0
NO = 1  # the answer is "no": tests failed, the check found problems
BLOCK = 2  # written by an agent's dialect only: to the agent it means "block"
COULD_NOT = 3
USAGE = 64


class Refusal(Exception):
    """An expected failure, shown as one sentence: what is wrong, where, what to do."""


class HandlerFailed(Exception):
    """A handler could not give its answer; the text is for people."""
