"""JSON in a response: found in its texts, and asked by JSONPath (RFC 9535), which gets our deadline: it has none."""

from hookwright.suite.packages import third_party
from hookwright.suite.patterns import in_time, search
from hookwright.wire import NotJson, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FENCE = "```"


class BadPath(ValueError):
    """The JSONPath cannot be read; the text says why."""


def documents_in(texts: list[str]) -> "list[Any]":
    """Each text that is a JSON document, and those that stand in it between fences."""
    found = []
    for text in texts:
        for candidate in (text, *_fenced(text)):
            candidate = candidate.strip()
            if candidate[:1] not in '{["-0123456789tfn' or not candidate:
                continue
            try:
                found.append(decode(candidate.encode("utf-8", "surrogatepass")))
            except NotJson:
                continue
    return found


def _fenced(text: str) -> "Iterator[str]":
    for block in text.split(FENCE)[1::2]:
        first, _, rest = block.partition("\n")
        yield rest if first.strip().isalnum() else block


def values_at(path: str, document: "Any") -> "list[Any]":
    """What a JSONPath finds. Raises BadPath, BadPattern, TookTooLong."""
    library = third_party("jsonpath_rfc9535")
    try:
        return in_time(lambda: list(_environment(library).find(path, document).values()))
    except library.JSONPathError as error:
        raise BadPath(str(error).strip()) from error
    except RecursionError as error:
        raise BadPath("the document is nested too deep") from error


def check_path(path: str) -> None:
    """Raises BadPath where this is no JSONPath."""
    values_at(path, None)


def _environment(library: "Any") -> "Any":
    """The library's own, with `search` and `match` held to the deadline."""
    environment = library.JSONPathEnvironment()
    for name, form in (("search", "{}"), ("match", r"\A(?:{})\Z")):
        standard = type(environment.function_extensions[name])
        environment.function_extensions[name] = _bounded(standard, form)()
    return environment


def _bounded(standard: "Any", form: str) -> "Any":
    def call(_self: object, text: object, pattern: object) -> bool:
        return isinstance(text, str) and isinstance(pattern, str) and search(form.format(pattern), text) is not None

    return type("Bounded", (standard,), {"__call__": call})
