"""Who depends on what was edited: the imports, walked backwards."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping


def dependents(imports: Mapping[str, Iterable[str]], edited: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Whoever reaches an edited one, nearest first, with the way there; the edited ones come first."""
    importers: dict[str, list[str]] = {}
    for name, others in imports.items():
        for other in others:
            importers.setdefault(other, []).append(name)
    ways: dict[str, tuple[str, ...]] = {name: (name,) for name in edited}
    waiting = deque(ways)
    while waiting:
        reached = waiting.popleft()
        for name in importers.get(reached, ()):
            if name not in ways:
                ways[name] = (name, *ways[reached])
                waiting.append(name)
    return ways


def reason(way: tuple[str, ...]) -> str:
    """Why the first of a way is affected."""
    return f"imports {' -> '.join(way[1:])}" if len(way) > 1 else "it was edited"
