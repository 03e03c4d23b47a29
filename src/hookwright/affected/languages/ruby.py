"""Ruby: rspec, else minitest with a reporter of ours for the run; bundler where there is a Gemfile."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from typing import Any

import hookwright.affected.injected as injected
from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.reading import (
    broke_off,
    complaints,
    count,
    failure,
    fresh,
    lines,
    mapping,
    not_run,
    number,
    objects,
    place_of,
    speak_utf8,
    text,
)
from hookwright.affected.sources import Source, as_arguments, below, every, paths, reached, spoken_of
from hookwright.affected.toolchain import documents, found, own_argv, own_runner, read

NAME = "ruby"
BUDGET_S = 10.0
MARKERS = ("Gemfile", "gems.rb", ".rspec", "Rakefile")
LIVE: tuple[str, ...] = ()
FORMAT_TESTED = ("rspec", "minitest")
SIGNS = ((".rspec", "rspec"), ("spec", "rspec"), ("test", "minitest"))
LINT = "rubocop"
LOCKS = {"Gemfile.lock": "bundle install"}
MINITEST = f"{next(iter(injected.__path__))}/_hookwright_minitest.rb"
REQUIRE = re.compile(r"^\s*(?:require|load|autoload)(_relative)?\b[ (]*(?::\w+,\s*)?[\"']([^\"'#]+)[\"']", re.MULTILINE)
DECLARED = re.compile(r"^\s*(?:class|module)\s+((?:[A-Z]\w*::)*)([A-Z]\w*)", re.MULTILINE)
ALWAYS = re.compile(r"^\s*(?:--require|-r)[ =]?\s*(\S+)", re.MULTILINE)  # in .rspec
SOURCE_FOLDERS = ("lib", "app", "spec", "test", ".")
PLACE = re.compile(r"(?P<file>[^\s:][^:\n]*\.rb):(?P<line>\d+)")
COMPLAINT = re.compile(r"^[ \t]*(?:--> )?(?P<file>[^\s:][^:\n]*\.rb):(?P<line>\d+): (?P<what>.*\S)", re.MULTILINE)


def is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(("_spec.rb", "_test.rb")) or (
        name.startswith(("test_", "spec_")) and not name.endswith("_helper.rb")
    )


def _is_spec(path: str) -> bool:
    """rspec's; below test/ those are minitest's own."""
    return path.endswith("_spec.rb") and not path.startswith("test/")


def runner(project: Project) -> Runner | None:
    """By the files of tests that are there; `bundle exec` as the Gemfile wants it, which installs nothing."""
    if project.command:
        return own_runner(project)
    tests = [path for path in paths(project.root, (".rb",)) if is_test(path)]
    if not tests:
        return None
    name = "rspec" if any(map(_is_spec, tests)) else "minitest"
    program = {"rspec": "rspec", "minitest": "ruby"}[name]
    speak_utf8(project)
    bundled = any(os.path.exists(f"{project.root}/{each}") for each in ("Gemfile", "gems.rb"))
    bundle = found(project, "bundle") if bundled else ""
    if bundle:
        project.environment.setdefault(b"BUNDLE_AUTO_INSTALL", b"false")
        return Runner(name, (bundle, "exec", program))
    where = found(project, program)
    return Runner(name, (where,)) if where else None


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    return reached(project, _imports(project), edited, lambda path: _runs(runner, path))


def select_all(project: Project, runner: Runner) -> Selection:
    return every(project, paths(project.root, (".rb",)), lambda path: _runs(runner, path))


def _runs(runner: Runner, path: str) -> bool:
    """A project may have specs and tests; one run is of one kind."""
    return is_test(path) and runner.name != ("minitest" if _is_spec(path) else "rspec")


def _imports(project: Project) -> dict[str, list[str]]:
    """What is required, and constants that a loader such as Rails' finds by the names of files."""
    files = [_source(project.root, path) for path in paths(project.root, (".rb",))]
    known = {each.path for each in files}
    imports = spoken_of(files)
    always = [each for name in ALWAYS.findall(read(f"{project.root}/.rspec")) for each in _places("", "", name, known)]
    for each in files:
        required = [path for near, name in REQUIRE.findall(each.text) for path in _places(near, each.path, name, known)]
        imports[each.path] += required + (always if _is_spec(each.path) else [])
    return imports


def _source(root: str, path: str) -> Source:
    """Only a name that the file is called by: modules are opened again everywhere."""
    content = read(f"{root}/{path}")
    stem = os.path.basename(path)[:-3].replace("_", "").lower()
    return Source(path, content, tuple({name for _, name in DECLARED.findall(content) if name.lower() == stem}))


