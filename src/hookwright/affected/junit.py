"""JUnit's XML, as surefire, Gradle, nextest, swift, phpunit, minitest and node write it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

from hookwright.affected.contract import Failure, Report
from hookwright.affected.toolchain import line_of

MOST_LINES = 4
MOST_BYTES = 32 << 20
BAD = ("failure", "error")
FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|&#(?:x0*(?:[0-8BCEFbcef]|1.);)")


class Case:
    """One testcase element; in the order of the report."""

    def __init__(self, element: ElementTree.Element, suites: tuple[str, ...]) -> None:
        self.name = element.get("name", "")
        self.group = element.get("classname", "")
        self.file = element.get("file", "")
        self.line = element.get("line", "")
        self.suites = suites
        self.fault = next((child for child in element if child.tag in BAD), None)
        self.skipped = any(child.tag in ("skipped", "disabled") for child in element)

    @property
    def how(self) -> str:
        """The word for how it ended."""
        return "skipped" if self.skipped else "passed" if self.fault is None else "failed"

    def said(self) -> list[str]:
        """The message, else what stands in the element, as lines."""
        if self.fault is None:
            return []
        text = self.fault.get("message") or self.fault.text or self.fault.get("type") or ""
        return [line.strip() for line in text.splitlines() if line.strip()][:MOST_LINES]

    def trace(self) -> str:
        return (self.fault.text or "") if self.fault is not None else ""


def document(text: str) -> ElementTree.Element | None:
    """The root of a document; None when it is not whole, not XML, or brings entities of its own."""
    if len(text) > MOST_BYTES or "<!ENTITY" in text:
        return None
    try:
        return ElementTree.fromstring(FORBIDDEN.sub("", text).encode("utf-8", "replace"))
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError):  # LookupError: an encoding of its own
        return None


def cases(text: str) -> list[Case]:
    """The cases of a document, if it is one."""
    root = document(text)
    return list(_walk(root)) if root is not None else []


def _walk(root: ElementTree.Element) -> Iterator[Case]:
    """In the order of the report, however deep suites lie in suites."""
    waiting: list[tuple[ElementTree.Element, tuple[str, ...]]] = [(root, ())]
    while waiting:
        element, suites = waiting.pop()
        if element.tag == "testcase":
            yield Case(element, suites)
        elif element is root or element.tag in ("testsuite", "testsuites"):
            inside = suites if element is root else (*suites, element.get("name", ""))
            waiting += [(child, inside) for child in reversed(element)]


def report_of(found: Iterable[Case], root: str, place: re.Pattern[str], between: str = ".") -> Report:
    """A report; `place` finds the file and the line of a failure in its trace. Names are `shop.CartTest.total`."""
    report = Report(found=True, whole=True)
    for case in found:
        name = f"{case.group}{between}{case.name}" if case.group else case.name
        report.ran.append(name)
        report.skipped += case.skipped
        report.passed += not case.skipped and case.fault is None
        if case.fault is not None:
            where = _where(case, place)
            report.failures.append(Failure(name, tuple(case.said()), where, line_of(root, where)))
    return report


def _where(case: Case, place: re.Pattern[str]) -> str:
    if case.file and case.line:
        return f"{case.file}:{case.line}"
    named = place.search(case.trace())
    return f"{named[1]}:{named[2]}" if named else ""
