"""Which folder is the project, and which files are its settings."""

import pytest

from hookwright.errors import Refusal
from hookwright.setup import scopes


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return folder


def made(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()
    return folder


def test_the_git_checkout_is_the_project(tmp_path):
    """From a folder deep inside it, and in a worktree, whose .git is a file."""
    root = made(tmp_path / "repo", ".git")
    assert scopes.project_of(made(root / "a" / "b")) == root


def test_a_config_inside_the_checkout_wins(tmp_path):
    """One package of many in a repository."""
    root = made(tmp_path / "repo", ".git")
    package = made(root / "package", ".hookwright.yaml")
    assert scopes.project_of(made(package / "src")) == package


def test_without_git_the_folder_itself(tmp_path):
    """And with a config above, that one's."""
    assert scopes.project_of(made(tmp_path / "plain")) == tmp_path / "plain"
    made(tmp_path / "plain", ".conclaude.yml")
    assert scopes.project_of(made(tmp_path / "plain" / "src")) == tmp_path / "plain"


def test_a_home_folder_is_not_the_project_of_all_below_it(home):
    """Dotfiles in git, or a config there for everything."""
    made(home, ".hookwright.yaml")
    (home / ".git").mkdir()
    assert scopes.project_of(made(home / "play")) == home / "play"
    assert scopes.project_of(home) == home


def test_the_users_settings(home, monkeypatch, tmp_path):
    """CLAUDE_CONFIG_DIR, else the home folder, else a sentence."""
    assert scopes.place("user", tmp_path).path == home / ".claude/settings.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert scopes.place("user", tmp_path).path == tmp_path / "elsewhere/settings.json"
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    monkeypatch.delenv("HOME")
    with pytest.raises(Refusal, match="there is no HOME"):
        scopes.place("user", tmp_path)
    assert [place.scope for place in scopes.places(tmp_path)] == ["project", "local"]


def test_a_home_folder_has_no_project_settings(home):
    """Its .claude/settings.json is the user's own: a launcher named there would be looked for in every project."""
    with pytest.raises(Refusal, match="--scope user"):
        scopes.place("project", home)
    assert [place.scope for place in scopes.places(home)] == ["local", "user"]


def test_agents_we_know():
    """Others are refused, with the names of those we know."""
    assert scopes.known_agents(None) == ["claude-code"]
    with pytest.raises(Refusal, match=r"'vim' here\. Known: claude-code"):
        scopes.known_agents(["claude-code", "vim"])