def _places(near: str, by: str, name: str, known: set[str]) -> Iterator[str]:
    folders = (os.path.dirname(by),) if near else SOURCE_FOLDERS
    return below(folders, f"{name.removesuffix('.rb')}.rb", known)


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    if project.command:
        return own_argv(project, selection.tests)
    output = fresh(project, "ruby.report")
    if runner.name == "rspec":
        return [*runner.argv, "--no-color", "--format", "json", "--out", output, *as_arguments(selection.tests)]
    return [*runner.argv, "-Ilib", "-Itest", MINITEST, output, *selection.tests]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if runner.name not in READERS or project.command:
        return Report()
    told = read(project.file("ruby.report"))
    if told:
        return READERS[runner.name](told, project.root)
    report = not_run(project.root, runner.name, outcome, COMPLAINT)
    if report.problem and not report.broken:  # ruby says what is wrong first, and how it came there after
        report.problem = "\n".join([report.problem.partition("\n")[0], *lines(outcome.stderr.text())])
    return report


def read_rspec(told: str, root: str) -> Report:
    """Its JSON formatter's one document."""
    try:
        document = mapping(json.loads(told))
    except (ValueError, RecursionError):
        return broke_off("rspec")
    summary = mapping(document.get("summary"))
    if "example_count" not in summary:
        return broke_off("rspec")
    report = Report(found=True, whole=True)
    for example in objects(document.get("examples")):
        path, status = text(example.get("file_path")).removeprefix("./"), example.get("status")
        name = f"{path}:{number(example.get('line_number'))} {text(example.get('full_description'))}"
        if status not in ("passed", "pending", "failed"):  # it was running when rspec was stopped
            report.problem, report.whole = broke_off("rspec").problem, False
            continue
        count(report, name, "skipped" if status == "pending" else status)
        if status == "failed":
            report.failures.append(_failed(root, name, path, mapping(example.get("exception"))))
    if summary.get("errors_outside_of_examples_count"):
        messages = document.get("messages")
        said = "\n".join(map(text, messages)) if isinstance(messages, list) else ""
        report.broken = _unloaded(root, said)
        report.problem = "rspec could not load the tests"
    elif len(report.failures) < number(summary.get("failure_count")):
        report.problem = broke_off("rspec").problem
    return report


def _failed(root: str, name: str, path: str, exception: dict[str, Any]) -> Failure:
    """The place in the spec before one in the code that it calls."""
    trace = exception.get("backtrace")
    places = [match for line in trace or [] if (match := PLACE.match(text(line)))] if isinstance(trace, list) else []
    own = [match for match in places if match["file"].endswith(path)] or places[:1]
    where = (own[0]["file"], own[0]["line"]) if own else ("", "")
    return failure(root, name, text(exception.get("message")), *where)


def _unloaded(root: str, said: str) -> list[Failure]:
    """A syntax error names its place itself; of another error the first place is it."""
    named = complaints(root, said, COMPLAINT)
    if named:
        return named
    place = PLACE.search(said)
    where = (place["file"].lstrip("# "), place["line"]) if place else ("", "")
    return [failure(root, "", said.partition("Failure/Error:")[2] or said, *where)]


def read_minitest(told: str, root: str) -> Report:
    """The lines of the injected reporter; the last one says that it came to its end."""
    report = Report(found=True)
    for line in documents(told):
        how, name = line.get("how"), text(line.get("test"))
        if how == "begin":
            report.collected = number(line.get("tests"))
        elif how == "end":
            report.whole = True
        elif how == "unloaded":
            report.broken.append(failure(root, name, text(line.get("said")), text(line.get("file")), _line(line)))
        elif how in ("passed", "failed", "skipped"):
            count(report, name, how)
            if how == "failed":
                failed = failure(root, name, text(line.get("said")), text(line.get("file")), _line(line))
                report.failures.append(failed)
    if report.broken:
        report.problem = f"{report.broken[0].test} could not be loaded"
    elif not report.whole:
        report.problem = broke_off("minitest").problem
    return report


def _line(line: dict[str, Any]) -> str:
    return str(number(line.get("line")) or "")


READERS = {"rspec": read_rspec, "minitest": read_minitest}


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    shown = [place_of(test) for test in tests if test][:5]
    if project.command:
        return shlex.join(own_argv(project, shown))
    start = ["bundle", "exec"] if "exec" in runner.argv[1:2] else []
    if runner.name == "rspec":
        return shlex.join([*start, "rspec", *shown])
    files = list(dict.fromkeys(test.partition("::")[0] for test in shown))
    only = ["-n", tests[0].rpartition("#")[2]] if len(tests) == 1 and "#" in tests[0] else []
    if len(files) == 1:
        return shlex.join([*start, "ruby", "-Ilib", "-Itest", files[0], *only])
    return shlex.join(
        [*start, "ruby", "-Ilib", "-Itest", "-e", "ARGV.each { |file| require File.expand_path(file) }", *files]
    )
