"""Swift: `swift test --filter` for the suites that use what was edited, and its xunit files."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from typing import Any

from hookwright.affected import junit
from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.reading import broke_off, complaints, count, failure, fresh, not_run
from hookwright.affected.sources import Source, every, paths, reached, spoken_of, without_remarks
from hookwright.affected.toolchain import found, own_argv, own_runner, read, whole
from hookwright.output import plain

NAME = "swift"
BUDGET_S = 15.0
MARKERS = ("Package.swift",)
LIVE: tuple[str, ...] = ()
FORMAT_TESTED = ("swift test",)
SIGNS = (("Tests", "swift test"),)
LINT = "swiftlint"
LOCKS = {"Package.resolved": "swift package resolve"}
BUILT = (".build", ".swiftpm")
# At the top of a file: who uses a member speaks of its type, or of somebody who does.
DECLARED = re.compile(
    r"^(?:@\w+(?:\([^)\n]*\))?\s+)*(?:[a-z]+(?:\(set\))?\s+)*?"
    r"(?:class|struct|enum|protocol|actor|typealias|func|extension|macro|let|var)\s+`?(?:\w+\.)*(\w+)",
    re.MULTILINE,
)
SUITE = re.compile(r"^(?:@\w+(?:\([^)\n]*\))?\s+)*(?:[a-z]+\s+)*?(?:class|struct|actor|enum)\s+(\w+)", re.MULTILINE)
FREE_TEST = re.compile(r"^@Test\b(?:\([^)]*\))?\s*(?:@\w+\s+)*func\s+`?(\w+)", re.MULTILINE)
TESTS = re.compile(r"\bXCTestCase\b|@Test\b|@Suite\b")
# by XCTest and by the compiler; a test's own line has its name before the words
COMPLAINT = re.compile(r"^(?P<file>/[^\n:]+\.swift):(?P<line>\d+):\d+: error: (?P<what>[^\n]+)", re.MULTILINE)
ASSERTION = re.compile(
    r"^(?P<file>/[^\n:]+\.swift):(?P<line>\d+): error: -?\[?(?P<test>[\w.]+[. ]\w+)\]? : (?P<what>[^\n]+)", re.MULTILINE
)
PLACE = re.compile(r"(?P<file>[^\s:][^:\n]*\.swift):(?P<line>\d+)")


def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return "Tests" in folders or name.endswith(("Tests.swift", "Test.swift"))


def runner(project: Project) -> Runner | None:
    """git is kept from the network for the run: SwiftPM would fetch what Package.swift newly names."""
    if project.command:
        return own_runner(project)
    swift = found(project, "swift")
    if not swift or not os.path.exists(f"{project.root}/Package.swift"):
        return None
    project.environment.setdefault(b"GIT_ALLOW_PROTOCOL", b"file")
    return Runner("swift test", (swift, "test"))


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    files = list(_sources(project.root))
    chosen = reached(project, spoken_of(files), edited, _has_tests(files))
    return _named(project, runner, chosen)


def select_all(project: Project, runner: Runner) -> Selection:
    files = list(_sources(project.root))
    return _named(project, runner, every(project, [each.path for each in files], _has_tests(files)))


def _sources(root: str) -> Iterator[Source]:
    for path in paths(root, (".swift",), BUILT):
        content = without_remarks(read(f"{root}/{path}"))
        yield Source(path, content, tuple(dict.fromkeys(DECLARED.findall(content))), _target(path))


def _target(path: str) -> str:
    """The folder below Sources/ or Tests/ is a module's name; who uses it must import it."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] in ("Sources", "Tests", "Source", "Src", "src") else ""


def _has_tests(files: list[Source]) -> Any:
    tests = {each.path for each in files if is_test(each.path) and TESTS.search(each.text)}
    return lambda path: path in tests


def _named(project: Project, runner: Runner, chosen: Selection) -> Selection:
    """Files of tests -> the names that `--filter` knows: Target.Suite, or Target.function."""
    reasons: dict[str, str] = {}
    for path, why in chosen.reasons.items():
        content = without_remarks(read(f"{project.root}/{path}"))
        names = dict.fromkeys([*SUITE.findall(content), *FREE_TEST.findall(content)])
        reasons.update({f"{_target(path)}.{name}" if _target(path) else name: why for name in names})
    return whole(chosen.kind, reasons, chosen.note)


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    """Without --parallel there is no report of XCTest."""
    if project.command:
        return own_argv(project, selection.tests)
    output = fresh(project, "swift.xml")
    fresh(project, "swift-swift-testing.xml")
    everything = selection.kind == "all" and not project.exclude
    filters = [] if everything else [f"--filter=^{re.escape(test)}[/(]" for test in selection.tests]
    return [*runner.argv, "--parallel", f"--xunit-output={output}", *filters]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if project.command:
        return Report()
    told = [read(project.file(name)) for name in ("swift.xml", "swift-swift-testing.xml")]
    said = plain(f"{outcome.stdout.text()}\n{outcome.stderr.text()}")
    if not any(each.strip() for each in told):
        return not_run(project.root, runner.name, outcome, COMPLAINT)
    return read_xunit([each for each in told if each.strip()], said, project.root, outcome.timed_out)


def read_xunit(told: list[str], said: str, root: str, stopped: bool = False) -> Report:
    """XCTest's file says only that a test failed: the words are those that it printed.

    With --parallel each test is a process: of a run that we stopped, those without words may have been stopped too.
    """
    if any(junit.document(each) is None for each in told):
        return broke_off("swift test")
    report = Report(found=True, whole=True)
    words: dict[str, list[re.Match[str]]] = {}
    for match in ASSERTION.finditer(said):
        words.setdefault(match["test"].replace(" ", "."), []).append(match)
    for case in (case for each in told for case in junit.cases(each)):
        name = f"{case.group}/{case.name}"
        failed = _failed(root, name, case, words) if case.fault is not None else None
        if stopped and failed and not failed.where:
            continue
        count(report, name, case.how)
        report.failures += [failed] if failed else []
    if not report.ran:
        report.broken = complaints(root, said, COMPLAINT)
    return report


def _failed(root: str, name: str, case: junit.Case, words: dict[str, list[re.Match[str]]]) -> Failure:
    suite = case.group.rpartition(".")[2]
    printed = words.get(f"{suite}.{case.name}") or words.get(f"{case.group}.{case.name}") or []
    if printed:
        return failure(
            root, name, "\n".join(match["what"] for match in printed), printed[0]["file"], printed[0]["line"]
        )
    place = PLACE.search(case.trace())
    return failure(root, name, "\n".join(case.said()), place["file"] if place else "", place["line"] if place else "")


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    shown = [test.removesuffix("()") for test in tests if test][:5]
    if project.command:
        return shlex.join(own_argv(project, shown))
    return shlex.join(["swift", "test", *(part for test in shown for part in ("--filter", test))])
