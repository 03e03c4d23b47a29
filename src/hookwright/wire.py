"""Bytes and JSON for the hot path, without `import json`.

`json` costs as much as starting Python itself (it pulls in `re`). Its C scanner and encoder, `_json`, cost nothing,
so we use those directly; whatever they cannot take goes to the real `json`, once, before we call it broken.
"""

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_PIECE = 1 << 16  # what a pipe holds
# Brackets within brackets that are read, and written again: Python 3.11 gives up at a thousand, clients do not, and a
# call that no guard can read is one that no guard denies. A stack of 8 MB takes three times as many.
DEEPEST = 10_000


class NotJson(ValueError):
    """The bytes are no JSON document."""


def _constant(_name: str) -> None:
    """NaN and Infinity are not JSON; nobody downstream wants to meet them."""


# What the C scanner asks its owner for. A namespace: making a class would take longer than reading a payload.
_namespace: "Any" = type(sys.implementation)
_SETTINGS = _namespace(
    strict=False,  # raw control characters in strings are harmless: agents do send them
    object_hook=None,
    object_pairs_hook=None,
    parse_float=float,
    parse_int=int,
    parse_constant=_constant,
)


def read_all(fd: int) -> bytes:
    """Everything until the end of the stream."""
    pieces = []
    while piece := posix.read(fd, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)


def write_all(fd: int, data: bytes) -> None:
    """All of it, whatever the pipe takes at a time."""
    view = memoryview(data)
    while view:
        view = view[posix.write(fd, view) :]


def decode(data: bytes) -> object:
    """The JSON document in `data`; raises NotJson for anything else."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff").strip(" \t\r\n\0")
    try:
        import _json

        value, end = _json.make_scanner(_SETTINGS)(text, 0)
        if end == len(text):
            return value
    except Exception:  # noqa: S110 - without `json` loaded the scanner cannot even name its own error
        pass
    return _decode_slowly(data, text)


def _decode_slowly(data: bytes, text: str) -> object:
    import json

    for document in (text, data):  # as bytes, `json` also finds UTF-16 and UTF-32
        try:
            return _deeply(lambda it: json.loads(it, strict=False, parse_constant=_constant), document)
        except (ValueError, RecursionError):
            continue
    raise NotJson("not a JSON document")


def _deeply(work: "Callable[[Any], Any]", given: object) -> "Any":
    """What a call gives that may go down deep; it is allowed more only where it needs it."""
    try:
        return work(given)
    except RecursionError:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + DEEPEST)
        try:
            return work(given)
        finally:
            sys.setrecursionlimit(before)


def encode(value: object) -> str:
    """One line of plain-ASCII JSON; what JSON has no word for is written as its `str`."""
    return _deeply(_encoded, value)  # type: ignore[no-any-return]


def _encoded(value: object) -> str:
    try:
        import _json

        write: Callable[[object, int], tuple[str, ...]] = _json.make_encoder(
            {}, str, _json.encode_basestring_ascii, None, ": ", ", ", False, True, False
        )
        return "".join(write(value, 0))
    except (ImportError, AttributeError, TypeError):
        import json

        return json.dumps(value, default=str, skipkeys=True, allow_nan=False)


def quoted(text: str) -> str:
    """A text as a JSON string that a person or a model can read: non-ASCII characters stay as they are."""
    import _json

    return _json.encode_basestring(text)
