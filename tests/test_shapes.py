"""Values of the config: what each shape takes, what it says otherwise, and that the JSON Schema says the same."""

import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from hookwright import config, config_docs, keys, yaml_nodes
from hookwright.events import BY_NAME, lower_camel
from hookwright.shapes import Report
from hookwright.yaml_nodes import NotYaml, root

PAGE = Path(__file__).parent.parent / "docs" / "config.md"


def said(row, text):
    """(value, messages) of a YAML text under one command key."""
    report = Report("c")
    [shape] = [each.shape for each in keys.COMMAND if each.name == row]
    value = report.read(shape, root(text.encode()), row)
    return value, [problem.text for problem in report.problems]


GOOD = [
    ("run", "echo", "echo"),
    ("run", "'123'", "123"),
    ("tool", '"{Edit,Write}"', "{Edit,Write}"),
    ("showStdout", "yes", True),
    ("showStdout", "off", False),
    ("timeout", "1", 1),
    ("timeout", "3600", 3600),
    ("timeout", "0x10", 16),
    ("timeout", "2.5", 2.5),
    ("maxOutputLines", "10000", 10000),
    ("onError", "block", "block"),
    ("env", '{A: "", "on": x, NO: y}', {"A": "", "on": "x", "NO": "y"}),
    ("files", "a/*.py", ["a/*.py"]),
    ("message", '""', ""),
]


@pytest.mark.parametrize(("row", "text", "value"), GOOD)
def test_what_fits_is_taken(row, text, value):
    """The value comes back, and nothing is said."""
    assert said(row, text) == (value, [])


BAD = [
    ("run", "123", 'is a number; it must be text: write "123" in quotes'),
    ("run", "true", 'is true (a yes or no to YAML); it must be text: write "true" in quotes'),
    ("run", "2024-01-01", 'is a date; it must be text: write "2024-01-01" in quotes'),
    ("run", "[a]", "is a list; it must be text: give it one"),
    ("run", '"  "', "is empty"),
    ("run", '"a\\0b"', "contains a NUL character, which no program can be given"),
    ("run", "!secret x", 'is tagged !secret; it must be text: write "x" in quotes'),
    ("showStdout", '"true"', "is text; it must be true or false: write true without quotes"),
    ("showStdout", "1", "is a number; it must be true or false"),
    ("showStdout", "!!bool maybe", "is maybe (a yes or no to YAML); it must be true or false"),
    ("timeout", '"30"', "is text; it must be a number of seconds, 1-3600: write 30 without quotes"),
    ("timeout", "30s", "is text; it must be a number of seconds, 1-3600"),
    ("timeout", "true", "is true (a yes or no to YAML); it must be a number of seconds, 1-3600"),
    ("timeout", "0.5", "0.5 is out of range; the valid range is 1-3600"),
    ("timeout", ".inf", ".inf is out of range; the valid range is 1-3600"),
    ("timeout", ".nan", ".nan is out of range; the valid range is 1-3600"),
    ("timeout", "!!int x", "is x; it must be a number of seconds, 1-3600"),
    ("timeout", "9" * 5000, f"is {'9' * 57}...; it must be a number of seconds, 1-3600"),
    ("maxOutputLines", "2.5", "is 2.5; it must be a whole number, 1-10000"),
    ("maxOutputLines", "10001", "10001 is out of range; the valid range is 1-10000"),
    ("onError", "blocks", 'is "blocks"; it must be "continue" or "block"; did you mean "block"?'),
    ("onError", "no", 'is no (a yes or no to YAML); it must be "continue" or "block"'),
    ("env", "[A]", "is a list; it must be a mapping of names to text"),
    ("env", "{PORT: 8080}", 'is a number; it must be text: write "8080" in quotes'),
    ("env", "{A: }", 'is empty; it must be text: write "" for no text'),
    ("env", '{"A=B": x}', "cannot be a name here"),
    ("tool", '"a{b"', '"a{b" is not a glob: the "{" at character 2 has no closing "}"'),
    ("tool", f'"{"{a,b}" * 30}"', f'"{"{a,b}" * 11}{{a..." is not a glob'),
    ("files", "'# comment'", '"# comment" is not a glob: no path fits it; to gitignore it is a comment or nothing'),
    ("files", "'!'", '"!" is not a glob: the pattern is empty'),
    ("files", "[1]", 'is a number; it must be text: write "1" in quotes'),
    ("files", "'a\\'", '"a\\" is not a glob'),
    ("files", "{a: b}", 'is a mapping; it must be a list: put "- " before each entry'),
]


