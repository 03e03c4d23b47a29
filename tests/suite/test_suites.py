"""Suite files: read from JSON and YAML, checked with file and line."""

import json

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from suite.bed import THREE

from hookwright.suite.cases import TEST_ROWS, json_schema
from hookwright.suite.expect import EXPECTATIONS
from hookwright.suite.order import circle, in_order
from hookwright.suite.suites import Suite


def suite_of(tmp_path, text, name="tests.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return Suite(str(path), name)


def problems_of(tmp_path, text, name="tests.yaml"):
    return [str(problem) for problem in suite_of(tmp_path, text, name).problems]


def test_the_documents_own_suite_is_read(tmp_path):
    """Every field of the documents, as JSON, with tabs, escapes and a byte order mark."""
    text = "\ufeff" + json.dumps(THREE | {"description": "a/b 😀 \\ud83d"}, indent="\t").replace("a/b", "a\\/b")
    suite = suite_of(tmp_path, text, "tests.json")
    assert suite.problems == []
    assert (suite.description, suite.cases) == ("a/b 😀 \\ud83d", THREE["tests"])


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ("[{}]", "tests[0].expect[0]: expects nothing; give it one of contains,"),
        ("[{on: tool}]", "tests[0].expect[0]: expects nothing"),
        ("{}", "tests[0].expect: expects nothing"),
        ("[{not: {}}]", "tests[0].expect[0].not: expects nothing"),
        ("[{any_of: []}]", "tests[0].expect[0].any_of: is empty; give it an entry"),
        ("[{all_of: [{}]}]", "tests[0].expect[0].all_of[0]: expects nothing"),
        ('[{contains: ""}]', "tests[0].expect[0].contains: is empty, and every text has that"),
        ('[{not_contains: ""}]', "tests[0].expect[0].not_contains: is empty"),
        ('[{starts_with: ""}]', "tests[0].expect[0].starts_with: is empty"),
        ('[{regex: ""}]', "tests[0].expect[0].regex: is empty"),
        ('[{json_path: {path: $.a, contains: ""}}]', "tests[0].expect[0].json_path.contains: is empty"),
    ],
)
def test_what_expects_nothing_is_a_problem(tmp_path, expect, problem):
    """An entry that holds, or fails, whatever happens is a mistake; editors see it too."""
    text = f"tests: [{{id: a, action: x, expect: {expect}}}]"
    (found,) = problems_of(tmp_path, text)
    assert problem in found and found.startswith("tests.yaml:1:")
    if "is empty" in problem:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(yaml.safe_load(text), json_schema())


def test_a_suite_without_tests_is_a_problem(tmp_path):
    """There would be nothing to run."""
    assert problems_of(tmp_path, '{"tests": []}', "tests.json") == [
        "tests.json:1:11: tests: is empty; give it an entry"
    ]
    assert problems_of(tmp_path, "tests: [{id: a, action: x, expect: [{contains: ' '}]}]") == []


WRONG = """\
tests:
  - id: a
    action: Do ${early}
    expect: [{contain: x}, {regex: "("}, {json_path: "$["}]
    save: {early: 'ID (\\w+)'}
  - id: a
    action: again
    expects: []
  - id: c
    action: Use ${erly}
    depends_on: [b, d]
    save_as: "not a name"
  - id: d
    depends_on: c
    retries: 99
    expect: {json_schema: {type: 3}, contains: }
  - action: nameless
"""


def test_everything_that_is_wrong_has_its_line(tmp_path):
    """Unique ids, regexes, paths, schemas, variables, dependencies, circles, unknown keys."""
    assert problems_of(tmp_path, WRONG) == [
        "tests.yaml:3:13: tests[0].action: ${early} is saved by \"a\", which does not run earlier",
        'tests.yaml:4:15: tests[0].expect[0].contain: unknown key "contain"; did you mean "contains"?',
        "tests.yaml:4:36: tests[0].expect[1].regex: is not a regular expression: missing ), unterminated subpattern at position 0",
        "tests.yaml:4:54: tests[0].expect[2].json_path: is not a JSONPath: unbalanced brackets, line 1, column 2",
        'tests.yaml:6:9: tests[1].id: "a" is also the id of tests[0]',
        'tests.yaml:8:5: tests[1].expects: unknown key "expects"; did you mean "expect"?',
        'tests.yaml:10:13: tests[2].action: ${erly} is saved by no test; did you mean "early"?',
        'tests.yaml:11:17: tests[2].depends_on: there is no test "b"',
        "tests.yaml:12:14: tests[2].save_as: cannot be a variable's name; use letters, digits, _ . -",
        "tests.yaml:13:5: tests[3]: has neither \"action\" nor \"call\"",
        "tests.yaml:14:17: tests[3].depends_on: goes in a circle: d -> c -> d",
        "tests.yaml:15:14: tests[3].retries: 99 is out of range; the valid range is 0-10",
        "tests.yaml:16:27: tests[3].expect.json_schema: is not a JSON Schema: $.type: 3 is not valid under any of the given schemas",
        "tests.yaml:16:48: tests[3].expect.contains: is empty; give it a value",
        'tests.yaml:17:5: tests[4]: has no "id"',
    ]  # fmt: skip


