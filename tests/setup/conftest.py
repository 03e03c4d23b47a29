"""An installation of hookwright, as a package tool leaves it in a virtual environment."""

from __future__ import annotations

import shutil
import sys
import venv
from pathlib import Path

import pytest
import yaml
from setup.running import PACKAGE

HANDLERS = "from hookwright import deny, on\n@on.PreToolUse(tool='Bash')\ndef never(event): return deny('never')\n"


def install_into(folder: Path, editable: bool = False) -> Path:
    """A virtual environment with hookwright in it; its interpreter."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    site = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    dependencies = [str(Path(yaml.__file__).parent.parent)]
    if editable:
        dependencies.append(str(PACKAGE.parent))
    else:
        # A copy: through a link it would fill the shelf that all other tests take from. What is just being written stays.
        shutil.copytree(PACKAGE, site / "hookwright", ignore=shutil.ignore_patterns("*.shelf*", "*.pyc.*"))
    (site / "dependencies.pth").write_text("\n".join(dependencies) + "\n")
    return python


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """A project that refuses every Bash call, in a folder whose name needs quoting."""
    project = tmp_path / 'it\'s a "pro $HOME ject"'
    (project / ".hookwright").mkdir(parents=True)
    (project / ".claude").mkdir()
    (project / ".hookwright/handlers.py").write_text(HANDLERS)
    (project / ".hookwright.yaml").write_text("handlers: [.hookwright/handlers.py]\n")
    return project


@pytest.fixture
def homely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project in a home of its own."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    return project
