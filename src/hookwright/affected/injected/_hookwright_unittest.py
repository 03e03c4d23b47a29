# mypy: ignore-errors
# ruff: noqa: UP031, UP038, I001 - it must also run on Python 3.8, in an environment that we know nothing of
"""Started in the user's interpreter where there is no pytest: runs files of unittest tests, reports each outcome.

The report has the form of the pytest plugin's. Nothing is recorded.
"""

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
        module = sys.modules.get(type(test).__module__)
        path = os.path.relpath(getattr(module, "__file__", None) or "?", self.root)
        return "%s::%s::%s" % (path, type(test).__qualname__, getattr(test, "_testMethodName", str(test)))

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
        if type(test).__name__ == "_FailedTest":  # unittest's stand-in for a file that cannot be imported
            text = [line for line in str(err[1]).splitlines() if line.strip()]
            self.tell(kind="broken", id=str(test), text=text[-LINES_OF_A_FAILURE:])
            return
        frames = [frame for frame in traceback.extract_tb(err[2]) if os.sep + "unittest" + os.sep not in frame.filename]
        text = "".join(traceback.format_exception_only(err[0], err[1])).splitlines()[:LINES_OF_A_FAILURE]
        last = frames[-1] if frames else None
        where = "%s:%s" % (last.filename, last.lineno) if last else ""
        self.told(test, "failed", text=text, where=where, line=(last.line or "") if last else "")


def main():
    with open(os.environ["HOOKWRIGHT_CONTROL"], encoding="utf-8") as file:
        control = json.load(file)
    sys.path[0] = control["root"]
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for path in control["files"]:
        suite.addTests(loader.loadTestsFromName(path[: -len(".py")].replace("/", ".")))
    if not control["files"]:
        suite.addTests(loader.discover(control["root"]))
    result = Reporter(control)
    result.tell(kind="collected", tests=suite.countTestCases(), left_out=[])
    suite.run(result)
    result.tell(kind="end")
    sys.exit(0 if result.wasSuccessful() else 1)


main()
