"""JavaScript and TypeScript: vitest, jest, mocha, node's own runner, else the package's test script."""

from __future__ import annotations

import os
import re
import shlex
from typing import Any

from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.dependents import dependents, reason
from hookwright.affected.javascript.imports import imports, is_in_test_folder, is_test, sources
from hookwright.affected.javascript.package import Package, folders_above, installed, manager, package_in
from hookwright.affected.javascript.reports import read_jest, read_mocha, read_node, unloaded
from hookwright.affected.javascript.workspace import tests_elsewhere
from hookwright.affected.toolchain import excluded, found, own_argv, own_runner, read, unreported, whole
from hookwright.process import run

NAME = "javascript"
BUDGET_S = 10.0
MARKERS = ("package.json",)
LIVE = ("vitest", "jest", "mocha", "node --test", "npm test")
FORMAT_TESTED = ("pnpm test", "yarn test", "bun test")
SIGNS: tuple[tuple[str, str], ...] = ()  # see named_runner
LINT = "npx --no-install eslint ."
LOCKS = {"package-lock.json": "npm install", "yarn.lock": "yarn install", "pnpm-lock.yaml": "pnpm install"}
KNOW_THEMSELVES = {"vitest": "vitest related", "jest": "jest --findRelatedTests"}  # who is affected by a file
CHECK_S = 2.0
LABELS = {"node": "node --test"}
READERS = {"vitest": read_jest, "jest": read_jest, "mocha": read_mocha, "node --test": read_node}
WATCH = re.compile(r"--watch(All)?(=true)?|-w|watch|nodemon|\S*:watch|watch:\S*")
# CI is the agreed word for: nobody watches. And nothing is downloaded, neither by npx nor by a manager of managers.
OF_SCRIPTS = {
    b"CI": b"true",
    b"npm_config_offline": b"true",
    b"YARN_ENABLE_NETWORK": b"0",
    b"COREPACK_ENABLE_NETWORK": b"0",
}


def runner(project: Project) -> Runner | None:
    """The runner that the nearest package.json names; one that is not installed is none."""
    if project.command:
        return own_runner(project)
    for folder in folders_above(project):
        package = package_in(folder)
        if package and package.tool():
            return _tool(project, package)
    own = package_in(project.root)
    return _node(project, own) or _script(project, own) if own else None


def named_runner(root: str) -> str:
    """What the package of a folder says that it is tested with, installed or not."""
    package = package_in(root)
    tool = package.tool() if package else ""
    return LABELS.get(tool, tool)


def _tool(project: Project, package: Package) -> Runner | None:
    tool = package.tool()
    node = found(project, "node", "bun")
    if tool == "node":
        return Runner(LABELS[tool], (node, *package.node_options()), {"base": package.folder}) if node else None
    argv = installed(project, tool)
    return Runner(tool, argv, {"base": package.folder}) if node and argv else None


def _node(project: Project, package: Package) -> Runner | None:
    """node's own, where tests import it and nothing else is said."""
    node = found(project, "node")
    if not node or package.test_script:
        return None
    uses_it = (path for path in sources(project.root) if is_in_test_folder(path))
    if any("node:test" in read(f"{project.root}/{path}") for path in uses_it):
        return Runner(LABELS["node"], (node,), {"base": package.folder})
    return None


def _script(project: Project, package: Package) -> Runner | None:
    """The last resort: whatever the package calls its tests, unless it would watch and never end."""
    name = manager(project)
    program = found(project, name)
    if not program or not package.test_script or any(WATCH.fullmatch(word) for word in package.words):
        return None
    return Runner(f"{name} test", (program, "test"), {"script": True})


def has_tests(project: Project) -> bool:
    """mocha's and node's are known by their folder alone."""
    return any(map(is_in_test_folder, sources(project.root)))


def elsewhere(project: Project, edited: list[str]) -> dict[str, list[str]]:
    """Tests in other packages of the workspace; a runner at its top that knows the imports itself sees them anyway."""
    chosen = runner(project)
    if chosen and chosen.name in KNOW_THEMSELVES and chosen.facts["base"] != project.root:
        return {}
    return tests_elsewhere(project, edited)


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    runner.facts["edited"] = edited
    if runner.name in KNOW_THEMSELVES:
        why = project.because or f"tests that import it, by {KNOW_THEMSELVES[runner.name]}"
        return whole("graph", dict.fromkeys(edited, why))
    if runner.facts.get("script"):
        return whole("all", dict.fromkeys(edited, "the package's test script, which runs whole"))
    own = package_in(project.root)
    by_name = {own.name: (".", own.entries)} if own and own.name else {}  # a test may call its own package by its name
    ways = dependents(imports(project.root, packages=by_name), edited)
    reasons = {path: project.because or reason(way) for path, way in ways.items() if _runs(project, runner, path)}
    return whole("graph", reasons, "no test imports it")


def _runs(project: Project, runner: Runner, path: str) -> bool:
    is_one = is_test(path) if project.command else is_in_test_folder(path)
    return is_one and not excluded(project, path) and os.path.exists(f"{project.root}/{path}")


