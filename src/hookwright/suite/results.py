"""The results of a run, a line of JSON each, kept as written: the five hundredth test pays for its own only."""

from hookwright.wire import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

BETWEEN = b",\n"  # no line has a newline inside: JSON escapes them
FIRST = ("id", "status")


class Results:
    """A list of results that is read only where it is asked."""

    __slots__ = ("data",)

    def __init__(self, data: bytes = b"") -> None:
        self.data = data

    @classmethod
    def of(cls, results: "Iterable[dict[str, Any]]") -> "Results":
        """From results that somebody else wrote."""
        made = cls()
        for result in results:
            made.append(result)
        return made

    def append(self, result: "dict[str, Any]") -> None:
        first = {key: result.get(key) for key in FIRST}
        line = encode({**first, **result}).encode()
        self.data = self.data + BETWEEN + line if self.data else line

    def pop(self) -> "dict[str, Any]":
        self.data, _, line = self.data.rpartition(BETWEEN)
        return _read(line)

    def __len__(self) -> int:
        return self.data.count(b"\n") + 1 if self.data else 0

    def __iter__(self) -> "Iterator[dict[str, Any]]":
        return map(_read, self.data.split(BETWEEN) if self.data else ())

    def since(self, index: int) -> "list[dict[str, Any]]":
        """The results from this one on."""
        return list(self)[index:] if index < len(self) else []

    def statuses(self) -> "dict[str, str]":
        """What came of each test that has a result."""
        return {str(result.get("id")): str(result.get("status")) for result in self}

    def status_of(self, test_id: str) -> str | None:
        """What came of a test; None where it has no result."""
        begin = b'\n{"id": ' + encode(test_id).encode() + b", "
        _, found, rest = (b"\n" + self.data).partition(begin)
        line = b"{" + rest.partition(BETWEEN)[0]
        return str(_read(line).get("status")) if found else None


def _read(line: bytes) -> "dict[str, Any]":
    result: dict[str, Any] = decode(line)  # type: ignore[assignment] # `state` has looked at it, or we wrote it
    return result
