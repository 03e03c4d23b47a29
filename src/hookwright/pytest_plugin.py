"""The pytest plugin's door: options only. Whoever names no suite pays for this file and nothing else."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: "pytest.Parser") -> None:
    """What pytest takes for suites."""
    group = parser.getgroup("hookwright", "suites of MCP servers and agents (hookwright)")
    group.addoption(
        "--hookwright-suite", action="append", default=[], metavar="FILE", help="collect the tests of this suite"
    )
    group.addoption("--hookwright-via", default="direct", metavar="WAY", help="direct (the default) or claude-code")
    group.addoption("--hookwright-mcp-config", metavar="FILE", help="MCP servers, in the form of .mcp.json")
    parser.addini("hookwright_suite", "suite files whose tests are collected", type="paths", default=[])


def pytest_configure(config: "pytest.Config") -> None:
    """Load the rest only where a suite is named."""
    named = config.getoption("--hookwright-suite") or config.getini("hookwright_suite")
    if named:
        from hookwright.suite.unattended.pytest_items import Collecting

        config.pluginmanager.register(Collecting(config), "hookwright-suites")
