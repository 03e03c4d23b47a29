"""A project of 1,000 modules, to see what choosing the tests costs where there is much to choose from."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

MODULES = 1000
TESTS = 250


def selection_ms(home: Path, python: str) -> float:
    """The median time from an edit to the chosen tests, the map being recorded."""
    _made(home, python)
    from hookwright.affected import run
    from hookwright.affected.projects import project
    from hookwright.affected.settings import Settings

    found = project(str(home.resolve()), "python", Settings(str(home.resolve()), budget_s=600))
    verdict = run.everything(found)
    if verdict is None or verdict.word != "passed":
        raise SystemExit(f"the synthetic project does not pass: {verdict}")
    edited = home / "src/big/m500.py"
    times = []
    for number in range(9):
        edited.write_text(_module(500).replace("value + 1", f"value + 1 + {number} * 0"))
        began = time.perf_counter()
        chosen = run.selected(found, ["src/big/m500.py"])
        times.append((time.perf_counter() - began) * 1000)
        if chosen is None or not chosen.selection.tests:
            raise SystemExit("nothing was selected")
    edited.write_text(_module(500))
    return statistics.median(times[1:])


def _made(home: Path, python: str) -> None:
    shutil.rmtree(home, ignore_errors=True)
    code, tests = home / "src/big", home / "tests"
    code.mkdir(parents=True)
    tests.mkdir()
    (home / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    (code / "__init__.py").write_text("")
    for number in range(MODULES):
        (code / f"m{number}.py").write_text(_module(number))
    for number in range(TESTS):
        first = number * (MODULES // TESTS)
        text = "".join(f"from big.m{module} import f{module}\n" for module in range(first, first + 4))
        text += "".join(f"def test_{module}():\n    assert f{module}(1)\n" for module in range(first, first + 4))
        (tests / f"test_{number}.py").write_text(text)
    subprocess.run([python, "-m", "venv", str(home / ".venv")], check=True)
    pip = [str(home / ".venv/bin/python"), "-m", "pip", "install", "-q", "pytest>=8,<9"]
    subprocess.run(pip, check=True, stdout=sys.stderr)


def _module(number: int) -> str:
    """Each module calls the one ten before it, so that chains are a hundred long."""
    before = number - 10
    head = f"from big.m{before} import f{before}\n" if before >= 0 else ""
    call = f"f{before}(value)" if before >= 0 else "value"
    helpers = "".join(f"\ndef helper_{number}_{k}(a, b={k}):\n    return [a, b, {k}]\n" for k in range(12))
    return f"{head}\ndef f{number}(value):\n    return {call} and value + 1\n{helpers}"
