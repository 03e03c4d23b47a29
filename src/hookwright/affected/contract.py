"""What a language must offer, and the values that pass between it and the rest.

A language is a module in `languages/` with the members of `Language`; a row in `languages/table.py` names it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

KINDS = ("recorded", "graph", "name", "all")  # how tests were chosen, the most certain first


@dataclass(frozen=True)
class Project:
    """One folder with tests of one language, and how the user wants them run."""

    root: str
    language: str
    state: str  # a folder of ours for what should be remembered
    budget_s: float
    command: tuple[str, ...] = ()  # the user's own, in place of the runner's
    exclude: tuple[tuple[bool, str], ...] = ()  # (includes, regular expression), the last that fits decides
    leave_out: tuple[str, ...] = ("slow", "integration")  # marks of tests that are only run with --all
    warm: bool = False  # whether a runner may be started ahead
    environment: dict[bytes, bytes] = field(default_factory=dict)
    because: str = ""  # why tests of this project run, where the edit was in another one

    def file(self, name: str) -> str:
        """A file of ours for this project."""
        return f"{self.state}/{name}"


@dataclass(frozen=True)
class Runner:
    """What runs the tests of a project here."""

    name: str  # as people know it: pytest, unittest, go test
    argv: tuple[str, ...]
    facts: dict[str, Any] = field(default_factory=dict)  # what only the language understands
    # (command, seconds) -> the outcome of a process that was started ahead; None where there is none
    ahead: Callable[[list[str], float], Any] | None = None


@dataclass
class Selection:
    """The tests to run, likely failures first, each with its reason."""

    kind: str
    reasons: dict[str, str] = field(default_factory=dict)  # test, or file of tests -> why; in the order to run
    files: tuple[str, ...] = ()  # those of `reasons` that are run whole
    note: str = ""  # why nothing is to be run

    @property
    def tests(self) -> list[str]:
        return list(self.reasons)


@dataclass(frozen=True)
class Failure:
    """One failed test, as short as it can be understood."""

    test: str
    text: tuple[str, ...] = ()  # the assertion or error
    where: str = ""  # file:line
    line: str = ""  # the source line there


@dataclass
class Report:
    """What a runner's report told; `whole` when it was written to its end."""

    failures: list[Failure] = field(default_factory=list)
    broken: list[Failure] = field(default_factory=list)  # files that could not be collected or compiled
    passed: int = 0
    skipped: int = 0
    ran: list[str] = field(default_factory=list)
    collected: int | None = None
    left_out: list[tuple[str, str]] = field(default_factory=list)  # test, the mark that left it out
    problem: str = ""  # the runner itself failed
    found: bool = False  # there was a report at all
    whole: bool = False


class Language(Protocol):
    """The members of a language's module."""

    NAME: str
    BUDGET_S: float
    MARKERS: tuple[str, ...]  # files (or *.ending) that make a folder a project; the nearest above an edit counts
    LIVE: tuple[str, ...]  # the runners that our tests run
    FORMAT_TESTED: tuple[str, ...]  # those whose reports alone are tested, from recordings or their documentation
    # What `init` wants to know of it.
    SIGNS: tuple[tuple[str, str], ...]  # `file`, or `file:word` in it -> the runner that it shows; the first counts
    LINT: str  # an example of a command after an edit
    LOCKS: dict[str, str]  # file that nobody edits -> the command that writes it

    def is_test(self, path: str) -> bool:
        """Whether a file, by its path in the project, is one of tests."""

    def runner(self, project: Project) -> Runner | None:
        """What runs the tests here; None where there is no framework."""

    def select(self, project: Project, runner: Runner, edited: list[str]) -> Selection:
        """The tests that an edit of these files (paths in the project) can break."""

    def select_all(self, project: Project, runner: Runner) -> Selection:
        """Every test."""

    def argv(self, project: Project, runner: Runner, selection: Selection) -> list[str]:
        """The command as an argument list; may put variables into the project's environment."""

    def report(self, project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
        """What the run told; also the place to remember it."""

    def hint(self, project: Project, runner: Runner, tests: list[str]) -> str:
        """The command by which a person sees more."""


class AcrossProjects(Protocol):
    """What a language may offer besides: its projects use each other, as the packages of a workspace do.

    Others: `is_test_in(root, path)` where a project names its tests, `has_tests(project)` where they cannot be told by
    `is_test` alone, `named_runner(root)` where signs do not tell the runner.
    """

    def elsewhere(self, project: Project, edited: list[str]) -> dict[str, list[str]]:
        """Folder of another project -> its tests that this edit can break; the nearest first."""
