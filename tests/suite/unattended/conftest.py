"""A project for unattended runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from suite.unattended.bed import Bed


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    bed = Bed(tmp_path)
    yield bed
    bed.end()