def select_all(project: Project, runner: Runner) -> Selection:
    why = "all tests were asked for"
    if runner.name in KNOW_THEMSELVES or runner.facts.get("script"):
        return whole("all", {"": why})
    return whole("all", {path: why for path in sources(project.root) if _runs(project, runner, path)})


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    if project.command:
        return own_argv(project, selection.tests)
    if runner.facts.get("script"):
        project.environment.update(OF_SCRIPTS)
        return list(runner.argv)
    output = project.file("javascript.report")
    if os.path.exists(output):
        os.remove(output)
    tests = [os.path.join(project.root, test) for test in selection.tests if test]
    return [*runner.argv, *COMMANDS[runner.name](project, runner, output, tests)]


def _vitest(project: Project, runner: Runner, output: str, tests: list[str]) -> list[str]:
    verb = ["related", "--run"] if tests else ["run"]
    flags = [
        "--passWithNoTests",
        "--coverage.enabled=false",
        "--reporter=json",
        f"--outputFile={output}",
        f"--root={runner.facts['base']}",
    ]
    left_out = [os.path.relpath(each, runner.facts["base"]) for each in _excluded_tests(project)]
    return [*verb, *flags, *(f"--exclude={each}" for each in left_out), *tests]


def _jest(project: Project, runner: Runner, output: str, tests: list[str]) -> list[str]:
    # Coverage is that of a whole run: a threshold would fail every part of it.
    flags = ["--ci", "--passWithNoTests", "--watchAll=false", "--coverage=false", "--json", f"--outputFile={output}"]
    base = [] if runner.facts["base"] == project.root else [f"--projects={runner.facts['base']}"]
    left_out = [
        f"--testPathIgnorePatterns={each}" for each in ("/node_modules/", *map(re.escape, _excluded_tests(project)))
    ]
    return [*flags, *base, *(left_out if len(left_out) > 1 else []), *(["--findRelatedTests", *tests] if tests else [])]


def _mocha(project: Project, runner: Runner, output: str, tests: list[str]) -> list[str]:
    return ["--reporter=json", f"--reporter-option=output={output}", *tests]


def _node_test(project: Project, runner: Runner, output: str, tests: list[str]) -> list[str]:
    told = ["--test-reporter=junit", f"--test-reporter-destination={output}"]
    return ["--test", *told, "--test-reporter=spec", "--test-reporter-destination=stdout", *tests]


COMMANDS = {"vitest": _vitest, "jest": _jest, "mocha": _mocha, "node --test": _node_test}


def _excluded_tests(project: Project) -> list[str]:
    """Each by its whole path: the user's patterns are not the runners', and another package may have the same names."""
    if not project.exclude:
        return []
    left_out = (path for path in sources(project.root) if is_test(path) and excluded(project, path))
    return [f"{project.root}/{path}" for path in left_out]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    if runner.name not in READERS:
        return Report()
    text = read(project.file("javascript.report"))
    printed = outcome.stderr.text() + outcome.stdout.text()
    if not text.strip():
        return _unloaded(project, runner, outcome, printed)
    told = READERS[runner.name](text, project.root)
    # node keeps the loader's words out of its report.
    told.broken = [each if each.text else unloaded(each.test, printed, project.root) for each in told.broken]
    told.problem = f"{told.broken[0].test} did not run" if told.broken else ""
    return told


def _unloaded(project: Project, runner: Runner, outcome: Any, printed: str) -> Report:
    """No report, because a file could not be loaded; mocha names the test then, not the file that is wrong."""
    told = unreported(runner.name, outcome)
    if outcome.exit_code == 0:  # all of them report also that there was nothing to run
        told.problem = f"{runner.name} ended in the middle of its tests, without a report"
    if told.problem and "Error" in printed:
        fault = unloaded("", printed, project.root)
        if not fault.where:
            fault = _misspelt(project, runner) or fault
        place = f"at {fault.where}: {fault.line}" if fault.where else ""
        told.problem = "\n".join(filter(None, [told.problem.splitlines()[0], *fault.text, place]))
    return told


def _misspelt(project: Project, runner: Runner) -> Failure | None:
    """The first edited file that node cannot read."""
    node = found(project, "node")
    for path in runner.facts.get("edited", ()):
        if node and path.endswith((".js", ".mjs", ".cjs")):
            checked = run([node, "--check", path], cwd=project.root, env=project.environment, timeout_s=CHECK_S)
            if checked.exit_code:
                return unloaded("", checked.stderr.text(), project.root)
    return None


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests if test))[:5]
    if project.command:
        return shlex.join(own_argv(project, files))
    if runner.facts.get("script"):
        return runner.name
    if runner.name == "node --test":
        return shlex.join(["node", *runner.argv[1:], "--test", *files])
    verb = {"vitest": ["vitest", "run" if any(map(is_test, files)) else "related"]}.get(runner.name, [runner.name])
    return shlex.join(["npx", *verb, *files])
