"""Real projects in a temporary folder, run by real pytest processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from hookwright.affected import run
from hookwright.affected.projects import project, real
from hookwright.affected.settings import Settings, options_of
from hookwright.affected.settings import from_options as settings_from
from hookwright.affected.verdict import Verdict

# The interpreter of the projects; another one is tried by `AFFECTED_ENVIRONMENT=path/to/venv pytest tests/affected`.
ENVIRONMENT = os.environ.get("AFFECTED_ENVIRONMENT", sys.prefix)

SHOP = {
    "pyproject.toml": """
        [tool.pytest.ini_options]
        pythonpath = ["src"]
        markers = ["slow", "integration"]
        """,
    "src/shop/__init__.py": "",
    "src/shop/price.py": '''
        """Prices."""

        RATE = 2


        def gross(net):
            """With tax."""
            return net * RATE


        def shipping(weight):
            return weight + 1
        ''',
    "src/shop/cart.py": """
        from shop.price import gross


        class Cart:
            def __init__(self):
                self.items = []

            def add(self, net):
                self.items.append(net)

            def total(self):
                return sum(gross(net) for net in self.items)
        """,
    "tests/test_price.py": """
        import pytest
        from shop.price import gross, shipping


        @pytest.mark.parametrize("net, want", [(1, 2), (2, 4)])
        def test_gross(net, want):
            assert gross(net) == want


        def test_shipping():
            assert shipping(1) == 2
        """,
    "tests/test_cart.py": """
        import pytest
        from shop.cart import Cart


        @pytest.fixture(scope="module")
        def cart():
            cart = Cart()
            cart.add(3)
            return cart


        def test_total(cart):
            assert cart.total() == 6


        def test_items(cart):
            assert cart.items == [3]
        """,
}


@dataclass
class Bench:
    """A project on disk, and the engine on it."""

    root: Path
    options: dict

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")

    def settings(self) -> Settings:
        return settings_from(options_of(self.options), real(str(self.root)))

    def project(self, **options):
        return project(
            real(str(self.root)), "python", settings_from(options_of({**self.options, **options}), real(str(self.root)))
        )

    def edited(self, *paths: str, **options) -> Verdict:
        """Run what an edit of these files affects."""
        verdict = run.affected(self.project(**options), list(paths))
        assert verdict is not None
        return verdict

    def record(self) -> Verdict:
        verdict = run.everything(self.project())
        assert verdict is not None
        return verdict


@pytest.fixture
def make(tmp_path, monkeypatch):
    """A project from a table of files."""
    monkeypatch.setenv("VIRTUAL_ENV", ENVIRONMENT)
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:randomly")  # the projects' tests run in the order they are written

    def build(files: dict[str, str], **options) -> Bench:
        bench = Bench(tmp_path / "a project; rm -rf ü", {"budget": 60, **options})
        for path, text in files.items():
            bench.write(path, text)
        return bench

    return build


@pytest.fixture
def shop(make) -> Bench:
    return make(SHOP)


@pytest.fixture(scope="session")
def recordings(tmp_path_factory):
    return tmp_path_factory.mktemp("recordings")


@pytest.fixture
def make_recorded(make, recordings):
    """A project whose tests are recorded: the first one really is, the others are copies, dates and all."""

    def build(name: str, files: dict[str, str]) -> Bench:
        project = make(files)
        if not (recordings / name).exists():
            assert project.record().word == "passed"
            shutil.copytree(project.root, recordings / name)
        shutil.rmtree(project.root)
        shutil.copytree(recordings / name, project.root)
        return project

    return build


@pytest.fixture
def recorded(make_recorded) -> Bench:
    return make_recorded("shop", SHOP)


@pytest.fixture
def git():
    def call(folder: Path, *words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words],
            cwd=folder,
            check=True,
            capture_output=True,
        )

    return call
