"""Which tests of a suite run, and in which order: the file's own, but for dependencies, which go first."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Filters:
    """Which tests are meant; what is not given lets everything pass."""

    __slots__ = ("category", "ids", "tag")

    def __init__(self, category: str | None = None, tag: str | None = None, ids: "Sequence[str]" = ()) -> None:
        self.category = category
        self.tag = tag
        self.ids = list(ids)

    def take(self, case: "dict[str, Any]") -> bool:
        return (
            (self.category is None or case.get("category") == self.category)
            and (self.tag is None or self.tag in case.get("tags", ()))
            and (not self.ids or case["id"] in self.ids)
        )

    def __str__(self) -> str:
        named = [("category", self.category), ("tag", self.tag), *(("id", one) for one in self.ids)]
        return ", ".join(f"{name} {value!r}" for name, value in named if value is not None)


def in_order(cases: "Sequence[dict[str, Any]]") -> "list[dict[str, Any]]":
    """Every test after those it depends on, else as they stand. Circles and unknown names are left as they are."""
    by_id = {case["id"]: case for case in reversed(cases)}
    ordered: dict[str, dict[str, Any]] = {}
    for case in cases:
        waiting = {case["id"]: None} if case["id"] not in ordered else {}  # the newest is looked at first
        while waiting:
            name = next(reversed(waiting))
            needs = [other for other in by_id[name].get("depends_on", ()) if other in by_id]
            missing = next((other for other in needs if other not in ordered and other not in waiting), None)
            if missing is None:
                ordered[name] = by_id[name]
                del waiting[name]
            else:
                waiting[missing] = None
    return list(ordered.values())


def circle(cases: "Sequence[dict[str, Any]]", start: str) -> list[str]:
    """The way from a test along its dependencies back to itself; [] where there is none."""
    wanted = {case["id"]: case.get("depends_on", ()) for case in cases}
    paths = [[start]]
    seen: set[str] = set()
    while paths:
        path = paths.pop()
        for name in wanted.get(path[-1], ()):
            if name == start:
                return [*path, start]
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return []
