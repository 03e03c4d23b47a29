"""Elixir: `mix test` with a formatter of ours for the run; `--stale` where the project already keeps its list."""

from __future__ import annotations

import base64
import glob
import os
import re
import shlex
from typing import Any

import hookwright.affected.injected as injected
from hookwright.affected.contract import Project, Report, Runner, Selection
from hookwright.affected.reading import broke_off, count, failure, fresh, not_run, place_of, speak_utf8
from hookwright.affected.sources import Source, as_arguments, changed_at, every, paths, reached, spoken_of
from hookwright.affected.toolchain import found, own_argv, own_runner, read, whole

NAME = "elixir"
BUDGET_S = 10.0
MARKERS = ("mix.exs",)
LIVE: tuple[str, ...] = ()
FORMAT_TESTED = ("mix test",)
SIGNS = (("test", "mix test"),)
LINT = "mix compile"
LOCKS = {"mix.lock": "mix deps.get"}
ENDINGS = (".ex", ".exs")
BUILT = ("_build", "deps", ".elixir_ls")
FORMATTER = f"{next(iter(injected.__path__))}/_hookwright_exunit.exs"
REPORT = b"HOOKWRIGHT_EXUNIT_REPORT"
MODULE = re.compile(r"^\s*(?:defmodule|defprotocol)\s+([\w.]+)", re.MULTILINE)
# "** (CompileError) lib/a.ex:3: words" before Elixir 1.15; since then "error: words", and its place some lines below.
COMPLAINT = re.compile(
    r"^\*\* \(\w*Error\) (?P<file>[^\s:][^:\n]*\.exs?):(?P<line>\d+)(?::\d+)?: (?P<what>[^\n]+)", re.MULTILINE
)
NEW_COMPLAINT = re.compile(
    r"^[ \t]*error: (?P<what>[^\n]+)\n(?:(?![ \t]*error: )[^\n]*\n)*?[ \t]*└─ "
    r"(?P<file>[^\s:][^:\n]*\.exs?):(?P<line>\d+)",
    re.MULTILINE,
)


def is_test(path: str) -> bool:
    return path.endswith("_test.exs")


def runner(project: Project) -> Runner | None:
    if project.command:
        return own_runner(project)
    elixir, mix = found(project, "elixir"), found(project, "mix")
    if not elixir or not mix or not os.path.exists(f"{project.root}/mix.exs"):
        return None
    speak_utf8(project)
    project.environment.setdefault(b"HEX_OFFLINE", b"1")
    return Runner("mix test", (elixir, "-r", FORMATTER, "-S", "mix", "test"))


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    """mix knows best, but its first list costs a run of all tests: it is used where there is one, and not begun."""
    if not project.command and not project.exclude and _is_newer_than_the_list(project.root, edited):
        runner.facts["stale"] = True
        return whole("graph", dict.fromkeys(edited, "tests that use it, by mix test --stale"))
    return reached(project, _imports(project.root), edited, is_test)


def _is_newer_than_the_list(root: str, edited: list[str]) -> bool:
    """mix compares whole seconds: what was edited in that of its last run would be missed."""
    lists = glob.glob(f"{glob.escape(root)}/_build/test/lib/*/.mix/compile.test_stale")
    last = max((int(changed_at(path)) for path in lists), default=None)
    return last is not None and all(int(changed_at(f"{root}/{path}")) > last for path in edited)


def select_all(project: Project, runner: Runner) -> Selection:
    return every(project, paths(project.root, ENDINGS, BUILT), is_test)


def _imports(root: str) -> dict[str, list[str]]:
    return spoken_of(each for path in paths(root, ENDINGS, BUILT) for each in [_source(root, path)])


def _source(root: str, path: str) -> Source:
    """The modules of a file are mostly of one name space: that of the first."""
    content = read(f"{root}/{path}")
    modules = MODULE.findall(content)
    return Source(
        path,
        content,
        tuple(name.rpartition(".")[2] for name in modules),
        modules[0].rpartition(".")[0] if modules else "",
    )


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    if project.command:
        return own_argv(project, selection.tests)
    project.environment[REPORT] = os.fsencode(fresh(project, "exunit.report"))
    formatters = ["--formatter", "Hookwright.Formatter"]
    return [*runner.argv, *formatters, *(["--stale"] if runner.facts.get("stale") else as_arguments(selection.tests))]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if project.command:
        return Report()
    told = read(project.file("exunit.report"))
    if told:
        return read_exunit(told, project.root)
    said = outcome.stderr.text() + outcome.stdout.text()
    return not_run(project.root, runner.name, outcome, NEW_COMPLAINT if NEW_COMPLAINT.search(said) else COMPLAINT)


def read_exunit(told: str, root: str) -> Report:
    """The lines of the injected formatter: how a test ended, and its name, file, line and message in base 64."""
    report = Report(found=True)
    for line in told.splitlines():
        how, *fields = line.split(" ")
        if how == "end":
            report.whole = True
        elif how in ("passed", "failed", "skipped") and len(fields) == 4:
            name, path, number, said = map(_decoded, fields)
            count(report, name, how)
            if how == "failed":
                report.failures.append(failure(root, name, said, path, number))
    if not report.whole:
        report.problem = broke_off("mix test").problem
    return report


def _decoded(field: str) -> str:
    try:
        return base64.b64decode(field).decode("utf-8", "replace")
    except ValueError:
        return ""


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    """A test by its file and line, as mix names it."""
    shown = [place_of(test) for test in tests if test][:5]
    if project.command:
        return shlex.join(own_argv(project, shown))
    return shlex.join(["mix", "test", *(test for test in shown if "_test.exs" in test)])
