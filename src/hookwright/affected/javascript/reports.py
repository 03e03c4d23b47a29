"""The reports of JavaScript's runners: jest's JSON (vitest writes the same), mocha's JSON, node's JUnit."""

from __future__ import annotations

import json
import os
import re
from typing import Any
from urllib.parse import unquote

from hookwright.affected import junit
from hookwright.affected.contract import Failure, Report
from hookwright.affected.javascript.imports import is_test
from hookwright.affected.toolchain import line_of, read
from hookwright.output import plain

MOST_LINES = 6
# A frame of a stack: (path:line:column), `at path:line:column`, file:///path:line:column
FRAME = re.compile(r"(?:\(|\bat |^|\s)((?:file://)?/[^\n()]+?):(\d+):\d+", re.MULTILINE)
# What a loader says: `path:line` above the code, or `SyntaxError: path: Unexpected token (line:column)`
UNLOADED = re.compile(r"((?:file://)?/[^\n()]+?):(?: [^\n]*?\()?(\d+)\b")
ERROR = re.compile(r"^.*?((?:[A-Z]\w*)?Error\b[^\n]*?: .*)$", re.MULTILINE)


def read_jest(text: str, root: str) -> Report:
    """jest --json, vitest --reporter=json."""
    report = Report(found=True, whole=True)
    for suite in _list(_object(text).get("testResults")):
        path = _inside(str(suite.get("name") or ""), root)
        tests = _list(suite.get("assertionResults"))
        for test in tests:
            _take_jest(report, test, path, root)
        if suite.get("status") == "failed" and not any(test.get("status") == "failed" for test in tests):
            # With tests it was loaded, and something around them failed.
            (report.failures if tests else report.broken).append(unloaded(path, str(suite.get("message") or ""), root))
    return report


def _take_jest(report: Report, test: dict[str, Any], path: str, root: str) -> None:
    name = f"{path}::{test.get('fullName') or test.get('title') or ''}"
    if test.get("status") == "failed":
        said = test.get("failureMessages")
        words = "\n".join(map(str, said)) if isinstance(said, list) else ""
        report.failures.append(_failure(name, words, root))
    elif test.get("status") == "passed":
        report.passed += 1
    else:
        report.skipped += 1
        return
    report.ran.append(name)


def read_mocha(text: str, root: str) -> Report:
    """mocha --reporter json."""
    given = _object(text)
    report = Report(found=True, whole=True)
    for test in _list(given.get("passes")):
        report.passed += 1
        report.ran.append(_mocha_name(test, root))
    report.skipped = len(_list(given.get("pending")))
    for test in _list(given.get("failures")):
        name, error = _mocha_name(test, root), test.get("err")
        error = error if isinstance(error, dict) else {}
        report.ran.append(name)
        report.failures.append(_failure(name, str(error.get("stack") or error.get("message") or ""), root))
    return report


def _mocha_name(test: dict[str, Any], root: str) -> str:
    path = _inside(str(test.get("file") or ""), root)
    return f"{path}::{test.get('fullTitle') or ''}" if path else str(test.get("fullTitle") or "")


def read_node(text: str, root: str) -> Report:
    """node --test --test-reporter=junit. A file that cannot be loaded is reported as a test with the file's name."""
    report = Report(found=True, whole=True)
    for case in junit.cases(text):
        name = " > ".join([*(suite for suite in case.suites if suite), case.name])
        path = os.path.join(root, case.name)
        if not any(case.suites) and os.path.isfile(path):
            report.broken += _node_file(_inside(path, root), case, root)
            continue
        report.skipped += case.skipped
        if case.skipped:
            continue
        trace = case.trace()
        path = _place(trace, root).rpartition(":")[0] if case.fault is not None else ""
        named = f"{path}::{name}" if path else name
        report.ran.append(named)
        if case.fault is None:
            report.passed += 1
        else:
            report.failures.append(_failure(named, _cause(trace), root))
    return report


def _node_file(path: str, case: junit.Case, root: str) -> list[Failure]:
    """A file that node tells of in place of its tests: it has none, could not be loaded, or ended before them."""
    if case.fault is not None:
        return [Failure(path)]
    is_cut = is_test(path) and "node:test" in read(f"{root}/{path}")
    return [Failure(path, ("it ended before its tests did",))] if is_cut else []


def _cause(trace: str) -> str:
    """Node wraps the assertion in an error of its own."""
    return trace.partition("cause: ")[2] or trace


def _failure(name: str, text: str, root: str) -> Failure:
    where = _place(text, root)
    lines = [line.strip() for line in plain(text).splitlines()]
    said = [line for line in lines if line and not line.startswith("at ") and not FRAME.match(line)]
    return Failure(name, tuple(said[:MOST_LINES]), where, line_of(root, where))


def unloaded(name: str, text: str, root: str) -> Failure:
    """A file that could not be loaded, by the words of whoever tried."""
    said, where = ERROR.search(plain(text)), _place(text, root, UNLOADED)
    words = said[1] if said else plain(text)[:200]
    return Failure(name, (words.replace(f"{root}/", ""),), where, line_of(root, where))


def _place(text: str, root: str, frame: re.Pattern[str] = FRAME) -> str:
    """The first place in the project's own code."""
    for path, number in frame.findall(plain(text)):
        inside = _inside(unquote(path[7:]) if path.startswith("file://") else path, root)
        if not inside.startswith(("/", "..")) and "node_modules" not in inside.split("/"):
            return f"{inside}:{number}"
    return ""


def _inside(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/")


def _object(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text[text.find("{") :])
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _list(given: object) -> list[dict[str, Any]]:
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
