"""Go: `go test -json` for the packages that depend on the edited ones, across the modules of a workspace."""

from __future__ import annotations

import os
import shlex
from typing import Any

from hookwright.affected.contract import Project, Report, Runner, Selection
from hookwright.affected.dependents import dependents, reason
from hookwright.affected.gotest import read_report
from hookwright.affected.toolchain import asked, documents, excluded, found, own_argv, own_runner, whole

NAME = "go"
BUDGET_S = 10.0
MARKERS = ("go.mod",)
LIVE = ("go test",)
FORMAT_TESTED: tuple[str, ...] = ()
SIGNS = (("go.mod", "go test"),)
LINT = "go vet ./..."
LOCKS = {"go.sum": "go mod tidy"}
FIELDS = "ImportPath,Dir,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports"
# Nothing is downloaded, neither from a proxy, nor from a private repository, nor another go.
SETTINGS = {b"GOPROXY": b"off", b"GONOPROXY": b"none", b"GOVCS": b"*:off"}
OF_TESTS = " (its tests)"  # the node of a package's tests; no import path has a space


def is_test(path: str) -> bool:
    return path.endswith("_test.go") or "testdata" in path.split("/")


def runner(project: Project) -> Runner | None:
    """The go of the PATH. It may use what is in the module cache, and downloads nothing."""
    if project.command:
        return own_runner(project)
    go = found(project, "go")
    if not go or not os.path.exists(f"{project.root}/go.mod"):
        return None
    project.environment.update(SETTINGS)
    return Runner("go test", (go, "test", "-json"), {"folders": {}})


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    packages = _packages(project, runner)
    by_folder = {package["Dir"]: package["ImportPath"] for package in packages}
    nodes = []
    for path in edited:
        name = by_folder.get(os.path.dirname(os.path.join(project.root, path)))
        if name:
            nodes.append(name + OF_TESTS if path.endswith("_test.go") else name)
    ways = dependents(_imports(packages), nodes)
    tested = {package["ImportPath"] for package in packages if _has_tests(project, package)}
    reasons = {}
    for node, way in ways.items():
        name = node.removesuffix(OF_TESTS)
        if node != name and name in tested:
            reasons[name] = reason(way[1:] if way[1:2] == (name,) else way)
    if not packages:  # go.mod itself is broken: let go say why
        reasons = {f"./{os.path.dirname(path)}".rstrip("/"): "it was edited" for path in edited}
    return whole("graph" if packages else "name", reasons, "no package with tests depends on it")


def select_all(project: Project, runner: Runner) -> Selection:
    packages = [package["ImportPath"] for package in _packages(project, runner) if _has_tests(project, package)]
    return whole("all", dict.fromkeys(packages or ["./..."], "all tests were asked for"))


def _packages(project: Project, runner: Runner) -> list[dict[str, Any]]:
    """The packages of the module, or of all modules that the workspace uses."""
    go = found(project, "go")
    if not go:
        return []
    folders = _modules(project, go)
    packages = list(
        documents(asked(project, go, "list", "-e", f"-json={FIELDS}", *(f"{each}/..." for each in folders)))
    )
    packages = [{"Dir": "", "ImportPath": "", **package} for package in packages]
    for package in packages:
        inside = os.path.relpath(package["Dir"] or project.root, project.root)
        runner.facts.setdefault("folders", {})[package["ImportPath"]] = inside if inside[:1] == "." else f"./{inside}"
    return packages


def _modules(project: Project, go: str) -> list[str]:
    folder = project.root
    while folder != "/" and not os.path.exists(f"{folder}/go.work"):
        folder = os.path.dirname(folder)
    return asked(project, go, "list", "-m", "-f", "{{.Dir}}").splitlines() if folder != "/" else ["."]


def _has_tests(project: Project, package: dict[str, Any]) -> bool:
    folder = os.path.relpath(package["Dir"] or project.root, project.root)
    names = [*package.get("TestGoFiles", ()), *package.get("XTestGoFiles", ())]
    return any(not excluded(project, os.path.normpath(f"{folder}/{name}")) for name in names)


def _imports(packages: list[dict[str, Any]]) -> dict[str, list[str]]:
    imports: dict[str, list[str]] = {}
    for package in packages:
        name = package["ImportPath"]
        imports[name] = package.get("Imports", [])
        imports[name + OF_TESTS] = [name, *package.get("TestImports", ()), *package.get("XTestImports", ())]
    return imports


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    if project.command:
        return own_argv(project, selection.tests)
    return [*runner.argv, *selection.tests]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    return Report() if project.command else read_report(project, runner, outcome)


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    """The packages by their folders, and the one test if it is only one."""
    folders: dict[str, str] = runner.facts.get("folders", {})
    of = {test: max((name for name in folders if _belongs(test, name)), key=len, default="") for test in tests}
    shown = list(dict.fromkeys(folders.get(name, test) for test, name in of.items()))[:5]
    if project.command:
        return shlex.join(own_argv(project, shown))
    only = tests[0][len(of[tests[0]]) + 1 :] if len(tests) == 1 else ""
    chosen = ["-run", "/".join(f"^{part}$" for part in only.split("/"))] if only else []
    return shlex.join(["go", "test", *chosen, *shown])


def _belongs(test: str, package: str) -> bool:
    return test == package or test.startswith(f"{package}.")
