"""Whether a test can run at all: what the suite says, the tests it depends on, the variables it needs."""

from hookwright.suite.variables import names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import Any

OUTCOMES = {"fail": "failed", "skip": "was skipped"}


def why_not(case: "dict[str, Any]", status_of: "Callable[[str], str | None]", known: "Container[str]") -> str | None:
    """The reason for which a test is skipped; None where it can run."""
    if case.get("skip"):
        return "Skipped by the suite" if case["skip"] is True else str(case["skip"])
    for name in case.get("depends_on", ()):
        status = status_of(name)
        if status != "pass":
            return f"Depends on '{name}', which {OUTCOMES.get(str(status), 'is not part of this run')}"
    for key in ("action", "expect", "save", "save_as", "call"):
        for name in names_in(case.get(key)):
            if name not in known:
                return f"Needs ${{{name}}}, which no test has saved"
    return None
