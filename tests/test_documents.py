"""What the documents show a reader is true."""

import re
from pathlib import Path

import pytest

from hookwright import config
from hookwright.cli import COMMANDS
from hookwright.testing import fire

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def samples(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


@pytest.mark.parametrize("page", ["README.md", "docs/config.md", "docs/handlers.md"])
def test_every_config_shown_checks_clean(tmp_path, page):
    """A reader may copy it."""
    for sample in samples((ROOT / page).read_text(), "yaml"):
        path = tmp_path / ".hookwright.yaml"
        path.write_text(sample)
        problems = [problem for problem in config.check(str(path)) if "there is no such file" not in str(problem)]
        assert problems == []


def test_the_handler_shown_in_the_readme_denies_a_force_push(project):
    """The first example anybody tries."""
    project.handlers(next(sample for sample in samples(README, "python") if "@on" in sample))
    for command, decision in (("git push --force", "deny"), ("git push", None)):
        assert fire("PreToolUse", project=project.folder, tool_input={"command": command}).decision == decision


def test_the_readme_names_every_verb_and_stays_short():
    """And no verb that does not exist."""
    named = set(re.findall(r"^\| `hookwright (\w+)", README, re.M))
    assert named == set(COMMANDS)
    assert len(README.splitlines()) <= 120


def test_every_link_leads_somewhere():
    """Within the repository."""
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\((?!http|#)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
