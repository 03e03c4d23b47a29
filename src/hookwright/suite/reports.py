"""The forms of a report, and where they are written when a run ends."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any

from hookwright.errors import Refusal
from hookwright.paths import folder_of, replace_file
from hookwright.suite import report_markdown
from hookwright.suite.progress import Run
from hookwright.suite.report import Report, gathered

# form -> (module with `page(report) -> str`, how its files end)
FORMS = {
    "md": ("hookwright.suite.report_markdown", "md"),
    "json": ("hookwright.suite.reports", "json"),
    "junit": ("hookwright.suite.report_junit", "xml"),
    "html": ("hookwright.suite.report_html", "html"),
}
NAME = "report"
LOOKED_AT = 10_000  # characters of a file that tell whether it is a report


def written(run: Run, form: str) -> str:
    """The report of a run in one form."""
    text: str = importlib.import_module(FORMS[form][0]).page(gathered(run))
    return text


def page(report: Report) -> str:
    """As JSON."""
    return json.dumps(as_json(report), indent=2, ensure_ascii=False) + "\n"


def as_json(report: Report) -> dict[str, Any]:
    head = {key: getattr(report, key) for key in ("title", "suite", "mode", "started_at", "completed_at")}
    return {**head, "summary": report.summary, "results": [vars(row) for row in report.rows]}


def write(path: str, text: str) -> None:
    """Replace a report as a whole, behind a link too; a device or pipe is written to, not replaced. Raises Refusal."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as device:
                device.write(text.encode("utf-8", "replace"))
            return
        path = os.path.realpath(path)
        replace_file(path, text.encode("utf-8", "replace"))
        os.chmod(path, 0o644)  # unlike our own files, a report is for others too
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror}.") from error


def write_all(run: Run) -> None:
    """All forms into the run's folder, and the markdown beside the suite, where the documents have it."""
    report = gathered(run)
    for module, ending in FORMS.values():
        _try(f"{run.path}/{NAME}.{ending}", importlib.import_module(module).page(report))
    if run.plan.suite and not left_alone(run):
        _try(beside(run.plan.suite), report_markdown.page(report))


def beside(suite: str) -> str:
    """Where the markdown of a suite lies unless it is told elsewhere."""
    return f"{folder_of(suite)}/{NAME}.md"


def left_alone(run: Run) -> str:
    """What to say where the file beside the suite is somebody's own; "" where it is a report of ours, or none."""
    return not_replaced(beside(run.plan.suite), run.path)


def not_replaced(path: str, run_folder: str) -> str:
    """The same for a run that is kept in this folder."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            ours = report_markdown.is_one(file.read(LOOKED_AT)) and not os.path.islink(path)
    except OSError:
        ours = not os.path.islink(path)  # none yet; a link leads to where nobody has asked for a report
    if ours:
        return ""
    return f"{path} is no report of ours and stays as it is; this one is {run_folder}/{NAME}.md."


def _try(path: str, text: str) -> None:
    try:
        write(path, text)
    except Refusal:  # a read-only checkout must not end the run; the report can be had by word
        pass
