"""A sample payload for every event, captured from the real client."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any


@functools.cache
def _all() -> dict[str, dict[str, Any]]:
    samples: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("samples.json").read_bytes())
    return samples


def sample(event_name: str, folder: str) -> dict[str, Any]:
    """The payload of an event as it would come from a conversation in `folder`; common fields for an unknown one."""
    known = _all().get(event_name) or {"session_id": "sample", "hook_event_name": event_name}
    text = json.dumps({**known, "hook_event_name": event_name, "cwd": "/project"})
    # The captured paths lie in "/project": move them to where the user is.
    payload: dict[str, Any] = json.loads(text.replace('"/project', '"' + json.dumps(folder)[1:-1]))
    return payload
