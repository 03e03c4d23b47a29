"""What we know of the client's versions."""

import json
import re
from pathlib import Path

from hookwright.setup import claude_client

REFERENCE = json.loads((Path(__file__).parents[1] / "golden/events.json").read_text())


def test_events_came_with_the_versions_of_the_reference():
    """Those of 2.0 and later; older ones are in every client that there still is."""
    found = {
        row["event"]: tuple(map(int, re.search(r"(\d+)\.(\d+)\.(\d+)", row["since"]).groups())) for row in REFERENCE
    }
    told = {name: since for since, names in claude_client.CAME_WITH.items() for name in names.split()}
    assert told == {name: since for name, since in found.items() if since > (2, 0, 0)}


def test_what_a_version_does_not_send():
    """The version itself does."""
    assert claude_client.not_sent_by((2, 1, 117), ["Stop", "PostToolBatch"]) == ["PostToolBatch"]
    assert claude_client.not_sent_by(claude_client.MEASURED, [row["event"] for row in REFERENCE]) == []
