"""Plugins of pytest that cost time at the start and do nothing for most tests: left out where nobody needs them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Plugin(NamedTuple):
    """One that has no effect unless it is named: by an option, or by one of its words in the tests or what they use."""

    module: str  # the top-level module of its entry points
    option: str  # in pytest's options: it is wanted
    words: tuple[str, ...]  # its marks, fixtures and modules


DISPENSABLE = (
    Plugin("anyio", "anyio", ("anyio",)),
    Plugin("faker", "faker", ("faker",)),
    Plugin("hypothesis", "hypothesis", ("hypothesis",)),
    Plugin("langsmith", "langsmith", ("langsmith",)),
    Plugin("pytest_benchmark", "benchmark", ("benchmark",)),
    Plugin("pytest_cov", "cov", ("cov", "no_cover")),
    Plugin("pytest_html", "html", ("extra", "html")),
    Plugin("testmon", "testmon", ("testmon",)),
    Plugin("typeguard", "typeguard", ("typeguard",)),
    Plugin("xdist", "-n", ("xdist", "worker_id", "testrun_uid", "configure_node", "testnode")),
)
WORDS = tuple(sorted({word for plugin in DISPENSABLE for word in plugin.words}))


def words_in(source: bytes) -> list[str]:
    """Those of all the words that a file has, in whatever sense: too many is only slower."""
    return [word for word in WORDS if word.encode() in source]


def plugin_flags(installed: dict[str, str], options: str, mentioned: set[str]) -> list[str]:
    """Flags for `installed` (entry point -> module): what is left out; nobody's coverage data is touched."""
    if "required_plugins" in options:
        return ["--no-cov"] if "pytest_cov" in _tops(installed) else []
    flags: list[str] = []
    for plugin in DISPENSABLE:
        names = [name for name, module in installed.items() if module.partition(".")[0] == plugin.module]
        if not names:
            continue
        if not _is_wanted(plugin, options, mentioned):
            flags += [word for name in names for word in ("-p", f"no:{name}")]
        elif plugin.module == "pytest_cov":
            flags.append("--no-cov")
    return flags


def _is_wanted(plugin: Plugin, options: str, mentioned: set[str]) -> bool:
    if plugin.module == "xdist" and ("--dist" in options or "--numprocesses" in options or "--tx" in options):
        return True
    return plugin.option in options or not mentioned.isdisjoint(plugin.words)


def _tops(installed: dict[str, Any]) -> set[str]:
    return {module.partition(".")[0] for module in installed.values()}
