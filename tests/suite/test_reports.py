"""Reports: four forms of the same run."""

import json
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest
from suite.bed import THREE

from hookwright.suite import progress, reports

NASTY = "<script>alert('x')</script> | pipe \x00\x1b[31m ]]> & \ud800 end"


def finished(bed):
    bed.suite().init()
    bed.pass_one("Created ID: n1")
    bed.pass_one("nothing of the kind")
    bed.pass_one("hello")
    return progress.opened(str(bed.folder))


def test_the_documents_form(bed):
    """Totals, the failed tests, a table."""
    page = reports.written(finished(bed), "md")
    assert page.startswith(
        "# Three tests: Test Report\n\n**Total:** 3 | **Passed:** 2 | **Failed:** 1 | **Skipped:** 0\n"
    )
    assert "## Failed\n\n### ❌ get\n- Pattern not found: 'id.*n1'\n" in page
    assert "| 2 | get | crud | ❌ fail | Pattern not found: 'id.*n1' |\n" in page


def test_json_has_summary_and_results(bed):
    """With the evidence of each test."""
    document = json.loads(reports.written(finished(bed), "json"))
    assert document["summary"] == {"total": 3, "passed": 2, "failed": 1, "skipped": 0, "not_run": 0}
    assert [row["answer"] for row in document["results"]] == ["Created ID: n1", "nothing of the kind", "hello"]


def test_junit_counts_what_did_not_run_as_skipped(bed):
    """Never as passed; the numbers add up."""
    bed.suite().init()
    bed.pass_one("Created ID: n1")
    bed.do("abort")
    suite = ElementTree.fromstring(reports.written(progress.opened(str(bed.folder)), "junit"))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "0", "2")
    assert [part.get("message") for part in suite.iter("skipped")] == ["not run: aborted"] * 2


class Reader(HTMLParser):
    """The tags of a page, and the ones left open."""

    def __init__(self, page):
        super().__init__()
        self.seen, self.open = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_needs_nothing_but_itself(bed):
    """No script, no link, no picture; the failed test is open, the others are folded."""
    page = reports.written(finished(bed), "html")
    reader = Reader(page)
    assert reader.open == []
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in reader.seen}
    opened = ["open" in attributes for tag, attributes in reader.seen if tag == "details"]
    assert opened == [True, False, False]
    assert "✗ 1 of 3 failed" in page and "Pattern not found" in page


@pytest.mark.parametrize("form", reports.FORMS)
def test_any_text_can_be_reported(bed, form):
    """Markup, control characters and half characters are only text in every form."""
    suite = json.loads(json.dumps(THREE))
    suite["tests"][0] |= {
        "description": NASTY.replace("\x00", "").replace("\ud800", ""),
        "expect": [{"contains": "never"}],
    }
    bed.suite(suite).init()
    bed.pass_one(NASTY)
    bed.do("abort")
    page = reports.written(progress.opened(str(bed.folder)), form)
    reports.write(str(bed.folder / "out"), page)
    assert form not in ("html", "junit") or "<script>" not in page
    if form == "junit":
        ElementTree.fromstring(page)


def test_a_report_shows_a_variable_as_it_was(bed):
    """When the test was judged, not what a later test made of it; what looks like a secret is masked."""
    saves = {"action": "Say ${v}", "save": {"v": r"v=(\S+)"}}
    tests = [
        {"id": "a", "action": "x", "save": saves["save"]},
        *({"id": n, **saves, "expect": [{"contains": "is ${v}"}]} for n in "bc"),
    ]
    bed.suite({"tests": tests}).init()
    for said in ("v=first", "v=sk-ant-0123456789", "v=last"):
        bed.pass_one(said)
    rows = json.loads((bed.run_folder / "report.json").read_text())["results"]
    assert [row["action"] for row in rows] == ["x", "Say first", "Say ***"]
    assert [row["expect"] for row in rows[1:]] == [[{"contains": "is first"}], [{"contains": "is ***"}]]
    assert "is first" in (bed.run_folder / "report.html").read_text()


def test_titles_stay_on_their_line(bed):
    """A newline or a pipe in a name cannot make a heading or a column of its own."""
    nasty = "one\n# two | three"
    suite = {
        "description": nasty,
        "tests": [{"id": nasty, "description": nasty, "category": nasty, "action": "x", "expect": [{"contains": "y"}]}],
    }
    told = [bed.suite(suite).init(), bed.do("next").text, bed.do("status").text, bed.do("validate", "no").text]
    page = reports.written(progress.opened(str(bed.folder)), "md")
    assert all("\n# two" not in text for text in (*told, page))
    assert "| 1 | one # two \\| three | one # two \\| three | ❌ fail |" in page


def test_somebody_elses_report_is_left_alone(bed):
    """Only a report of ours is replaced; the person is told where this one is."""
    own = bed.folder / "tests/functional/report.md"
    bed.suite().init()
    own.write_text("# My notes\n\nNot yours.\n")
    told = bed.do("abort").text
    assert own.read_text() == "# My notes\n\nNot yours.\n"
    assert "report.md is no report of ours and stays as it is; this one is " in told
    own.unlink()
    for _ in range(2):
        bed.init(reset=True)
        assert "no report of ours" not in bed.do("abort").text
        assert "# Three tests: Test Report" in own.read_text()


def test_half_characters_break_nothing(bed, run_cli):
    """In an answer, in a variable, in an action: the run goes on, and every form can be written and printed."""
    tests = [
        {"id": "a", "action": "x", "save_as": {"v": "$.x"}, "expect": [{"json_path": "$.x"}]},
        {"id": "b", "action": "say ${v}"},
    ]
    bed.suite({"tests": tests}).init()
    for half in ("\ud800", "\\ud800"):  # as it is, and as JSON escapes it
        assert bed.pass_one(f'{{"x": "{half}"}}').startswith("## ✅ PASS: a")
        bed.do("retry")
    bed.do("validate", '{"x": "\\ud83d"}')
    assert bed.state["saved_vars"] == {"v": "\ud83d"}
    assert run_cli("suite", "next").exit_code == 0
    assert run_cli("suite", "vars").exit_code == 0
    bed.do("validate", "\ud800")
    for form in reports.FORMS:
        assert run_cli("suite", "report", "--format", form).exit_code == 0
        assert (bed.run_folder / f"report.{reports.FORMS[form][1]}").read_text(encoding="utf-8")


def test_reports_are_written_at_the_end_and_after_an_abort(bed):
    """All forms in the run's folder, the markdown beside the suite; a folder that cannot be written is no obstacle."""
    finished(bed)
    assert {file.suffix for file in bed.run_folder.glob("report.*")} == {".md", ".json", ".xml", ".html"}
    assert (bed.folder / "tests/functional/report.md").exists()
    bed.init(reset=True)
    bed.do("abort")
    assert "**Mode:** aborted" in (bed.folder / "tests/functional/report.md").read_text()
