"""What a run says, in the words of the source documents: to the model what to do, to the person how it went."""

from hookwright.paths import replace_file
from hookwright.suite.words import OURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.suite.progress import Run, Verdict

LONGEST = 9_500  # the client takes 10,000 characters and hides the rest of a longer text behind a preview
MARKS = {"pass": "✅ PASS", "fail": "❌ FAIL", "skip": "⏭️ SKIP"}
HELP = """\
Words while a test run is on (any other prompt goes to the model untouched):
  next, n            the next test
  validate TEXT, v   judge the current test on TEXT
  skip, s            skip the current test
  retry              take the current test again, or the last result back
  status             how far the run is
  vars               the saved variables
  report             the results so far
  abort, a           end the run
  help, ?            this list
/run-tests [--category X] [--tag Y] [--id ID] [--suite FILE] [--reset] begins a run, or resumes the one that is on."""


def opening(run: "Run", new: bool) -> str:
    """A run begins, or is resumed."""
    filters = [f"{name} `{run.state[key]}`" for name, key in (("category", "filter_category"), ("tag", "filter_tag"))]
    chosen = [text for text, key in zip(filters, ("filter_category", "filter_tag"), strict=True) if run.state[key]]
    lines = [f"# {one_line(run.plan.description)}", f"**Total tests:** {run.total}"]
    if chosen:
        lines.append(f"**Filter:** {', '.join(chosen)}")
    if new:
        lines.append("Type **next** to begin testing.")
    else:
        lines.append(f"This run is on, with {len(run.results)} of {run.total} done (--reset begins anew).")
        lines.append("Type **next** to go on.")
    return "\n".join([*lines, *run.notes])


def action(run: "Run", case: "dict[str, Any]") -> str:
    """One test to be done, as the documents show it."""
    lines = [f"## Test {run.index + 1}/{run.total}: {one_line(case['id'])}"]
    for name in ("category", "description"):
        if case.get(name):
            lines.append(f"**{name.capitalize()}:** {one_line(case[name])}")
    return "\n".join([*lines, "", "### Action", to_do(case)])


def to_do(case: "dict[str, Any]") -> str:
    """The action, or the direct call in the documents' plain form."""
    if case.get("action"):
        return str(case["action"])
    from hookwright.wire import encode

    call = case.get("call") or {}
    arguments = call.get("arguments") or {}
    named = ", ".join(
        f"{key}: {value if isinstance(value, str) else encode(value)}" for key, value in arguments.items()
    )
    return f"Call {call.get('tool')} with {named}" if named else f"Call {call.get('tool')}"


def for_model(text: str, driven: bool) -> str:
    """The action as an instruction to the model."""
    after = (
        "Do only this action, with the tools it names, and then say in one short message what came back, and stop. "
        "Do not look for the next test: it is handed to you as soon as you stop."
        if driven
        else "Do only this action, with the tools it names, and then say what came back. The person judges it."
    )
    return f"{OURS}\n\n{text}\n\n{after}"


def verdict(found: "Verdict") -> str:
    """How one test came out."""
    lines = [heading(found.status, found.case["id"]), *(f"- {failure}" for failure in found.failures)]
    lines += [f"- Not saved: '{name}' (nothing in the response fits)" for name in found.unsaved]
    return "\n".join(lines)


def result(kept: "dict[str, Any]") -> str:
    """A result that nobody judged: the test could not run, and why."""
    reasons = [f"- {reason}" for reason in kept["failures"]]
    return "\n".join([heading(kept["status"], kept["id"]), *reasons])


def heading(status: str, test_id: str) -> str:
    """The line over what is said of one test."""
    return f"## {MARKS.get(status, '?')}: {one_line(test_id)}"


def one_line(text: str) -> str:
    """A text that cannot begin a line of its own."""
    return " ".join(str(text).split())


def tests(count: int) -> str:
    """So many."""
    return f"{count} test{'' if count == 1 else 's'}"


def go_on(run: "Run") -> str:
    """What the person may do now."""
    if run.running:
        return "Type **next** to continue to the next test."
    return f"All tests are done: {totals(run)}\n{where_reported(run)}"


def where_reported(run: "Run") -> str:
    """After the last test: how to read the report, and what was not written."""
    from hookwright.suite import reports

    return "\n".join(filter(None, ("Type **report** to see the report.", reports.left_alone(run))))


def totals(run: "Run") -> str:
    """The documents' line of numbers."""
    return totals_line(run.total, *(run.tally()[status] for status in ("pass", "fail", "skip")))


def totals_line(total: int, passed: int, failed: int, skipped: int) -> str:
    not_run = total - passed - failed - skipped
    rest = f" | **Not run:** {not_run}" if not_run else ""
    return f"**Total:** {total} | **Passed:** {passed} | **Failed:** {failed} | **Skipped:** {skipped}{rest}"


def status(run: "Run") -> str:
    """How far a run is."""
    lines = [f"# {one_line(run.plan.description)}", f"**Mode:** {run.state['mode']}", totals(run)]
    lines.append(f"**Progress:** {sum(run.tally().values())}/{run.total}")
    if run.current:
        lines.append(f"**Current test:** {one_line(run.current['id'])}")
    return "\n".join(lines)


def variables(run: "Run") -> str:
    """The saved variables."""
    saved = run.state["saved_vars"]
    listed = [f"- `{name}` = {value}" for name, value in saved.items()]
    return "\n".join(["# Saved variables", *(listed or ["None yet."])])


def fitting(text: str, run_path: str, name: str) -> str:
    """The text, or its beginning and where the whole of it is, when the client would hide the rest of it."""
    text = text.encode("utf-8", "replace").decode()  # half a character, which no model is sent
    if len(text) <= LONGEST // 2 or len(text.encode("utf-16-le", "replace")) // 2 <= LONGEST:
        return text
    path = f"{run_path}/{name}"
    try:
        replace_file(path, text.encode("utf-8", "replace"))
    except OSError:
        path = ""
    where = f"the whole text is in {path}; read that file first" if path else "the rest could not be kept"
    head = (
        text[: (LONGEST - len(where.encode()) - 100) // 2] if not text.isascii() else text[: LONGEST - len(where) - 100]
    )
    return f"{head}\n\n… ({len(text) - len(head):,} more characters: {where})"
