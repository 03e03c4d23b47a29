"""The plan of a run: the selected tests in order, as the suite said when it began. An edit meanwhile moves nothing."""

from hookwright.errors import Refusal, did_you_mean
from hookwright.paths import read_file, replace_file
from hookwright.suite import packages, patterns
from hookwright.suite.order import Filters
from hookwright.suite.places import make_run_folder, plan_file, run_folder
from hookwright.wire import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.suite.suites import Suite


class Plan:
    """A line for each test, read when asked for: the last costs what the first does."""

    def __init__(self, data: bytes) -> None:
        first, *self._lines = data.rstrip(b"\n").split(b"\n")
        header = _object(first)
        self.suite = str(header.get("suite") or "")
        self.description = str(header.get("description") or "Test Suite")
        self._code_is_ours = header.get("engine") == patterns.engine()

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: int) -> "dict[str, Any]":
        test: dict[str, Any] = _object(self._lines[index])["test"]
        return test

    def make_patterns_known(self, index: int) -> None:
        """The patterns of a test need not be compiled again by who judges it."""
        if self._code_is_ours:
            patterns.CODE.update(_object(self._lines[index]).get("code") or {})


def _object(line: bytes) -> "dict[str, Any]":
    try:
        value = decode(line)
    except NotJson:
        value = None
    if not isinstance(value, dict):
        raise Refusal("the plan of this run is broken; start anew with `init --reset`.")
    return value


def suite_file(folder: str, named: str | None = None, start: str = "") -> str:
    """The suite that a new run is of: the one that is named, else the nearest from `start` up. Raises Refusal."""
    packages.reachable()
    from hookwright.suite import suites

    return suites.find(folder if named else start or folder, named)


def suite_of(folder: str, named: str | None = None, start: str = "") -> "Suite":
    """That suite, read. Raises Refusal where it has a fault."""
    path = suite_file(folder, named, start)
    from hookwright.suite import suites

    return suites.load(path)


def selected(suite: "Suite", filters: Filters) -> "list[dict[str, Any]]":
    """The tests that the filters leave. Raises Refusal where they leave none."""
    ids = [case["id"] for case in suite.cases]
    for unknown in (one for one in filters.ids if one not in ids):
        raise Refusal(f"no test of {suite.path} has id {unknown!r}{did_you_mean(unknown, ids)}")
    cases = [case for case in suite.cases if filters.take(case)]
    if not cases:
        raise Refusal(f"no test of {suite.path} has {filters}{_near(suite, filters)}")
    return cases


def _near(suite: "Suite", filters: Filters) -> str:
    """What may have been meant by a category or a tag that no test has."""
    categories = {case["category"] for case in suite.cases if "category" in case}
    tags = {tag for case in suite.cases for tag in case.get("tags", ())}
    if filters.category is not None and filters.category not in categories:
        return did_you_mean(filters.category, sorted(categories))
    return did_you_mean(filters.tag, sorted(tags)) if filters.tag is not None and filters.tag not in tags else "."


def store(run: str, suite: "Suite", cases: "list[dict[str, Any]]") -> None:
    """Write the plan into the run's folder."""
    header = {"suite": suite.path, "description": suite.description, "engine": patterns.engine()}
    lines = [{"test": case, "code": patterns.code_of(case)} for case in cases]
    replace_file(plan_file(run), "".join(encode(line) + "\n" for line in [header, *lines]).encode())


def of_run(folder: str, state: "dict[str, Any]") -> Plan:
    """The plan of the run in this state. A run that somebody else began has none yet: it gets one from the suite."""
    run = run_folder(folder, state["started_at"])
    try:
        return Plan(read_file(plan_file(run)))
    except FileNotFoundError:
        pass
    try:
        make_run_folder(folder, state["started_at"])
    except FileExistsError:
        pass
    suite = suite_of(folder)
    chosen = selected(suite, Filters(state["filter_category"], state["filter_tag"]))
    # Chosen by id, or the suite has changed meanwhile: we would name the wrong tests.
    if state["total_tests"] not in (0, None, len(chosen)):
        raise Refusal(
            f"what was planned for this run is lost: {state['total_tests']} tests then, {len(chosen)} in the suite now."
            " `hookwright suite init --reset` begins anew."
        )
    store(run, suite, chosen)
    return Plan(read_file(plan_file(run)))
