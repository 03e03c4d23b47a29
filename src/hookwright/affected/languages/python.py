"""Python: pytest with our plugin injected for the run, else unittest."""

from __future__ import annotations

import glob
import json
import os
import shlex
import shutil
from collections.abc import Callable
from typing import Any

import hookwright.affected.injected as injected
from hookwright.affected.changes import unresolved_in
from hookwright.affected.contract import Project, Report, Runner, Selection
from hookwright.affected.python import selection as choosing
from hookwright.affected.python import warm
from hookwright.affected.python.arguments import arguments
from hookwright.affected.python.bytecode import drop_bytecode
from hookwright.affected.python.graph import Graph
from hookwright.affected.python.interpreter import interpreter, mark, probe
from hookwright.affected.python.plugins import plugin_flags
from hookwright.affected.python.pytest_config import config_identity, pytest_options, says
from hookwright.affected.python.report import Reading
from hookwright.affected.python.store import Known, Store
from hookwright.affected.python.suite import Suite
from hookwright.affected.python.testfiles import DEFAULT_NAMES, is_named
from hookwright.affected.toolchain import excluded

NAME = "python"
BUDGET_S = 10.0
MARKERS = tuple(
    ["pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "Pipfile", "requirements.txt", "pixi.toml"]
)
LIVE = ("pytest", "unittest")
FORMAT_TESTED: tuple[str, ...] = ()
SIGNS = (
    *(("pytest.ini", "pytest"), ("conftest.py", "pytest"), ("tests/conftest.py", "pytest")),
    *((f"{name}:pytest", "pytest") for name in ("pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt")),
    ("tests", "unittest"),
)
LINT = "ruff check --quiet ."
LOCKS = {"poetry.lock": "poetry lock", "uv.lock": "uv lock", "Pipfile.lock": "pipenv lock", "pdm.lock": "pdm lock"}
INJECTED = next(iter(injected.__path__))
PYTEST = ("-m", "pytest")
FEW_S = 3.0  # below this xdist's workers take longer to start than the tests to run

# Only what the verdict needs: the first failure must not end the run, and nobody's coverage data is touched.
FLAGS = ("-q", "--tb=line", "--maxfail=0", "--continue-on-collection-errors")


class Work:
    """What one run of the engine needs to know of a project more than once."""

    def __init__(self, project: Project) -> None:
        self.store = Store(project.file("map.sqlite"), project.root)
        self.graph = Graph(project.root, project.file("graph"))
        self.folder = project.file(f"run-{os.getpid()}")
        self.options = self._options(project.root)
        self.suite = Suite(project.root, self.options, self.store.kept("apart") or ())

    def _options(self, root: str) -> dict[str, Any]:
        """pytest's, kept as long as no file of them changes: reading TOML takes longer than choosing the tests."""
        identity, known = config_identity(root), self.store.kept("options")
        if not known or known["identity"] != identity:
            known = {"identity": identity, "options": pytest_options(root)}
            self.store.keep("options", known)
        found: dict[str, Any] = known["options"]
        return found


def is_test(path: str) -> bool:
    """By pytest's default names."""
    return is_named(path, DEFAULT_NAMES)


def is_test_in(root: str, path: str) -> bool:
    """By the names that the project's own config says."""
    return Suite(root, pytest_options(root)).is_test(path) if says(root, "python_files") else is_test(path)


def opened_in(state: str, path: str) -> bool:
    """Whether a recorded test opened this data file."""
    file = f"{state}/map.sqlite"
    return os.path.exists(file) and Store(file, "").knows(path)


def runner(project: Project) -> Runner | None:
    """pytest where the project's interpreter has it, unittest where there are tests for it; the user's own command."""
    work = Work(project)
    top = os.path.dirname(os.path.dirname(os.path.dirname(project.state)))
    python = interpreter(project, top, work.store)
    if not python:
        return None
    found = work.store.kept("interpreter")
    if not found or found["mark"] != mark(python):
        found = {"mark": mark(python), "has": probe(project, python)}
        work.store.keep("interpreter", found)
    facts = {"work": work, "python": python, **found["has"]}
    if project.command:
        words = [python if word in ("python", "python3") else word for word in project.command]
        return Runner("pytest" if "pytest" in " ".join(words) else os.path.basename(words[0]), tuple(words), facts)
    if facts.get("pytest"):
        return Runner("pytest", (python, *PYTEST), facts, _ahead(project, work, python) if project.warm else None)
    if facts.get("version") and any(map(work.suite.is_test, work.graph.files)):
        return Runner("unittest", (python, f"{INJECTED}/_hookwright_unittest.py"), facts)
    return None


def _ahead(project: Project, work: Work, python: str) -> Callable[[list[str], float], Any]:
    """By a pytest that was started ahead of this run."""

    def run(command: list[str], timeout_s: float) -> Any:
        words = command[1 + len(PYTEST) :]
        return warm.run(project, python, INJECTED, words, timeout_s, work.folder)

    return run


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    work: Work = runner.facts["work"]
    drop_bytecode(project.root, edited)
    return choosing.select(work.store, work.graph, work.suite, edited, unresolved_in(project.state))


def select_all(project: Project, runner: Runner) -> Selection:
    return choosing.everything("all tests were asked for")


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    """The command. What it shall run and tell stands in a file of ours, which the injected plugin reads."""
    work: Work = runner.facts["work"]
    _write_control(project, runner, selection, work)
    _inject(project, work.folder)
    tests = arguments(selection)
    if project.command:
        return [part for word in runner.argv for part in (tests if word == "{tests}" else [word])]
    if runner.name == "unittest":
        return list(runner.argv)
    return [*runner.argv, *FLAGS, *_plugin_flags(project, runner, tests, work), f"--rootdir={project.root}", *tests]


def _plugin_flags(project: Project, runner: Runner, tests: list[str], work: Work) -> list[str]:
    files = {test.split("::")[0] for test in tests} or set(work.graph.files)
    return plugin_flags(runner.facts.get("plugins", {}), _options(project, work), work.graph.mentioned(files))


def _write_control(project: Project, runner: Runner, selection: Selection, work: Work) -> None:
    known = work.store.tests()
    is_all = selection.files == ("",)
    expected_s = sum(known[test].seconds for test in selection.tests if test in known)
    control = {
        "root": project.root,
        "owner": os.getpid(),
        "report": f"{work.folder}/report",
        "record": runner.name == "pytest",
        "rank": {} if is_all else {test: place for place, test in enumerate(selection.tests)},
        "others": [] if is_all else _others(selection, known),
        "files": _whole_files(project, runner, selection, work),
        "leave_out": list(project.leave_out),
        "exclude": list(project.exclude),
        "few": not is_all and not selection.files and expected_s < FEW_S,
    }
    for left in glob.glob(f"{glob.escape(project.state)}/run-*"):  # a run that was killed; now it is our turn
        shutil.rmtree(left, ignore_errors=True)
    os.makedirs(work.folder, 0o700)
    with open(f"{work.folder}/control.json", "w", encoding="utf-8") as file:
        json.dump(control, file)


def _whole_files(project: Project, runner: Runner, selection: Selection, work: Work) -> list[str]:
    """The files to run whole: [] for all of them, but unittest knows no tests in folders that are no package."""
    if runner.name != "unittest":
        return [path for path in selection.files if path]
    chosen = _files(selection) or [path for path in work.graph.files if work.suite.is_test(path)]
    return sorted(path for path in chosen if work.suite.has(path) and not excluded(project, path))


def _others(selection: Selection, known: dict[str, Known]) -> list[str]:
    """The known tests of the same files that are not affected."""
    files = {test.split("::")[0] for test in selection.tests} - set(selection.files)
    return [nodeid for nodeid, test in known.items() if test.path in files and nodeid not in selection.reasons]


def _inject(project: Project, folder: str) -> None:
    """By variables, so that it works through `uv run pytest` and the like too; nothing is installed."""
    variables = project.environment
    variables[b"HOOKWRIGHT_CONTROL"] = os.fsencode(f"{folder}/control.json")
    added = {b"PYTHONPATH": (os.fsencode(INJECTED), b":"), b"PYTEST_PLUGINS": (b"_hookwright_pytest", b",")}
    for name, (value, between) in added.items():
        given = [part for part in variables.get(name, b"").split(between) if part and part != value]
        variables[name] = between.join([value, *given])


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    """Read what the plugin told, and put it into the map."""
    work: Work = runner.facts["work"]
    reading = Reading(f"{work.folder}/report", project.root)
    reading.report.found |= not project.command  # ours always tell: silence is an early end, whatever the exit code
    work.store.write(reading.outcomes, reading.ran, reading.modules, work.graph.files, outcome.timed_out)
    if selection.files == ("",) and reading.report.whole and not outcome.timed_out and not reading.report.broken:
        work.store.forget_tests_but(reading.outcomes)
        work.store.note_files(work.graph.files)
        tested = {test.split("::")[0] for test in reading.outcomes}
        work.store.keep("apart", [path for path in work.graph.files if work.suite.is_test(path) and path not in tested])
    shutil.rmtree(work.folder, ignore_errors=True)
    if runner.ahead:
        flags = plugin_flags(runner.facts["plugins"], _options(project, work), work.graph.mentioned(_files(selection)))
        used = [module for name, module in runner.facts["plugins"].items() if f"no:{name}" not in flags]
        warm.prefetch(project, runner.facts["python"], INJECTED, used)
    return reading.report


def _options(project: Project, work: Work) -> str:
    """All that pytest is told besides our own arguments, as one text."""
    return json.dumps(work.options) + os.fsdecode(project.environment.get(b"PYTEST_ADDOPTS", b""))


def _files(selection: Selection) -> set[str]:
    return {test.split("::")[0] for test in selection.tests if test}


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    """The same tests by the user's own hands."""
    shown = tests if len(tests) <= 3 else list(dict.fromkeys(test.split("::")[0] for test in tests))[:5]
    if project.command:
        words = [part for word in project.command for part in (shown if word == "{tests}" else [word])]
        return shlex.join(words)
    python = runner.facts["python"].removeprefix(f"{project.root}/")
    python = "python" if python.startswith("/") else python
    if runner.name == "unittest":
        names = [test.split("::")[0].removesuffix(".py").replace("/", ".") for test in shown]
        return shlex.join([python, "-m", "unittest", *dict.fromkeys(names)])
    return shlex.join([python, *PYTEST, *(test for test in shown if test)])
