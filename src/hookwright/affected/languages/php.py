"""PHP: the project's own phpunit, else that of the PATH, for the test classes that use the edited file."""

from __future__ import annotations

import os
import re
import shlex
from typing import Any

from hookwright.affected import junit
from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.reading import broke_off, count, failure, fresh, not_run
from hookwright.affected.sources import Source, below, every, paths, reached, spoken_of
from hookwright.affected.toolchain import found, own_argv, own_runner, read

NAME = "php"
BUDGET_S = 10.0
CONFIGS = ("phpunit.xml", "phpunit.dist.xml", "phpunit.xml.dist")
MARKERS = ("composer.json", *CONFIGS)
LIVE: tuple[str, ...] = ()
FORMAT_TESTED = ("phpunit",)
SIGNS = tuple((name, "phpunit") for name in CONFIGS)
LINT = "php -l"
LOCKS = {"composer.lock": "composer update"}
NAMESPACE = re.compile(r"^(?:<\?php)?\s*namespace\s+([\w\\]+)", re.MULTILINE)
DECLARED = re.compile(
    r"^\s*(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+(\w+)|^function\s+&?(\w+)", re.MULTILINE
)
REQUIRE = re.compile(
    r"\b(?:require|include)(?:_once)?[\s(]+(?:__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?[\"']([^\"']+)[\"']"
)
PLACE = re.compile(r"^(?P<file>/[^\n]+\.php):(?P<line>\d+)$", re.MULTILINE)
COMPLAINT = re.compile(
    r"^(?:PHP )?(?P<what>(?:Parse|Fatal|Compile)[^\n]{0,999}?) (?:in|at) "
    r"(?P<file>/[^\n]{1,999}?\.php)(?: on line |:)(?P<line>\d+)",
    re.MULTILINE,
)


def is_test(path: str) -> bool:
    return path.endswith("Test.php")


def runner(project: Project) -> Runner | None:
    """Not bin/phpunit: Symfony's would download one. Nor for Pest's tests, which phpunit cannot run."""
    if project.command:
        return own_runner(project)
    if os.path.exists(f"{project.root}/vendor/bin/pest") or not any(map(is_test, paths(project.root, (".php",)))):
        return None
    own = f"{project.root}/vendor/bin/phpunit"
    program = own if os.access(own, os.X_OK) else found(project, "phpunit")
    return Runner("phpunit", (program,)) if program and found(project, "php") else None


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    return reached(project, _imports(project.root), edited, is_test)


def select_all(project: Project, runner: Runner) -> Selection:
    return every(project, paths(project.root, (".php",)), is_test)


def _imports(root: str) -> dict[str, list[str]]:
    """Classes and functions by their names, and what is included by its path."""
    files = [_source(root, path) for path in paths(root, (".php",))]
    known = {each.path for each in files}
    imports = spoken_of(files)
    for each in files:
        folders = (os.path.dirname(each.path), ".")
        required = (name.lstrip("/") for name in REQUIRE.findall(each.text))
        imports[each.path] += [path for name in required for path in below(folders, name, known)]
    return imports


def _source(root: str, path: str) -> Source:
    content = read(f"{root}/{path}")
    space = NAMESPACE.search(content)
    names = tuple(dict.fromkeys(one or other for one, other in DECLARED.findall(content)))
    return Source(path, content, names, space[1] if space else "")


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    """By the names of classes: before PHPUnit 11 only one file can be named."""
    if project.command:
        return own_argv(project, selection.tests)
    chosen = [] if selection.kind == "all" and not project.exclude else _filter(project, selection.tests)
    told = ["--log-junit", fresh(project, "phpunit.xml")]
    return [*runner.argv, "--colors=never", *told, *chosen, *_where(project, selection.tests)]


def _filter(project: Project, tests: list[str]) -> list[str]:
    names = [name for path in tests for name in _classes(project.root, path)]
    return ["--filter", f"/^(?:{'|'.join(map(re.escape, names))})::/"] if names else []


def _classes(root: str, path: str) -> list[str]:
    each = _source(root, path)
    return [f"{each.space}\\{name}" if each.space else name for name in each.names]


def _where(project: Project, tests: list[str]) -> list[str]:
    """Without a configuration phpunit must be told where the tests are."""
    if any(os.path.exists(f"{project.root}/{name}") for name in CONFIGS):
        return []
    return [f"./{os.path.commonpath([os.path.dirname(test) for test in tests])}"] if tests else []


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if project.command:
        return Report()
    told = read(project.file("phpunit.xml"))
    return read_phpunit(told, project.root) if told.strip() else not_run(project.root, "phpunit", outcome, COMPLAINT)


def read_phpunit(told: str, root: str) -> Report:
    """JUnit's XML, with the names of classes as PHP writes them."""
    if junit.document(told) is None:
        return broke_off("phpunit")
    report = Report(found=True, whole=True)
    for case in junit.cases(told):
        name = f"{case.group.replace('.', chr(92))}::{case.name}"
        count(report, name, case.how)
        if case.fault is not None and case.fault.get("type") == "ParseError":
            _unparsed(report, root, case)
        elif case.fault is not None:
            report.failures.append(_failed(root, name, case))
    return report


def _unparsed(report: Report, root: str, case: junit.Case) -> None:
    """A file that PHP loaded in the midst of a test; told once."""
    place = PLACE.search(case.trace())
    told = failure(root, "", _said(case), place["file"] if place else "", place["line"] if place else "")
    if told not in report.broken:
        report.broken.append(told)
    report.problem = f"{report.broken[0].where.rpartition(':')[0]} does not compile"


def _failed(root: str, name: str, case: junit.Case) -> Failure:
    """The place in the test's own file before one in the code that it calls."""
    places = list(PLACE.finditer(case.trace()))
    own = [match for match in places if match["file"] == case.file] or places[:1]
    where = (own[0]["file"], own[0]["line"]) if own else (case.file, case.line)
    return failure(root, name, _said(case), *where)


def _said(case: junit.Case) -> str:
    """Without the test's name in the first line, and the places in the last."""
    said = PLACE.sub("", case.trace()).strip()
    first, _, rest = said.partition("\n")
    return rest if "::" in first else said


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    shown = [test for test in tests if test][:5]
    if project.command:
        return shlex.join(own_argv(project, shown))
    own = runner.argv[0].startswith(f"{project.root}/")
    names = [name for test in shown for name in (_classes(project.root, test) if is_test(test) else [test])]
    short = [name.rpartition("\\")[2].partition(" ")[0] for name in names]
    words = ["vendor/bin/phpunit" if own else "phpunit", *(["--filter", "|".join(short)] if short else [])]
    tested = [path for path in paths(project.root, (".php",)) if is_test(path)]
    return shlex.join([*words, *_where(project, tested)])