@pytest.mark.parametrize(("row", "text", "message"), BAD)
def test_what_does_not_fit_is_told_with_what_would(row, text, message):
    """One message, with a hint that can be followed."""
    _, [told] = said(row, text)
    assert told == message or (message.endswith("is not a glob") and told.startswith(message))


SAME_IN_SCHEMA = [case for case in BAD if case[0] != "tool" and "is not a glob" not in case[2] and "!" not in case[1]]
BEYOND_SCHEMA = (".nan", '"a\\0b"', '{"A=B": x}', "9" * 5000)


@pytest.mark.parametrize(("row", "text", "value"), GOOD)
def test_the_schema_takes_what_the_checker_takes(row, text, value):
    """An editor does not complain about a good value."""
    validate(row, text)


@pytest.mark.parametrize(("row", "text", "message"), [case for case in SAME_IN_SCHEMA if case[1] not in BEYOND_SCHEMA])
def test_the_schema_refuses_what_the_checker_refuses(row, text, message):
    """An editor complains where `check` does."""
    with pytest.raises(jsonschema.ValidationError):
        validate(row, text)


def validate(row, text):
    value = yaml.load(text, Loader=TextKeys)
    jsonschema.Draft202012Validator(config_docs.json_schema()).validate(
        {"preToolUse": {"commands": [{"run": "x"} | {row: value}]}}
    )


class TextKeys(yaml.SafeLoader):
    """Keys as they are written, as an editor's YAML 1.2 reads them."""

    def construct_mapping(self, node, deep=False):
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


TextKeys.add_constructor("tag:yaml.org,2002:map", lambda loader, node: loader.construct_mapping(node))

WHOLE = [
    ("", True),
    ("postToolUse:", True),
    ("postToolUse: {commands: }", True),
    ("stop: {commands: [{run: x, timeout: }]}", True),
    (
        "handlers: []\nautoTest: {enabled: true, when: edit, commands: {go: [go, test]}, gate: stop, projects: {a: {budget: 9}}}",
        True,
    ),
    ("suite: {delivery: replace, drive: self}", True),
    ("stop: []", False),
    ("stop: {commands: [x]}", False),
    ("stop: {commands: [{timeout: 1}]}", False),
    ("stop: {commands: [{run: x, tool: a}]}", False),
    ("postToolBatch: {commands: [{run: x, tool: a}]}", True),
    ("postToolBatch: {commands: [{run: x, match: a}]}", False),
    ("preToolUse: {commands: [{run: x, tool: a, match: b}]}", False),
    ("handlers: [a, a]", False),
    ("suite: {drive: car}", False),
    ("autoTest: {budget: 0}", False),
    ("- a", False),
    ("Stop: {commands: []}", False),
]


@pytest.mark.parametrize(("text", "good"), WHOLE)
def test_checker_and_schema_agree_on_whole_files(tmp_path, text, good):
    """They are printed from the same rows."""
    path = tmp_path / ".hookwright.yaml"
    path.write_text(text)
    assert (config.check(str(path)) == []) is good
    errors = list(jsonschema.Draft202012Validator(config_docs.json_schema()).iter_errors(yaml.safe_load(text)))
    assert (errors == []) is good


