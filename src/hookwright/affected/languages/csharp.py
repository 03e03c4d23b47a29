"""C#: `dotnet test` of the test project or the solution, for the classes that use the edited file; its trx files."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from hookwright.affected import junit
from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.reading import MOST_BROKEN, broke_off, failure, lines, not_run
from hookwright.affected.sources import Source, every, paths, reached, spoken_of, without_remarks
from hookwright.affected.toolchain import found, own_argv, own_runner, read, whole

NAME = "csharp"
BUDGET_S = 10.0
MARKERS = ("*.sln", "*.slnx")  # not *.csproj: tests are in a project of their own beside it
LIVE: tuple[str, ...] = ()
FORMAT_TESTED = ("dotnet test",)
SIGNS = (("*.sln", "dotnet test"), ("*.slnx", "dotnet test"))
LINT = "dotnet format --verify-no-changes"
LOCKS = {"packages.lock.json": "dotnet restore"}
BUILT = ("bin", "obj")
TEST_PROJECT = re.compile(r"Microsoft\.NET\.Test\.Sdk|<IsTestProject>\s*true|MSTest\.Sdk", re.IGNORECASE)
NAMESPACE = re.compile(r"^\s*namespace\s+([\w.]+)", re.MULTILINE)
DECLARED = re.compile(
    r"(?:^|[{};\]])\s*(?:(?:public|internal|private|protected|static|sealed|abstract|partial|readonly|ref|file|new)\s+)*"
    r"(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?|delegate\s+[\w<>\[\]?.]+)\s+(\w+)",
    re.MULTILINE,
)
EXTENSION = re.compile(r"\b(\w+)\s*(?:<[^>()]*>)?\s*\(\s*this\s")  # a method that is called on what it extends
GLOBAL_USING = re.compile(r"^\s*global\s+using\s+(?:static\s+)?([\w.]+)", re.MULTILINE)
TESTS = re.compile(
    r"\[\s*(?:Xunit\.|NUnit\.Framework\.)?(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod)\b"
)
TEST_FOLDER = re.compile(r"(?:^|\.)(?:Unit|Integration|Functional)?Tests?$", re.IGNORECASE)
PLACE = re.compile(r" in (?P<file>[^\n]+?\.cs):line (?P<line>\d+)")
COMPLAINT = re.compile(
    r"^[ \t]*(?P<file>[^\s(][^(\n]*\.(?:cs|csproj|sln|slnx))\((?P<line>\d+),\d+\): error (?P<what>\w+: [^\n]+?)"
    r"(?: \[[^\[\]\n]+\])?$",
    re.MULTILINE,
)
ABORTED = ("Aborted", "Error", "Timeout")
NOT_RUN = ("NotExecuted", "NotRunnable", "Inconclusive", "Disconnected", "Pending")


def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return name.endswith(("Tests.cs", "Test.cs")) or any(TEST_FOLDER.search(each) for each in folders)


def runner(project: Project) -> Runner | None:
    """VSTest's command line; the newer Microsoft.Testing.Platform of global.json has another."""
    if project.command:
        return own_runner(project)
    dotnet = found(project, "dotnet")
    projects = _test_projects(project.root)
    if not dotnet or not projects or "Microsoft.Testing.Platform" in read(f"{project.root}/global.json"):
        return None
    for name in (b"DOTNET_NOLOGO", b"DOTNET_CLI_TELEMETRY_OPTOUT"):
        project.environment.setdefault(name, b"1")
    return Runner("dotnet test", (dotnet, "test"), {"projects": projects})


def _test_projects(root: str) -> list[str]:
    """By what a project file says, or by its name: what it needs may stand in a file that all share."""
    return [
        path
        for path in paths(root, (".csproj",), BUILT)
        if TEST_FOLDER.search(os.path.basename(path)[: -len(".csproj")]) or TEST_PROJECT.search(read(f"{root}/{path}"))
    ]


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    files = list(_sources(project.root))
    return _named(project, runner, reached(project, spoken_of(files), edited, _has_tests(files)))


def select_all(project: Project, runner: Runner) -> Selection:
    files = list(_sources(project.root))
    return _named(project, runner, every(project, [each.path for each in files], _has_tests(files)))


def _sources(root: str) -> Iterator[Source]:
    contents = {path: without_remarks(read(f"{root}/{path}")) for path in paths(root, (".cs",), BUILT)}
    everywhere = " ".join(name for content in contents.values() for name in GLOBAL_USING.findall(content))
    for path, content in contents.items():
        space = NAMESPACE.search(content)
        names = dict.fromkeys([*DECLARED.findall(content), *EXTENSION.findall(content)])
        yield Source(path, f"{content}\n{everywhere}", tuple(names), space[1] if space else "")


def _has_tests(files: list[Source]) -> Any:
    tests = {each.path for each in files if TESTS.search(each.text)}
    return lambda path: path in tests


