"""A scratch project with a suite, driven by real hook processes and by the functions the verbs call."""

from __future__ import annotations

from pathlib import Path

import pytest
from suite.bed import SuiteProject


@pytest.fixture
def bed(tmp_path: Path) -> SuiteProject:
    return SuiteProject(tmp_path)
