"""What can be asked of an unattended run; the words of its command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FORMS = {"junit": "xml", "html": "html", "json": "json", "markdown": "md"}  # option -> how its page is named


@dataclass
class Options:
    """One field for each option."""

    via: str = "direct"
    suite: str | None = None
    mcp_config: str | None = None
    timeout: float | None = None
    category: str | None = None
    tag: str | None = None
    id: Sequence[str] = ()
    failed: bool = False
    shard: str | None = None
    jobs: int = 1
    repeat: int = 1
    seed: int | None = None
    fail_fast: bool = False
    isolate: bool = False
    junit: str | None = None
    html: str | None = None
    json: str | None = None
    markdown: str | None = None
    baseline: str | None = None
    evidence_mb: float = 50
    quiet: bool = False
    model: str | None = None
    budget: float | None = None
    claude: str | None = None
    extra: Sequence[str] = ()
