# mypy: ignore-errors
# ruff: noqa: UP031, UP038, I001 - it must also run on Python 3.8, in an environment that we know nothing of
"""Started in the user's interpreter where there is no pytest: runs files of unittest tests, reports each outcome.

The report has the form of the pytest plugin's. Nothing is recorded.
"""

import importlib
import json
import os
import sys
import time
import traceback
import unittest

LINES_OF_A_FAILURE = 6


class Reporter(unittest.TestResult):
    """One JSON object per line, as it comes."""

    def __init__(self, control):
        super().__init__()
        self.root = control["root"]
        self.fd = os.open("%s.%d" % (control["report"], os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, **fields):
        os.write(self.fd, (json.dumps(fields) + "\n").encode("utf-8", "replace"))

    def startTest(self, test):
        super().startTest(test)
        self.began = time.perf_counter()

    def told(self, test, outcome, **more):
        seconds = round(time.perf_counter() - getattr(self, "began", time.perf_counter()), 5)
        self.tell(kind="test", id=self.name(test), when="call", seconds=seconds, outcome=outcome, **more)

    def name(self, test):
        if type(test).__name__ == "_ErrorHolder":  # unittest's stand-in for the set-up of a class or module
            step, _, where = test.description.rstrip(")").partition(" (")
            return self._id(where, step)
        return self._id("%s.%s" % (type(test).__module__, type(test).__qualname__), test._testMethodName)

    def _id(self, where, last):
        """`tests/test_a.py::Class::method` for `tests.test_a.Class` and a method."""
        module, inside = where, []
        while module not in sys.modules and "." in module:
            module, _, outer = module.rpartition(".")
            inside.insert(0, outer)
        path = os.path.relpath(getattr(sys.modules.get(module), "__file__", None) or module, self.root)
        return "::".join([path] + ([".".join(inside)] if inside else []) + [last])

    def addSuccess(self, test):
        self.told(test, "passed")

    def addSkip(self, test, reason):
        self.told(test, "skipped")

    def addExpectedFailure(self, test, err):
        self.told(test, "skipped")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.told(test, "failed", text=["Unexpected success"])

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.failed(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed(test, err)

    def failed(self, test, err):
        self.told(test, "failed", **_failure(err))


def _failure(err):
    """The exception, and where it was raised: neither by unittest nor by what imports a module."""
    frames = [frame for frame in traceback.extract_tb(err[2]) if not _is_machinery(frame.filename)]
    text = "".join(traceback.format_exception_only(err[0], err[1])).splitlines()[:LINES_OF_A_FAILURE]
    if not frames:
        return {"text": text}
    last = frames[-1]
    return {"text": text, "where": "%s:%s" % (last.filename, last.lineno), "line": last.line or ""}


def _is_machinery(file):
    return any("%s%s%s" % (os.sep, name, os.sep) in file for name in ("unittest", "importlib")) or file in (
        __file__,
        "<frozen importlib._bootstrap>",
        "<frozen importlib._bootstrap_external>",
    )


def _tests_in(path, loader, result):
    """The tests of a file; whatever ends its import is told as the error it is."""
    try:
        module = importlib.import_module(path[: -len(".py")].replace("/", "."))
    except unittest.SkipTest:
        return ()
    except BaseException:  # sys.exit() in a module, too
        result.tell(kind="broken", id=path, **_failure(sys.exc_info()))
        return ()
    return loader.loadTestsFromModule(module)


def main():
    with open(os.environ["HOOKWRIGHT_CONTROL"], encoding="utf-8") as file:
        control = json.load(file)
    sys.path[0] = control["root"]
    result = Reporter(control)
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for path in control["files"]:
        suite.addTests(_tests_in(path, loader, result))
    result.tell(kind="collected", tests=suite.countTestCases(), left_out=[])
    suite.run(result)
    result.tell(kind="end")
    sys.exit(0 if result.wasSuccessful() else 1)


main()
