"""Each verb under each fault, at a few of the changes it makes; `make stress` goes through all of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stress.faults import Bed
from stress.scenarios import SCENARIOS, Scenario
from stress.shim import NoCompiler


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    try:
        return Bed(tmp_path)
    except NoCompiler as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_nothing_is_lost(bed: Bed, scenario: Scenario) -> None:
    """Killed, starved or interrupted, a verb leaves every file whole, nobody behind, and works the next time."""
    broken = [f"{tried.fault}: {text}" for tried in bed.tries(scenario, sample=1) for text in tried.broken]
    assert not broken


def test_the_harness_sees_what_is_broken(bed: Bed, tmp_path: Path) -> None:
    """A program that writes its settings in place is found out, so the test above can fail."""
    careless = tmp_path / "careless.py"
    careless.write_text(
        "import json, pathlib\n"
        "file = pathlib.Path('.claude/settings.json')\n"
        "file.write_text(json.dumps(json.loads(file.read_text()) | {'more': 'x' * 100}))\n"
    )
    broken = [
        text for tried in bed.tries(Scenario("careless", [sys.executable, str(careless)])) for text in tried.broken
    ]
    assert any("cannot be read" in text for text in broken)
