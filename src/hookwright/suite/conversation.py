"""A word that a person typed: done, and answered in the way the config's `delivery` says."""

from hookwright import paths
from hookwright.errors import Refusal
from hookwright.reply import Reply
from hookwright.suite import actions, messages, state
from hookwright.suite.actions import MODEL, Told
from hookwright.suite.order import Filters
from hookwright.suite.words import BEGINNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.events import Event

OPTIONS = ("--category", "--tag", "--id", "--suite")


def answer(event: "Event", options: "dict[str, Any]", word: str, text: str) -> Reply | None:
    """The reply to one word; None when there turned out to be no run for it."""
    folder, drives = options["folder"], options["drive"] == "self" or word == "drive-tests"
    try:
        kept = state.read(folder) if word not in BEGINNING else None
        if word in BEGINNING:
            told = _run_tests(event, folder, text, drives)
        elif kept is None or (kept["mode"] != state.RUNNING and word != "report"):
            return None  # the cheap look took something else for a run
        else:
            told = actions.do(folder, word, text, event.session_id, kept["current_index"], drives)
    except Refusal as refusal:
        told = Told(f"hookwright: {refusal}", good=False)
    return delivered(told, options["delivery"])


def _run_tests(event: "Event", folder: str, text: str, drives: bool) -> Told:
    named, filters, reset = parsed(text)
    told = actions.begin(folder, named, filters, reset, paths.start_folder(event.cwd))
    if not drives:
        return told
    first = actions.do(folder, "next", "", event.session_id, drives=True)
    if first.run and told.run:
        first.run.notes = [*told.run.notes, *first.run.notes]
    return first


def parsed(text: str) -> tuple[str | None, Filters, bool]:
    """(suite, filters, reset) of what stands after /run-tests. Raises Refusal."""
    import shlex

    try:
        words = shlex.split(text)
    except ValueError:  # an apostrophe is only a character, too
        words = text.split()
    given: dict[str, list[str]] = {option: [] for option in OPTIONS}
    reset = False
    queue = iter(words)
    for word in queue:
        option, equals, value = word.partition("=")
        if option == "--reset":
            reset = True
        elif option not in given:
            raise Refusal(f"/run-tests does not know {word!r}; it takes {', '.join(OPTIONS)} and --reset.")
        else:
            given[option].append(value if equals else next(queue, ""))
            if not given[option][-1]:
                raise Refusal(f"{option} needs a value.")
    category, tag, suite = (
        given[option][-1] if given[option] else None for option in ("--category", "--tag", "--suite")
    )
    return suite, Filters(category, tag, given["--id"]), reset


def delivered(told: Told, delivery: str) -> Reply:
    """To the model by a context, to the person by a block; in the documents' form by `replace`."""
    text = messages.for_model(told.text, told.driven) if told.to == MODEL else told.text
    if told.run is not None:
        text = messages.fitting(text, told.run.path, "told.md")
    if delivery == "replace":
        return Reply(extra={"replace": text})
    if told.to == MODEL:
        return Reply(context=text, user="\n".join(told.run.notes) if told.run else "")
    return Reply("deny", text, extra={"suppressOriginalPrompt": True})
