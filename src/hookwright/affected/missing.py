"""Tests that nothing here can run: whoever asked for them by hand is told so, as an error; a hook stays silent.

The one rule for all languages: no runner and no tests is nothing to run; no runner, but tests, could not be run.
"""

from __future__ import annotations

from hookwright.affected.contract import Project, Selection
from hookwright.affected.languages.table import extensions, language
from hookwright.affected.projects import is_test
from hookwright.affected.sources import paths
from hookwright.affected.verdict import Verdict

PROBLEM = (
    "{} is not installed for this project, and no other runner of tests in {} is known\n"
    "Install what the project uses, or name your own command under autoTest.commands."
)


def without_runner(project: Project, edited: list[str]) -> Verdict | None:
    """The verdict of a project that has no runner; None where it has no tests either."""
    if not _has_tests(project):
        return None
    spoken = language(project.language)
    runners = " or ".join((*spoken.LIVE, *spoken.FORMAT_TESTED))
    verdict = Verdict("error", project.language, "", Selection("all"), root=project.root, edited=edited)
    verdict.problem = PROBLEM.format(runners, project.language)
    return verdict


def _has_tests(project: Project) -> bool:
    spoken = language(project.language)
    if hasattr(spoken, "has_tests"):  # its tests stand among the code
        return bool(spoken.has_tests(project))
    files = paths(project.root, extensions(project.language))
    return any(is_test(spoken, project.root, path) for path in files)
