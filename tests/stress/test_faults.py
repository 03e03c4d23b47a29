"""Each verb under each fault, at a few of the changes it makes; `make stress` goes through all of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stress.faults import FAULTS, Bed
from stress.scenarios import SCENARIOS, Scenario
from stress.shim import NoCompiler
from stress.two_versions import alternating


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Bed:
    try:
        return Bed(tmp_path_factory.mktemp("bed"))
    except NoCompiler as error:
        pytest.skip(str(error))


ALWAYS = "killed in the middle"
OTHERS = [fault for fault in FAULTS if fault != ALWAYS]
QUICK = [scenario for scenario in SCENARIOS if not scenario.most]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_nothing_is_lost(bed: Bed, scenario: Scenario) -> None:
    """Killed, starved or interrupted, a verb leaves every file whole, nobody behind, and works the next time."""
    turn = [OTHERS[QUICK.index(scenario) % len(OTHERS)]] if scenario in QUICK else []
    tries = list(bed.tries(scenario, sample=1, faults=[ALWAYS, *turn]))
    assert not [f"{tried.fault}: {text}" for tried in tries for text in tried.broken]
    assert all(tried.tries or tried.note for tried in tries)


def test_every_fault_has_its_turn() -> None:
    """There are more quick scenarios than faults, so that the sample leaves none out."""
    assert len(QUICK) >= len(OTHERS)


def test_the_harness_sees_what_is_broken(bed: Bed, tmp_path: Path) -> None:
    """A program that writes its settings in place is found out, so the test above can fail."""
    careless = tmp_path / "careless.py"
    careless.write_text(
        "import json, pathlib\n"
        "file = pathlib.Path('.claude/settings.json')\n"
        "file.write_text(json.dumps(json.loads(file.read_text()) | {'more': 'x' * 100}))\n"
    )
    broken = [
        text
        for tried in bed.tries(Scenario("careless", [sys.executable, str(careless)]), faults=(ALWAYS,))
        for text in tried.broken
    ]
    assert any("cannot be read" in text for text in broken)


def test_two_versions_share_a_project() -> None:
    """Neither loses, doubles or misreads what the other one wrote."""
    figures = alternating(4)
    assert figures == {"events": 8, "lost": 0, "doubled": 0, "torn": 0, "wrong": 0}
