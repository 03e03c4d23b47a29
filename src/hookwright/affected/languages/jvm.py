"""Java and Kotlin: the test classes that use the edited ones, by Maven or Gradle, across the modules of a build."""

from __future__ import annotations

import os
import re
import shlex
from typing import Any

from hookwright.affected import junit
from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.dependents import dependents, reason
from hookwright.affected.jvm.builds import Build, build_of, module_of, report_files, starter, top_of
from hookwright.affected.jvm.sources import imports, sources
from hookwright.affected.jvm.sources import is_test as is_test
from hookwright.affected.toolchain import excluded, line_of, own_argv, own_runner, read, unreported, whole

NAME = "jvm"
BUDGET_S = 15.0
MARKERS = ("pom.xml", "build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
RUNNERS = "mvn test, gradle test (its reports format-tested)"
PLACE = re.compile(r"\(([\w$]+\.(?:java|kt)):(\d+)\)")
# javac by Maven and by Gradle, kotlinc by Maven and by Gradle
COMPILER = re.compile(
    r"^(?:\[ERROR\] |e: (?:file://)?)?(/[^\n]+?\.(?:java|kt))(?:: ?[\[(]|:\[|:)(\d+)(?:[,:] ?\d+[\])]?)?:?\s+(.+)$",
    re.MULTILINE,
)
MOST_BROKEN = 5


def runner(project: Project) -> Runner | None:
    build = build_of(project)
    limit = os.path.dirname(os.path.dirname(os.path.dirname(project.state)))
    top = top_of(build, project.root, limit) if build else project.root
    facts: dict[str, Any] = {"build": build, "top": top, "classes": {}, "paths": {}}
    if project.command:
        return Runner(own_runner(project).name, project.command, facts)
    program = starter(project, build, top) if build else ""
    return Runner(build.name, (program,), facts) if build and program else None


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    top = runner.facts["top"]
    files = {each.path: each for each in sources(top)}
    paths = [os.path.relpath(os.path.join(project.root, path), top) for path in edited]
    reasons: dict[str, str] = {}
    for path, way in dependents(imports(list(files.values())), paths).items():
        if path in files and files[path].has_tests and not _excluded(project, runner, path):
            _choose(runner, files[path].class_name, path)
            reasons[files[path].class_name] = reason(tuple(os.path.basename(each) for each in way))
    return whole("graph", reasons, "no test class uses it")


def _excluded(project: Project, runner: Runner, path: str) -> bool:
    return excluded(project, os.path.relpath(os.path.join(runner.facts["top"], path), project.root))


def _choose(runner: Runner, name: str, path: str) -> None:
    """Remember the module and the file of a class."""
    build: Build | None = runner.facts["build"]
    module = module_of(build, runner.facts["top"], path) if build else "."
    runner.facts["classes"].setdefault(module, []).append(name)
    runner.facts["paths"][name] = path


def select_all(project: Project, runner: Runner) -> Selection:
    for each in sources(runner.facts["top"]):
        if each.has_tests:
            _choose(runner, each.class_name, each.path)
    return whole("all", dict.fromkeys(runner.facts["paths"], "all tests were asked for"))


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    if project.command:
        return own_argv(project, selection.tests)
    build, top, classes = runner.facts["build"], runner.facts["top"], runner.facts["classes"]
    runner.facts["before"] = report_files(build, top, [*classes])
    return [*runner.argv, *build.argv(top, {} if selection.kind == "all" else classes)]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if project.command:
        return Report()
    files = report_files(runner.facts["build"], runner.facts["top"], [*runner.facts["classes"]])
    fresh = [path for path, mark in files.items() if runner.facts["before"].get(path) != mark]
    if not fresh and outcome.exit_code == 0:  # Gradle does not run again what passed and is up to date
        fresh = [path for path in files if any(path.endswith(f"{name}.xml") for name in selection.reasons)]
    cases = [case for path in fresh for case in junit.cases(read(path))]
    if not cases:
        return _not_run(project, runner, outcome)
    told = junit.report_of(cases, project.root, PLACE)
    told.failures = [_placed(project, runner, failure) for failure in told.failures]
    return told


def _not_run(project: Project, runner: Runner, outcome: Any) -> Report:
    """The compiler's words, where it was the compiler."""
    told = unreported(runner.name, outcome)
    lines = COMPILER.findall(outcome.stdout.text() + "\n" + outcome.stderr.text()) if told.problem else []
    for path, number, words in dict.fromkeys(lines):
        where = f"{os.path.relpath(path, project.root)}:{number}"
        told.broken.append(Failure("", (words.removeprefix("error: "),), where, line_of(project.root, where)))
    if told.broken:
        told.problem = f"{told.broken[0].where.rpartition(':')[0]} does not compile"
    told.broken = told.broken[:MOST_BROKEN]
    return told


def _placed(project: Project, runner: Runner, failure: Failure) -> Failure:
    """A trace names a file without its folder; that of the test class is known."""
    name, _, number = failure.where.rpartition(":")
    paths = [path for path in runner.facts["paths"].values() if os.path.basename(path) == name]
    if not paths:
        return failure
    where = f"{os.path.relpath(os.path.join(runner.facts['top'], paths[0]), project.root)}:{number}"
    return Failure(failure.test, failure.text, where, line_of(project.root, where))


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    """The failing methods, or the classes."""
    shown = [test.partition("(")[0] for test in tests if test][:5]
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
