"""What CI servers take for JUnit: the rules of Jenkins' `junit-10.xsd`, the strictest schema that is in use."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

COUNT, SECONDS, ANY = r"\d+", r"\d*(\.\d{1,3})?", r"(?s).*"
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
# element -> (its attributes, with "!" those that it must have; what may be in it)
RULES = {
    "testsuites": ({"name": ANY, "time": SECONDS, "tests": COUNT, "failures": COUNT, "errors": COUNT}, {"testsuite"}),
    "testsuite": (
        {
            "name!": ANY,
            "tests!": COUNT,
            "failures": COUNT,
            "errors": COUNT,
            "skipped": COUNT,
            "time": SECONDS,
            "timestamp": MOMENT,
        },
        {"testcase", "properties", "system-out", "system-err"},
    ),
    "testcase": ({"name!": ANY, "classname": ANY, "time": SECONDS}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"message": ANY, "type": ANY}, set()),
    "skipped": ({"message": ANY}, set()),
    "system-out": ({}, set()),
}


def problems(document: str) -> list[str]:
    """Everything that a CI server would not take, wrong sums included."""
    root = ElementTree.fromstring(document.encode())
    found = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for element in root.iter():
        attributes, children = RULES.get(element.tag, ({}, set()))
        known = {name.rstrip("!"): rule for name, rule in attributes.items()}
        found += [f"{element.tag} has {name}" for name in element.attrib if name not in known]
        found += [
            f"{element.tag} lacks {name}" for name in attributes if name[-1] == "!" and name[:-1] not in element.attrib
        ]
        wrong = [name for name, value in element.attrib.items() if not re.fullmatch(known.get(name, ANY), value)]
        found += [f"{element.tag}.{name} is {element.attrib[name]!r}" for name in wrong]
        found += [f"{element.tag} holds {child.tag}" for child in element if child.tag not in children]
    for suite in root.iter("testsuite"):
        for name, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("skipped", "testcase/skipped")):
            if int(suite.get(name, "0")) != len(suite.findall(tag)):
                found.append(f"{name} is {suite.get(name)}, but there are {len(suite.findall(tag))}")
    return found
