"""The interpreter of a project: its environment, wherever its tools keep it."""

import os
import sys

import pytest

from hookwright.affected.contract import Project
from hookwright.affected.python.interpreter import interpreter, mark, probe


@pytest.fixture
def environment(tmp_path):
    """Make an environment: all that counts is a program called python."""

    def make(path):
        folder = tmp_path / path / "bin"
        folder.mkdir(parents=True)
        (folder / "python").symlink_to(sys.executable)
        return f"{folder}/python"

    return make


def found(tmp_path, root="repo/api", memory=None, **variables):
    (tmp_path / root).mkdir(parents=True, exist_ok=True)
    given = {name.encode(): os.fsencode(value) for name, value in variables.items()}
    project = Project(str(tmp_path / root), "python", str(tmp_path), 10, environment={b"PATH": b"", **given})
    return interpreter(project, str(tmp_path / "repo"), memory)


@pytest.mark.parametrize("place", [".venv", "venv", ".pixi/envs/default", ".conda"])
def test_in_the_project_or_above(tmp_path, environment, place):
    above = environment(f"repo/{place}")
    assert found(tmp_path) == above
    assert found(tmp_path, VIRTUAL_ENV="/nowhere") == above
    nearer = environment(f"repo/api/{place}")
    assert found(tmp_path) == nearer


def test_not_above_the_repository(tmp_path, environment):
    environment(".venv")
    assert found(tmp_path) == ""


def test_uv(tmp_path, environment):
    python = environment("repo/api/elsewhere")
    (tmp_path / "repo/api/uv.lock").touch()
    assert found(tmp_path, UV_PROJECT_ENVIRONMENT="elsewhere") == python


def test_pdm(tmp_path, environment):
    python = environment("pdm")
    (tmp_path / "repo/api").mkdir(parents=True)
    (tmp_path / "repo/api/.pdm-python").write_text(python)
    assert found(tmp_path) == python


POETRY = '[build-system]\nbuild-backend = "poetry.core.masonry.api"\n'  # poetry 2 needs no table of its own


class Kept(dict):
    """Where answers are kept."""

    kept = dict.get
    keep = dict.__setitem__


@pytest.mark.parametrize(("tool", "text"), [("poetry", POETRY), ("hatch", "[tool.hatch.envs.default]\n")])
def test_asked_tools(tmp_path, environment, tool, text):
    """Tools that keep environments elsewhere are asked for the place, once; hatch names some that are not there yet."""
    python = environment("kept")
    (tmp_path / "repo/api").mkdir(parents=True)
    (tmp_path / "repo/api/pyproject.toml").write_text(text)
    program = tmp_path / "programs" / tool
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\necho {tmp_path}/not-made\necho {tmp_path}/kept\n")
    program.chmod(0o755)
    kept = Kept()
    for _ in range(3):
        assert found(tmp_path, memory=kept, PATH=f"{program.parent}:/usr/bin:/bin") == python
    assert (tmp_path / "asked").read_text() == "asked\n"
    os.unlink(python)
    assert found(tmp_path, memory=kept, PATH=f"{program.parent}:/usr/bin:/bin") != python
    assert (tmp_path / "asked").read_text().count("asked") > 1


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_active_environment(tmp_path, environment, variable):
    python = environment("active")
    assert found(tmp_path, **{variable: str(tmp_path / "active")}) == python


def test_python3(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "python3").symlink_to(sys.executable)
    assert found(tmp_path, PATH=str(folder)) == f"{folder}/python3"


def test_what_it_has(tmp_path):
    project = Project(str(tmp_path), "python", str(tmp_path), 10)
    has = probe(project, sys.executable)
    assert (has["version"], has["pytest"]) == (list(sys.version_info[:3]), True)
    assert probe(project, "/no/such/python") == {}
    assert mark(sys.executable) == mark(sys.executable)
