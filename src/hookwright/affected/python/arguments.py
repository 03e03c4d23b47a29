"""The selected tests as arguments: few enough for any system, and so precise that nothing else is collected."""

from __future__ import annotations

from typing import Any

from hookwright.affected.contract import Selection
from hookwright.affected.python.graph import Graph

MOST_FUNCTIONS = 40  # of one file; beyond that its name does, and the plugin keeps to the selected tests
MOST_BYTES = 60_000


def arguments(selection: Selection) -> list[str]:
    """Files and functions, in the order of the selection; [] stands for all tests."""
    if selection.files == ("",):
        return []
    by_file: dict[str, dict[str, None]] = {}
    for test in selection.tests:
        by_file.setdefault(test.split("::")[0], {})[test.split("[")[0]] = None
    whole = set(selection.files)
    precise = [
        argument
        for file, functions in by_file.items()
        for argument in ([file] if file in whole or len(functions) > MOST_FUNCTIONS else functions)
    ]
    for candidate in (precise, list(by_file)):
        if sum(len(argument.encode()) + 9 for argument in candidate) <= MOST_BYTES:
            return candidate
    return []


CONFIG_FILES = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")


def plugin_flags(root: str, facts: dict[str, Any], selection: Selection, graph: Graph) -> list[str]:
    """Leave out the plugins that cost much and do nothing for these tests; keep everybody's coverage data as it is."""
    said = _configured(root)
    flags = ["--no-cov"] if facts.get("pytest_cov") else []
    if "required_plugins" in said:
        return flags
    if facts.get("testmon") and "testmon" not in said:
        flags += ["-p", "no:testmon"]
    if facts.get("hypothesis") and "--hypothesis" not in said and not _needs(selection, graph, "hypothesis"):
        flags += ["-p", "no:hypothesispytest"]
    return flags


def _needs(selection: Selection, graph: Graph, module: str) -> bool:
    files = graph.files if selection.files == ("",) else {test.split("::")[0] for test in selection.tests}
    return module in graph.outside(files)


def _configured(root: str) -> str:
    texts = []
    for name in CONFIG_FILES:
        try:
            with open(f"{root}/{name}", encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
        except OSError:
            continue
    return "\n".join(texts)
