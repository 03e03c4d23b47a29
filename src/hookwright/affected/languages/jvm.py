"""Java and Kotlin: the test classes that use the edited ones, by Maven or Gradle, across the modules of a build."""

from __future__ import annotations

import os
import re
import shlex
from typing import Any
from urllib.parse import unquote

from hookwright.affected import junit
from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.dependents import dependents, reason
from hookwright.affected.jvm.builds import (
    Build,
    build_of,
    hides_failures,
    is_report_of,
    module_of,
    report_files,
    starter,
    top_of,
)
from hookwright.affected.jvm.sources import Source, imports, named_after, sources, with_heirs
from hookwright.affected.jvm.sources import is_test as is_test
from hookwright.affected.toolchain import excluded, line_of, own_argv, own_runner, read, unreported, whole
from hookwright.output import plain

NAME = "jvm"
BUDGET_S = 15.0
MARKERS = ("pom.xml", "build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
LIVE = ("mvn test",)
FORMAT_TESTED = ("gradle test",)
SIGNS = (("pom.xml", "mvn test"), ("build.gradle", "gradle test"), ("build.gradle.kts", "gradle test"))
LINT = "./gradlew check"
LOCKS = {"gradle.lockfile": "gradle dependencies --write-locks"}
PLACE = re.compile(r"\(([\w$]+\.(?:java|kt)):(\d+)\)")
# javac by Maven and by Gradle, kotlinc by Maven and by Gradle
COMPILER = re.compile(
    r"^(?:\[ERROR\] |e: )?(file://)?(/[^\n]+?\.(?:java|kt))(?:: ?[\[(]|:\[|:)(\d+)(?:[,:] ?\d+[\])]?)?:?\s+(.+)$",
    re.MULTILINE,
)
PARAMETERS = re.compile(r"[(\[{].*")  # of a test: total(int)[1]
MOST_BROKEN = 5


def runner(project: Project) -> Runner | None:
    facts = facts_of(project)
    if project.command:
        return Runner(own_runner(project).name, project.command, facts)
    build = facts["build"]
    program = starter(project, build, facts["top"]) if build else ""
    return Runner(build.name, (program,), facts) if program else None


def facts_of(project: Project) -> dict[str, Any]:
    """Where the build begins, and room for what is chosen: module -> classes, class -> path, file's name -> path."""
    build = build_of(project)
    limit = os.path.dirname(os.path.dirname(os.path.dirname(project.state)))
    top = top_of(build, project.root, limit) if build else project.root
    return {"build": build, "top": top, "classes": {}, "paths": {}, "files": {}}


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    top = runner.facts["top"]
    files = _sources(runner)
    paths = [os.path.relpath(os.path.join(project.root, path), top) for path in edited]
    uses = imports(files)
    why = {path: f"named after {os.path.basename(of)}" for path, of in named_after(files, paths).items()}
    reasons = _chosen(project, runner, files, {**why, **_reached(uses, paths)})
    if not reasons:  # perhaps it is handed out by a container, under the name of what it implements
        reasons = _chosen(project, runner, files, _reached(with_heirs(files, uses), paths))
    return whole("graph", reasons, "no test class uses it")


def _sources(runner: Runner) -> list[Source]:
    """All of them; a trace names one by its last part alone."""
    files = sources(runner.facts["top"])
    runner.facts["files"] = {os.path.basename(each.path): each.path for each in files}
    return files


def _reached(uses: dict[str, list[str]], paths: list[str]) -> dict[str, str]:
    return {path: reason(tuple(map(os.path.basename, way))) for path, way in dependents(uses, paths).items()}


def _chosen(project: Project, runner: Runner, files: list[Source], why: dict[str, str]) -> dict[str, str]:
    """Test class -> why, in that order."""
    known = {each.path: each for each in files}
    reasons: dict[str, str] = {}
    for path, words in why.items():
        if path in known and not _excluded(project, runner, path):
            for name in known[path].test_classes:
                _choose(runner, name, path)
                reasons[name] = words
    return reasons


def _excluded(project: Project, runner: Runner, path: str) -> bool:
    return excluded(project, os.path.relpath(os.path.join(runner.facts["top"], path), project.root))


def _choose(runner: Runner, name: str, path: str) -> None:
    """Remember the module and the file of a class."""
    build: Build | None = runner.facts["build"]
    module = module_of(build, runner.facts["top"], path) if build else "."
    runner.facts["classes"].setdefault(module, []).append(name)
    runner.facts["paths"][name] = path


def select_all(project: Project, runner: Runner) -> Selection:
    for each in _sources(runner):
        for name in each.test_classes:
            _choose(runner, name, each.path)
    return whole("all", dict.fromkeys(runner.facts["paths"], "all tests were asked for"))


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    if project.command:
        return own_argv(project, selection.tests)
    build, top, classes = runner.facts["build"], runner.facts["top"], runner.facts["classes"]
    for path in report_files(build, top, [*classes]):
        if any(is_report_of(path, name) for name in selection.reasons):
            os.remove(path)  # an old report must not speak for this run
    runner.facts["before"] = _marks(runner)
    return [*runner.argv, *build.argv(top, {} if selection.kind == "all" else classes)]


def _marks(runner: Runner) -> dict[str, tuple[int, int]]:
    """Each report with its date and size, by which a new one is known."""
    paths = report_files(runner.facts["build"], runner.facts["top"], [*runner.facts["classes"]])
    return {path: (found.st_mtime_ns, found.st_size) for path in paths if (found := os.stat(path))}


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if project.command:
        return Report()
    fresh = [path for path, mark in _marks(runner).items() if runner.facts["before"].get(path) != mark]
    cases = [case for path in fresh for case in junit.cases(read(path))]
    told = junit.report_of(cases, project.root, PLACE) if cases else unreported(runner.name, outcome)
    faults = [case for case in cases if case.fault is not None]
    told.failures = [
        _placed(project, runner, failure, case) for failure, case in zip(told.failures, faults, strict=True)
    ]
    unseen = [name for name in selection.reasons if not any(is_report_of(path, name) for path in fresh)]
    if outcome.exit_code:
        _take_compiler(project, told, outcome)
        told.left_out = [(name, "not run") for name in unseen] if cases else []
    elif unseen and hides_failures(runner.facts["build"], runner.facts["top"], [*runner.facts["classes"]]):
        told.problem = f"{unseen[0]} left no report, and testFailureIgnore in the pom hides why"
    return told


def _take_compiler(project: Project, told: Report, outcome: Any) -> None:
    """The compiler's words, where it was the compiler."""
    text = plain(f"{outcome.stdout.text()}\n{outcome.stderr.text()}")
    for is_url, path, number, words in dict.fromkeys(COMPILER.findall(text)):
        where = f"{os.path.relpath(unquote(path) if is_url else path, project.root)}:{number}"
        told.broken.append(Failure("", (words.removeprefix("error: "),), where, line_of(project.root, where)))
    if told.broken:
        told.problem = f"{told.broken[0].where.rpartition(':')[0]} does not compile"
    elif told.problem:
        told.problem = "\n".join([told.problem.splitlines()[0], *_complaint(text)])
    told.broken = told.broken[:MOST_BROKEN]


def _complaint(text: str) -> list[str]:
    """What Maven and Gradle say first; their last words are always the same advice."""
    maven = [line[8:].strip() for line in text.splitlines() if line.startswith("[ERROR] ")]
    gradle = text.partition("* What went wrong:")[2].partition("* Try:")[0].splitlines()
    return [line for line in maven or gradle or text.splitlines() if line.strip()][:MOST_BROKEN]


def _placed(project: Project, runner: Runner, failure: Failure, case: junit.Case) -> Failure:
    """The first frame in the project's own code; a trace names files without their folders."""
    for name, number in PLACE.findall(case.trace()):
        if name in runner.facts["files"]:
            path = os.path.join(runner.facts["top"], runner.facts["files"][name])
            where = f"{os.path.relpath(path, project.root)}:{number}"
            return Failure(failure.test, failure.text, where, line_of(project.root, where))
    return Failure(failure.test, failure.text)


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    """The failing methods, or the classes."""
    shown = list(dict.fromkeys(PARAMETERS.sub("", test).rstrip(".") for test in tests if test))[:5]
    if project.command:
        return shlex.join(own_argv(project, shown))
    program = os.path.basename(runner.argv[0])
    program = f"./{program}" if program.endswith("w") else program
    if runner.name == "mvn test":
        names = ",".join(_method(runner, test) for test in shown)
        return shlex.join([program, "test", *([f"-Dtest={names}"] if names else [])])
    return shlex.join([program, "test", *(part for test in shown for part in ("--tests", test))])


def _method(runner: Runner, test: str) -> str:
    """surefire's Class#method."""
    name, _, method = test.rpartition(".")
    return f"{name}#{method}" if name in runner.facts["paths"] else test