def test_what_comes_after_a_broken_entry_keeps_its_place(tmp_path):
    """Entries that are no tests count, too: the line and the number are the file's."""
    text = "tests:\n  - just text\n  - action: nameless\n  - {id: a, action: '${no}'}\n  - {id: a, action: x}\n"
    suite = suite_of(tmp_path, text)
    assert [str(problem) for problem in suite.problems[-2:]] == [
        "tests.yaml:4:21: tests[2].action: ${no} is saved by no test",
        'tests.yaml:5:10: tests[3].id: "a" is also the id of tests[2]',
    ]
    assert [str(warning).partition(": tests")[0] for warning in sorted(suite.report.warnings)] == [
        "tests.yaml:4:5",
        "tests.yaml:5:5",
    ]


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("", "tests.yaml", "tests.yaml:1:1: the file is empty; a suite is a mapping with tests"),
        ('{"tests": [}', "tests.json", "tests.json:1:12: not valid JSON: Expecting value"),
        (
            "tests: {}",
            "tests.yaml",
            'tests.yaml:1:8: tests: is a mapping; it must be a list: put "- " before each entry',
        ),
        ("- a", "tests.yaml", "tests.yaml:1:1: is a list; it must be a mapping with tests"),
        ("test: []", "tests.yaml", 'tests.yaml:1:1: has no "tests"'),
        ("[" * 5000, "tests.json", "tests.json:1:1"),
    ],
)
def test_files_that_are_no_suites(tmp_path, text, name, problem):
    """Each with its place and what it should be."""
    assert problems_of(tmp_path, text, name)[0].startswith(problem)


def test_a_test_that_expects_nothing_is_only_a_warning(tmp_path):
    """It can be meant as a step of a workflow."""
    suite = suite_of(tmp_path, "tests: [{id: a, action: x}]")
    assert suite.problems == []
    assert "expects nothing" in str(suite.report.warnings[0])


def test_dependencies_run_first(tmp_path):
    """Otherwise the order is the file's; a variable may come from a dependency that stands later."""
    text = (
        "tests:\n - {id: a, action: 'x ${v}', depends_on: c}\n - {id: b, action: x}\n - {id: c, action: x, save_as: v}"
    )
    suite = suite_of(tmp_path, text)
    assert suite.problems == []
    assert [case["id"] for case in suite.cases] == ["c", "a", "b"]


CASES = st.lists(st.tuples(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefz"), max_size=3)), max_size=6)


@given(CASES)
def test_any_order_keeps_every_test_and_puts_dependencies_first(pairs):
    """With circles too: nobody is lost, and without one nobody runs before what it needs."""
    cases = [{"id": name, "depends_on": needs} for name, needs in dict(pairs).items()]
    ordered = [case["id"] for case in in_order(cases)]
    assert sorted(ordered) == sorted(case["id"] for case in cases)
    if not any(circle(cases, case["id"]) for case in cases):
        for case in cases:
            needed = [name for name in case["depends_on"] if name in ordered]
            assert all(ordered.index(name) < ordered.index(case["id"]) for name in needed)


def test_a_long_chain_of_dependencies(tmp_path):
    """However long, and written backwards."""
    tests = [{"id": f"t{n}", "action": "x", "depends_on": [f"t{n + 1}"] if n < 1999 else []} for n in range(2000)]
    suite = suite_of(tmp_path, json.dumps({"tests": tests}), "tests.json")
    assert (suite.problems, [case["id"] for case in suite.cases]) == ([], [f"t{n}" for n in reversed(range(2000))])


def test_the_schema_for_editors_agrees_with_the_check(tmp_path):
    """It is a schema, takes what the check takes, and refuses unknown keys."""
    jsonschema.Draft202012Validator.check_schema(json_schema())
    validator = jsonschema.Draft202012Validator(json_schema())
    validator.validate(THREE)
    everything = {
        "tests": [
            {
                "id": "a",
                "action": "x",
                "expect": [{"any_of": [{"contains": "a"}, {"not": {"regex": "b"}}], "on": "tool"}],
                "skip": "later",
                "depends_on": "b",
                "call": {"tool": "t", "arguments": {"x": [1, None]}},
                "before": ["true"],
            }
        ]
    }
    validator.validate(everything)
    for wrong in ({"tests": [{"id": "a", "x": 1}]}, {"tests": [{"id": "a", "expect": [{"contain": "x"}]}]}):
        assert list(validator.iter_errors(wrong))


def test_every_kind_and_key_is_in_the_schema():
    """Rows are the one place."""
    schema = json_schema()
    assert set(schema["$defs"]["expectation"]["properties"]) == {*EXPECTATIONS, "on"}
    assert set(schema["properties"]["tests"]["items"]["properties"]) == {row.name for row in TEST_ROWS}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=10,
    )
)
def test_no_file_makes_the_check_fall_over(tmp_path_factory, value):
    """Whatever stands in it, JSON or YAML: problems, never a traceback."""
    folder = tmp_path_factory.mktemp("suite")
    for name, text in (
        ("tests.json", json.dumps({"tests": [value]})),
        ("tests.yaml", yaml.safe_dump({"tests": [value]})),
    ):
        assert isinstance(problems_of(folder, text, name), list)
