"""The words, done: one function each. The conversation and the command line call the same ones, under the same lock."""

from hookwright.errors import Refusal
from hookwright.suite import driver, messages, plan, progress, state, undo
from hookwright.suite.order import Filters
from hookwright.suite.progress import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MODEL, PERSON = "model", "person"


class Told:
    """What a word came to: a text, whom it is for, and whether all is well."""

    __slots__ = ("driven", "good", "run", "text", "to")

    def __init__(self, text: str, to: str = PERSON, good: bool = True, run: Run | None = None) -> None:
        self.text = text
        self.to = to
        self.good = good
        self.run = run
        self.driven = False  # whether the run goes on by itself from here


def begin(
    folder: str, named: str | None = None, filters: Filters | None = None, reset: bool = False, start: str = ""
) -> Told:
    """`init`, `/run-tests`: a new run, or the one that is on. A suite without a name is looked for from `start` up."""
    if not state.look(folder):
        plan.suite_file(folder, named, start)  # where there is none, no folder of ours is made either
    with state.Locked(folder):
        run, new = progress.begin(folder, named, filters or Filters(), reset, start)
        return Told(messages.opening(run, new), run=run)


def do(folder: str, word: str, text: str = "", session: str = "", at: int | None = None, drives: bool = False) -> Told:
    """One word, typed in a session; `at` is where the run must stand.

    When the run `drives` itself, or has done so before, the test that is handed over is that session's.
    """
    if word in READING:
        run = progress.opened(folder)
        return Told(READING[word](run), run=run)
    if not state.look(folder):
        raise progress.NoRun  # and no folder of ours is made
    with state.Locked(folder):
        run = progress.opened(folder)
        if not run.running and word not in WITHOUT_A_RUN:
            raise Refusal(f"the test run is {run.state['mode']}; begin another with /run-tests or `suite init`.")
        if at is not None and run.index != at:  # two people, or a hook that is registered twice
            raise Refusal("the run has moved on meanwhile; `status` says where it stands.")
        told = CHANGING[word](run, text)
        told.run = run
        told.driven = bool(session) and (drives or bool(driver.read(run.path).session))
        if told.driven and told.to == MODEL:
            driver.write(run.path, driver.Driver(session, run.index))
        settle(run)
    return told


def settle(run: Run) -> None:
    """Put the new state in place; one that says "completed" or "aborted" has its reports on disk."""
    if not run.running:
        from hookwright.suite import reports

        reports.write_all(run)
    run.save()


def _next(run: Run, _text: str) -> Told:
    if run.current is not None:
        undo.retry(run)  # handed over once more: what was seen until now does not count
    before = len(run.results)
    case = progress.take(run)
    gone_past = [messages.result(result) for result in run.results.since(before)]
    if case is None:
        return Told("\n".join([*gone_past, messages.go_on(run)]))
    run.notes += gone_past
    return Told(messages.action(run, case), MODEL)


def _validate(run: Run, text: str) -> Told:
    if run.current is None:
        raise Refusal("no test is current; type `next` for one.")
    if not text.strip():
        raise Refusal("write the response after the word: `validate TEXT`.")
    verdict = progress.judge(run, text, seen_tools=False)
    return Told(f"{messages.verdict(verdict)}\n{messages.go_on(run)}", good=verdict.status == "pass")


def _skip(run: Run, _text: str) -> Told:
    case = progress.skip(run)
    return Told(f"{messages.heading('skip', case['id'])}\n{messages.go_on(run)}")


def _retry(run: Run, _text: str) -> Told:
    undo.retry(run)
    return _next(run, "")


def _abort(run: Run, _text: str) -> Told:
    progress.end(run, state.ABORTED)
    return Told(f"# Test run aborted\n{messages.totals(run)}\n{messages.where_reported(run)}")


def _report(run: Run) -> str:
    from hookwright.suite import report, report_markdown

    return report_markdown.page(report.gathered(run))


def _help(_run: Run) -> str:
    return messages.HELP


READING: "dict[str, Callable[[Run], str]]" = {
    "status": messages.status,
    "vars": messages.variables,
    "report": _report,
    "help": _help,
}
CHANGING: "dict[str, Callable[[Run, str], Told]]" = {
    "next": _next,
    "validate": _validate,
    "skip": _skip,
    "retry": _retry,
    "abort": _abort,
}
WITHOUT_A_RUN = ("retry",)  # the last result can be taken back when it was the last of the run, too
