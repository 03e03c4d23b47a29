"""Which tests run, in which order and in which shard. Tests that need each other stay together."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from hookwright.errors import Misuse
from hookwright.suite.variables import names_in, saved_by

Json = dict[str, Any]
USES_VARIABLES = ("action", "expect", "save", "save_as", "call")


def families(cases: Sequence[Json]) -> list[list[Json]]:
    """Groups of tests that nothing connects with each other, each in the order of the run."""
    head = {case["id"]: case["id"] for case in cases}

    def root(name: str) -> str:
        while head[name] != name:
            head[name] = head[head[name]]
            name = head[name]
        return name

    savers = _savers(cases)
    for case in cases:
        for needed in needs(case, savers):
            if needed in head:
                head[root(needed)] = root(case["id"])
    found: dict[str, list[Json]] = {}
    for case in cases:
        found.setdefault(root(case["id"]), []).append(case)
    return list(found.values())


def _savers(cases: Sequence[Json]) -> dict[str, list[str]]:
    """Which tests save a variable."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for name in saved_by(case):
            found.setdefault(name, []).append(case["id"])
    return found


def needs(case: Json, savers: dict[str, list[str]]) -> list[str]:
    """The tests that one cannot do without: named ones, and those that save its variables."""
    used = dict.fromkeys(name for key in USES_VARIABLES for name in names_in(case.get(key)))
    return [*case.get("depends_on", ()), *(one for name in used for one in savers.get(name, ()))]


def with_needed(cases: Sequence[Json], wanted: Iterable[str]) -> list[Json]:
    """These tests and all that they need, in the order of the run."""
    savers = _savers(cases)
    by_id = {case["id"]: case for case in cases}
    taken: set[str] = set()
    waiting = [name for name in wanted if name in by_id]
    while waiting:
        name = waiting.pop()
        if name not in taken:
            taken.add(name)
            waiting += [other for other in needs(by_id[name], savers) if other in by_id]
    return [case for case in cases if case["id"] in taken]


def shard_of(text: str) -> tuple[int, int]:
    """(K, N) of `K/N`. Raises Misuse."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise Misuse(f"--shard takes K/N with K from 1 to N, such as 1/3; this is {text!r}.")
    return int(number), int(count)


def in_shard(cases: Sequence[Json], shard: tuple[int, int]) -> list[Json]:
    """The tests of one shard: every family goes to the shard that has the fewest tests so far."""
    number, count = shard
    sizes = [0] * count
    taken: set[str] = set()
    for family in families(cases):
        least = sizes.index(min(sizes))
        sizes[least] += len(family)
        if least == number - 1:
            taken.update(case["id"] for case in family)
    return [case for case in cases if case["id"] in taken]


def units(cases: Sequence[Json], jobs: int, seed: int | None) -> list[list[Json]]:
    """What a lane takes at a time: all in the suite's order, or, where the order is free, family by family."""
    if jobs == 1 and seed is None:
        return [list(cases)] if cases else []
    found = families(cases)
    if seed is not None:
        random.Random(seed).shuffle(found)
    return found
