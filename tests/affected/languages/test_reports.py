"""Report readers take whatever a killed or strange tool may have left behind."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from hookwright.affected import junit
from hookwright.affected.gotest import Stream
from hookwright.affected.javascript.reports import read_jest, read_mocha, read_node
from hookwright.affected.libtest import Output

ANYTHING = st.binary(max_size=400).map(lambda raw: raw.decode("utf-8", "replace"))
PLACE = re.compile(r"\((\w+\.java):(\d+)\)")
GRADLE = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="shop.CartTest" tests="3" skipped="1" failures="1" errors="0">
  <testcase name="total()" classname="shop.CartTest" time="0.01"/>
  <testcase name="later()" classname="shop.CartTest" time="0"><skipped/></testcase>
  <testcase name="discount()" classname="shop.CartTest" time="0.02">
    <failure message="expected: &lt;19&gt; but was: &lt;20&gt;" type="E">at shop.CartTest.discount(CartTest.java:15)</failure>
  </testcase>
</testsuite>
"""


@given(ANYTHING)
def test_nothing_makes_a_reader_fail(text):
    for read in (read_jest, read_mocha, read_node):
        assert read(text, "/nowhere").failures == []
    assert junit.cases(text) == []
    Stream(text)
    Output(text, text)


def test_gradle_report():
    """The XML that Gradle documents: one passed, one skipped, one failed."""
    report = junit.report_of(junit.cases(GRADLE), "/nowhere", PLACE)
    assert (report.passed, report.skipped, len(report.failures)) == (1, 1, 1)
    failure = report.failures[0]
    assert (failure.test, failure.where) == ("shop.CartTest.discount()", "CartTest.java:15")
    assert failure.text == ("expected: <19> but was: <20>",)


def test_jest_hook_after_the_tests():
    """A file whose tests passed, but not what came after them, has failed."""
    suite = {"name": "/x/a.test.js", "status": "failed", "message": "Error: in afterAll"}
    told = read_jest(
        json.dumps({"testResults": [{**suite, "assertionResults": [{"status": "passed", "title": "a"}]}]}), "/x"
    )
    assert ([failure.test for failure in told.failures], told.broken, told.passed) == (["a.test.js"], [], 1)
    told = read_jest(json.dumps({"testResults": [{**suite, "assertionResults": []}]}), "/x")
    assert ([fault.test for fault in told.broken], told.failures) == (["a.test.js"], [])
