"""Dart and Flutter: `dart test` or `flutter test` with the JSON reporter, for the test files that import the edited."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from typing import Any

from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.reading import broke_off, failure, lines, mapping, not_run, number, text
from hookwright.affected.sources import as_arguments, changed_at, every, paths, reached
from hookwright.affected.toolchain import documents, found, own_argv, own_runner, read, whole

NAME = "dart"
BUDGET_S = 15.0
MARKERS = ("pubspec.yaml",)
LIVE: tuple[str, ...] = ()
FORMAT_TESTED = ("dart test", "flutter test")
SIGNS = (("pubspec.yaml:sdk: flutter", "flutter test"), ("test", "dart test"))
LINT = "dart analyze"
LOCKS = {"pubspec.lock": "dart pub get"}
BUILT = ("build", ".dart_tool")
FLUTTER = re.compile(r"^\s+sdk:\s*[\"']?flutter\b", re.MULTILINE)
PACKAGE = re.compile(r"^name:\s*[\"']?(\w+)", re.MULTILINE)
# the second is a choice by platform: import 'a.dart' if (dart.library.io) 'b.dart'
IMPORT = re.compile(
    r"^\s*(?:import|export|part(?:\s+of)?)\s+[\"']([^\"']+)[\"']|\bif\s*\([^)]*\)\s*[\"']([^\"']+)[\"']", re.MULTILINE
)
PLACE = re.compile(
    r"(?:^|\s|\()(?P<file>[^\s()]+\.dart):? (?P<line>\d+):\d+|(?P<path>/[^\n():]+\.dart):(?P<at>\d+):\d+"
)
COMPLAINT = re.compile(r"^(?P<file>[^\s:][^:\n]*\.dart):(?P<line>\d+):\d+: Error: (?P<what>[^\n]+)", re.MULTILINE)
LOADING = "loading "
TEST_FOLDERS = ("test", "integration_test", "test_driver")


def is_test(path: str) -> bool:
    return path.endswith("_test.dart") or path.split("/")[0] in TEST_FOLDERS[1:]


def runner(project: Project) -> Runner | None:
    if project.command:
        return own_runner(project)
    flutter = bool(FLUTTER.search(read(f"{project.root}/pubspec.yaml")))
    program = found(project, "flutter" if flutter else "dart")
    if not program or not os.path.exists(f"{project.root}/pubspec.yaml"):
        return None
    return Runner("flutter test", (program, "test", "--no-pub")) if flutter else Runner("dart test", (program, "test"))


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    return _unresolved(project, runner) or reached(project, _imports(project.root), edited, _runs)


def select_all(project: Project, runner: Runner) -> Selection:
    return _unresolved(project, runner) or every(project, paths(project.root, (".dart",), BUILT), _runs)


def _runs(path: str) -> bool:
    """Those of integration_test/ want a device."""
    return path.endswith("_test.dart") and path.split("/")[0] not in TEST_FOLDERS[1:]


def _unresolved(project: Project, runner: Runner) -> Selection | None:
    """`dart test` fetches packages where their list is missing, or older than pubspec.yaml: then nothing is run."""
    if project.command:
        return None
    resolved = changed_at(_package_config(project))
    if resolved and resolved >= changed_at(f"{project.root}/pubspec.yaml"):
        return None
    program = os.path.basename(runner.argv[0])
    return whole("graph", {}, f"its packages are not resolved: run `{program} pub get`, which may download them")


def _package_config(project: Project) -> str:
    """Beside the pubspec.yaml, or at the top of a pub workspace."""
    folder, top = project.root, os.path.dirname(os.path.dirname(os.path.dirname(project.state)))
    while folder != top and not os.path.exists(f"{folder}/.dart_tool/package_config.json"):
        folder = os.path.dirname(folder)
    return f"{folder}/.dart_tool/package_config.json"


def _imports(root: str) -> dict[str, list[str]]:
    named = PACKAGE.search(read(f"{root}/pubspec.yaml"))
    own = f"package:{named[1]}/" if named else "package:/"
    imports: dict[str, list[str]] = {}
    for path in paths(root, (".dart",), BUILT):
        content = read(f"{root}/{path}")
        imports[path] = list(_imported(own, path, content))
    for path, others in list(imports.items()):  # a part is read with its library, so who imports that depends on it
        for other in others:
            if other in imports and re.search(r"^\s*part\s+of\b", read(f"{root}/{path}"), re.MULTILINE):
                imports[other].append(path)
    return imports


def _imported(own: str, path: str, content: str) -> Iterator[str]:
    for pair in IMPORT.findall(content):
        name = pair[0] or pair[1]
        if name.startswith(own):
            yield os.path.normpath(f"lib/{name.removeprefix(own)}")
        elif ":" not in name:
            yield os.path.normpath(f"{os.path.dirname(path) or '.'}/{name}")


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    if project.command:
        return own_argv(project, selection.tests)
    return [*runner.argv, "--reporter=json", *as_arguments(selection.tests)]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if project.command:
        return Report()
    told = read_events(outcome.stdout.text(), project.root, runner.name)
    return told if told.found else not_run(project.root, runner.name, outcome, COMPLAINT)


def read_events(told: str, root: str, runner: str = "dart test") -> Report:
    """The events of the JSON reporter; a test may still fail after it is done, so they are judged at the end."""
    events: dict[str, list[dict[str, Any]]] = {}
    for event in documents(told):
        events.setdefault(text(event.get("type")), []).append(event)
    if "start" not in events:
        return Report()
    report = Report(found=True)
    suites = {number(each.get("id")): text(each.get("path")) for each in _inner(events, "suite", "suite")}
    tests = {number(each.get("id")): each for each in _inner(events, "testStart", "test")}
    for done in events.get("testDone", []):
        test = tests.get(number(done.get("testID")), {})
        errors = [each for each in events.get("error", []) if each.get("testID") == done.get("testID")]
        path = _relative(root, suites.get(number(test.get("suiteID")), ""))
        _count(report, root, path, text(test.get("name")), done, errors)
    _conclude(report, runner, [each.get("success") for each in events.get("done", [])])
    return report


def _inner(events: dict[str, list[dict[str, Any]]], kind: str, member: str) -> Iterator[dict[str, Any]]:
    return (mapping(event.get(member)) for event in events.get(kind, []))


def _conclude(report: Report, runner: str, success: list[Any]) -> None:
    """The last event says how it ended: true, false, or null for a run that was stopped."""
    report.whole = success[-1:] in ([True], [False])
    if report.broken:
        report.problem = f"{report.broken[0].test} could not be loaded"
    elif not report.whole:
        report.problem = broke_off(runner).problem
    elif success[-1] is False and not report.failures:
        report.problem = f"{runner} says that it failed, and names no test"


def _count(report: Report, root: str, path: str, name: str, done: dict[str, Any], errors: list[dict[str, Any]]) -> None:
    """One test, by its `testDone`; what cannot be loaded is a failed test called `loading ...`."""
    bad = done.get("result") != "success" or bool(errors)
    if done.get("hidden") is True and not bad:
        return
    said = "\n".join(text(each.get("error")) for each in errors)
    if bad and name.startswith(LOADING):
        report.broken.append(_unloaded(root, path or name.removeprefix(LOADING), said))
        return
    called = f"{path}::{name}"
    report.ran.append(called)
    if bad:
        report.failures.append(_failed(root, called, path, said, errors))
    elif done.get("skipped") is True:
        report.skipped += 1
    else:
        report.passed += 1


def _relative(root: str, path: str) -> str:
    return os.path.relpath(path, root) if path.startswith(f"{root}/") else path


def _unloaded(root: str, path: str, said: str) -> Failure:
    complaint = COMPLAINT.search(said)
    if complaint:
        return failure(root, path, complaint["what"], complaint["file"], complaint["line"])
    return Failure(path, lines(said))


def _failed(root: str, called: str, path: str, said: str, errors: list[dict[str, Any]]) -> Failure:
    """The place in the test's own file."""
    for match in PLACE.finditer("\n".join(text(each.get("stackTrace")) for each in errors)):
        file, line = match["file"] or match["path"], match["line"] or match["at"]
        if file.removeprefix("file://").endswith(path):
            return failure(root, called, said, path, line)
    return Failure(called, lines(said))


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    shown = [test for test in tests if test][:5]
    files = list(dict.fromkeys(test.partition("::")[0] for test in shown))
    if project.command:
        return shlex.join(own_argv(project, files))
    only = ["--plain-name", shown[0].partition("::")[2]] if len(shown) == 1 and "::" in shown[0] else []
    return shlex.join([*runner.name.split(), *only, *files])
