"""Load as `make stress` makes it, for a moment: the figures are there, and nothing is lost."""

from __future__ import annotations

from stress.big_journal import measured, project_with
from stress.load import broken, many_processes
from stress.resident_load import steadily
from stress.scenarios import HOOK


def test_many_processes_lose_nothing() -> None:
    """Eight processes for a second."""
    figures = many_processes(8, 1)
    assert figures["events"] >= 8
    assert not broken(figures)


def test_a_server_answers_each_event_with_its_own_answer() -> None:
    """A steady rate over connections that stay open; every event is in the journal once."""
    figures = steadily(rate=100, seconds=1, connections=4)
    assert figures["events"] >= 4
    assert not broken(figures)
    assert figures["mb_last"] > 0


def test_a_long_journal_costs_an_event_no_memory(tmp_path) -> None:
    """An event reads nothing of it: sixteen megabytes of journal are not sixteen of memory."""
    small, large = (measured(HOOK, project_with(size, tmp_path / str(size)))[1] for size in (1, 16))
    assert large < small + 8