def test_the_schema_is_one_and_says_what_editors_show():
    """Valid by its own dialect; every key has a description, a default where there is one, its range and its words."""
    schema = config_docs.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert {lower_camel(name) for name in BY_NAME} <= set(schema["properties"])
    timeout, on_error = schema["$defs"]["timeout"], schema["$defs"]["onError"]
    assert (timeout["minimum"], timeout["maximum"]) == (1, 3600)
    assert on_error["enum"] == ["continue", "block", None] and on_error["default"] == "continue"
    assert all(schema["$defs"][row.name]["description"] == row.help for row in keys.COMMAND)


def test_the_docs_page_is_the_one_the_rows_give():
    """docs/config.md is printed, not written."""
    assert PAGE.read_text() == config_docs.markdown(), "docs/config.md is not up to date: run `make docs`"


def test_the_example_on_the_docs_page_checks(tmp_path):
    """What readers copy works."""
    example = config_docs.markdown().split("```yaml\n")[1].split("```")[0]
    (tmp_path / ".hookwright").mkdir()
    (tmp_path / ".hookwright" / "handlers.py").write_text("")
    path = tmp_path / ".hookwright.yaml"
    path.write_text(example)
    assert config.check(str(path)) == []


# Reading YAML


BROKEN = [
    (b"a:\n\t- b", 2, 1, "indented with a tab; YAML is indented with spaces"),
    (b"a: b: c", 1, 5, "mapping values are not allowed"),
    (b"a: [1,\n", 2, 1, "did not find expected node content"),
    (b"a: 'x", 1, 6, "found unexpected end of stream"),
    (b"a: *x", 1, 4, "found undefined alias"),
    (b"a: 1\n---\nb: 2\n", 2, 1, "another document"),
    (b"a: b\nc: \xff\n", 2, 4, "not UTF-8"),
    ("a: ü\nb: \x07".encode(), 2, 4, "U+0007 is not allowed"),
    (b"[" * 200_000, 1, 101, "nested more than 100 deep"),
    (b"- " * 200_000, 1, 201, "nested more than 100 deep"),
    (b"&a [*a]", 1, 1, "an alias stands inside the value that it repeats"),
    (b"a: " + b"x" * 1_000_000, 1, 1, "1,000,003 bytes"),
]


@pytest.mark.parametrize(("data", "line", "column", "text"), BROKEN)
def test_what_is_no_yaml_is_told_with_line_and_column(data, line, column, text):
    """Syntax, encoding, and what would hurt the reader."""
    with pytest.raises(NotYaml) as caught:
        root(data)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert text in str(caught.value)


def test_an_alias_bomb_is_refused_before_it_goes_off():
    """Nine levels of nine aliases each stand for hundreds of millions of values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    with pytest.raises(NotYaml, match="its aliases stand for more than 100,000 values"):
        root("\n".join(lines).encode())


def test_aliases_cannot_go_deeper_than_brackets():
    """A chain of aliases is as deep as what it stands for."""
    chain = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [[[[[[[[[*a{i - 1}]]]]]]]]]" for i in range(1, 20)]
    with pytest.raises(NotYaml, match="100 levels"):
        root("\n".join(chain).encode())


def test_an_empty_file_is_nothing():
    """Nothing, a comment, a byte order mark."""
    assert root(b"") is root(b"# only this\n") is root(b"\xef\xbb\xbf") is None


def test_it_works_without_the_c_loader():
    """PyYAML may have been built without libyaml; the places it reports are the same."""
    code = """
import yaml
del yaml.CSafeLoader
from hookwright import yaml_nodes
assert yaml_nodes.Loader is yaml.SafeLoader
assert yaml_nodes.root(b"a: 1").value[0][1].start_mark.column == 3
for data in (b"a: b: c", b"[" * 5000):
    try:
        yaml_nodes.root(data)
    except yaml_nodes.NotYaml as error:
        print(error.line, error.column)
"""
    source = str(Path(yaml_nodes.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": source}, check=False
    )
    assert (done.stdout, done.stderr) == ("1 5\n1 101\n", "")
