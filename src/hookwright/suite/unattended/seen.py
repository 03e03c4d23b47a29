"""What one attempt at a test came to, whichever way it was made."""

from __future__ import annotations

from dataclasses import dataclass, field

from hookwright.suite.evidence import Evidence


@dataclass
class Seen:
    """The evidence; a `fault` when it cannot be judged, because what should have given it broke down."""

    evidence: Evidence = field(default_factory=Evidence)
    fault: str | None = None
    noise: str = ""  # what a server wrote beside its answers
    cost_usd: float | None = None
    transcript: list[bytes] = field(default_factory=list)  # lines of the agent's stream
    call_failed: str | None = None  # the one call of a direct test gave an error; an agent could have tried again