def _named(project: Project, runner: Runner, chosen: Selection) -> Selection:
    """Files of tests -> their classes; and the test projects that these are in."""
    reasons: dict[str, str] = {}
    solution = _solution(project.root)
    homes: list[str] = []
    for path, why in chosen.reasons.items():
        home = _home(runner.facts.get("projects", ()), path)
        if not project.command and not solution and homes and home not in homes:
            continue  # one command runs one project, or a solution
        homes.append(home)
        content = without_remarks(read(f"{project.root}/{path}"))
        space = NAMESPACE.search(content)
        prefix = f"{space[1]}." if space else ""
        reasons.update({f"{prefix}{name}": why for name in DECLARED.findall(content)})
    runner.facts["target"] = homes[0] if len(set(homes)) == 1 and homes[0] else solution
    return whole(chosen.kind, reasons, chosen.note)


def _solution(root: str) -> str:
    return next((name for name in sorted(os.listdir(root)) if name.endswith((".sln", ".slnx"))), "")


def _home(projects: Any, path: str) -> str:
    """The test project with the deepest folder above a file."""
    above = [each for each in projects if f"{path}/".startswith(f"{os.path.dirname(each)}/") or "/" not in each]
    return max(above, key=len, default="")


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    """--no-restore: a restore would download packages. Each test project writes a file of its own."""
    if project.command:
        return own_argv(project, selection.tests)
    folder = project.file("trx")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(".trx"):
            os.remove(f"{folder}/{name}")
    told = ["--logger", "trx;LogFilePrefix=hookwright", "--results-directory", folder]
    everything = selection.kind == "all" and not project.exclude
    chosen = [] if everything else ["--filter", _filter(selection.tests)]
    target = [] if not runner.facts.get("target") else [runner.facts["target"]]
    return [*runner.argv, *target, "--no-restore", *told, *chosen]


def _filter(tests: list[str]) -> str:
    return "|".join(f"FullyQualifiedName~{test}" for test in tests)


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if project.command:
        return Report()
    folder = project.file("trx")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".trx"))
    unbuilt = not_run(project.root, runner.name, outcome, COMPLAINT)
    if not names or unbuilt.broken:  # one project of the solution may have run while another did not compile
        return unbuilt
    return read_trx([read(f"{folder}/{name}") for name in names], project.root, outcome.timed_out)


def read_trx(told: list[str], root: str, stopped: bool = False) -> Report:
    """Visual Studio's test results, one document per test project; of a run that we stopped, what was not aborted."""
    report = Report(found=True, whole=True)
    for each in told:
        document = junit.document(each)
        if document is None:
            report.problem, report.whole = broke_off("dotnet test").problem, False
        else:
            _add(report, root, document, ABORTED if stopped else ())
    return report


def _add(report: Report, root: str, document: ElementTree.Element, left_out: tuple[str, ...]) -> None:
    classes = {
        test.get("id", ""): method.get("className", "").partition(",")[0]
        for test in _all(document, "UnitTest")
        for method in _all(test, "TestMethod")
    }
    for result in _all(document, "UnitTestResult"):
        name, group, outcome = (
            result.get("testName", ""),
            classes.get(result.get("testId", ""), ""),
            result.get("outcome"),
        )
        if outcome in left_out:
            continue
        name = name if not group or name.startswith(group) else f"{group}.{name}"
        report.ran.append(name)
        report.passed += outcome in ("Passed", "PassedButRunAborted")
        report.skipped += outcome in NOT_RUN
        if outcome not in ("Passed", "PassedButRunAborted", *NOT_RUN):  # Failed, Error, Timeout, Aborted; or not said
            report.failures.append(_failed(root, name, result))
    _conclude(report, list(_all(document, "ResultSummary")))


def _conclude(report: Report, summary: list[ElementTree.Element]) -> None:
    """The summary stands at the end, and tells of a test host that crashed."""
    if not summary:
        report.problem, report.whole = broke_off("dotnet test").problem, False
        return
    errors = [each for each in _all(summary[0], "RunInfo") if each.get("outcome") in ABORTED]
    if errors or summary[0].get("outcome") in ABORTED:
        said = [line for each in errors for info in _all(each, "Text") for line in lines(info.text or "")]
        report.problem = "\n".join(["the test run was aborted", *said[:MOST_BROKEN]])


def _all(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    """Whatever the namespace of the document: Visual Studio has had several."""
    return (each for each in element.iter() if str(each.tag).rpartition("}")[2] == tag)


def _failed(root: str, name: str, result: ElementTree.Element) -> Failure:
    said = "\n".join(each.text or "" for each in _all(result, "Message"))
    trace = "\n".join(each.text or "" for each in _all(result, "StackTrace"))
    place = PLACE.search(trace)
    return failure(root, name, said, place["file"] if place else "", place["line"] if place else "")


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    shown = [test.partition("(")[0] for test in tests if test][:5]
    if project.command:
        return shlex.join(own_argv(project, shown))
    target = [runner.facts["target"]] if runner.facts.get("target") else []
    return shlex.join(["dotnet", "test", *target, *(["--filter", _filter(shown)] if shown else [])])
