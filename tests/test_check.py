"""`hookwright check`, `config` and `schema` as a person meets them."""

import json

import pytest

from hookwright import config

BROKEN = """\
on: push
postToolUse:
  commands:
    - run: ""
      show_stdout: true
      timout: 3
    - echo hi
    - tool: Bash
  run: x
preToolUze: {commands: []}
pre-tool: {}
stop:
  commands:
    - run: x
      tool: Bash
      match: x
subagentStop: {commands: {a: b}}
handlers: [gone.py, broken.py, broken.py]
stop: {commands: []}
? [a]
: b
"""

PROBLEMS = """\
c:1:1: on: unknown section "on"; `hookwright schema` has them all
c:4:12: postToolUse.commands[0].run: is empty
c:5:7: postToolUse.commands[0].show_stdout: unknown key "show_stdout"; did you mean "showStdout"?
c:6:7: postToolUse.commands[0].timout: unknown key "timout"; did you mean "timeout"?
c:7:7: postToolUse.commands[1]: is text; it must be a mapping with "run": write "- run: ..."
c:8:7: postToolUse.commands[2]: has no "run"
c:9:3: postToolUse.run: belongs to a command: write it in the list under "commands"
c:10:1: preToolUze: unknown section "preToolUze"; did you mean "preToolUse"?
c:11:1: pre-tool: unknown section "pre-tool"; did you mean "preToolUse"?
c:15:7: stop.commands[0].tool: Stop is not about a tool, and has nothing to match
c:16:7: stop.commands[0].match: Stop has nothing to match
c:17:26: subagentStop.commands: is a mapping; it must be a list: put "- " before each entry
c:18:12: handlers[0]: gone.py: there is no such file
c:18:21: handlers[1]: broken.py:2: NameError: name 'undefined' is not defined
c:18:32: handlers[2]: "broken.py" is in the list twice
c:18:32: handlers[2]: broken.py:2: NameError: name 'undefined' is not defined
c:19:1: stop: is given twice, first on line 12
c:20:3: has a key that is a list; a key must be text
"""


@pytest.fixture
def broken(tmp_path):
    (tmp_path / "broken.py").write_text("x = 1\nundefined()\n")
    path = tmp_path / ".hookwright.yaml"
    path.write_text(BROKEN)
    return str(path)


def test_all_problems_are_told_at_once(broken):
    """Each with its place, its key and what would be right, in the order of the file."""
    assert [str(problem) for problem in config.check(broken, "c")] == PROBLEMS.splitlines()


def test_check_prints_every_problem_and_says_no(broken, run_cli):
    """One a line on stdout; exit 1."""
    answer = run_cli("check")
    assert answer.exit_code == 1
    assert answer.stdout == "".join(f".hookwright.yaml{line[1:]}" for line in PROBLEMS.splitlines(keepends=True))
    assert answer.stderr == ""


def test_check_says_what_it_checked(tmp_path, run_cli):
    """One line and exit 0 for a good config, found from a folder below it or named."""
    (tmp_path / "h.py").write_text("from hookwright import on\n@on.Stop\ndef f(event): ...\n")
    good = "stop: {commands: [{run: a}, {run: b}]}\npreToolUse: {commands: [{run: c}]}\nhandlers: [h.py]\n"
    (tmp_path / ".hookwright.yaml").write_text(good)
    (tmp_path / "below").mkdir()
    line = ".hookwright.yaml: 3 commands on 2 events, 1 handler: no problems\n"
    for args, cwd, shown in (
        ((), tmp_path, line),
        ((".",), tmp_path, line),
        (("below",), tmp_path, line),
        ((".hookwright.yaml",), tmp_path, line),
        ((), tmp_path / "below", f"../{line}"),
    ):
        answer = run_cli("check", *args, cwd=cwd)
        assert (answer.stdout, answer.stderr, answer.exit_code) == (shown, "", 0)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}", "null", "---\n"])
def test_an_empty_file_is_a_config(tmp_path, run_cli, text):
    """Nothing is configured, and nothing is wrong with that."""
    (tmp_path / ".hookwright.yml").write_text(text)
    answer = run_cli("check")
    assert (answer.stdout, answer.exit_code) == (".hookwright.yml: 0 commands on 0 events: no problems\n", 0)


def test_features_are_named(tmp_path, run_cli):
    """A config without a command of its own can do much."""
    (tmp_path / ".hookwright.yaml").write_text("autoTest: {}\nprotectOwnFiles: true\nsuite: {drive: self}\n")
    assert run_cli("check").stdout == ".hookwright.yaml: autoTest, suite, protectOwnFiles: no problems\n"


@pytest.mark.parametrize(("text", "told"), [("- a\n", "is a list"), ("hello\n", "is text"), ("42\n", "is a number")])
def test_a_file_that_is_no_mapping_is_told(tmp_path, text, told):
    """The top of the file has no key to name."""
    path = tmp_path / ".hookwright.yaml"
    path.write_text(text)
    assert [str(p) for p in config.check(str(path), "c")] == [f"c:1:1: {told}; it must be a mapping of sections"]


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    """A folder of that name, for one."""
    (tmp_path / ".hookwright.yaml").mkdir()
    [problem] = config.check(str(tmp_path / ".hookwright.yaml"), "c")
    assert str(problem) == "c:1:1: cannot be read: not a regular file"


@pytest.mark.parametrize("args", [(), ("nowhere",)])
@pytest.mark.parametrize("verb", ["check", "config"])
def test_no_config_is_not_a_verdict(run_cli, verb, args):
    """Exit 3: it could not be done."""
    answer = run_cli(verb, *args)
    assert (answer.stdout, answer.exit_code) == ("", 3)
    assert "there is no" in answer.stderr


def test_warnings_do_not_make_a_config_bad(tmp_path, run_cli):
    """conclaude's other keys, and a handler file with nothing in it."""
    (tmp_path / "h.py").write_text("def forgotten(event): ...\n")
    (tmp_path / ".conclaude.yaml").write_text("handlers: [h.py]\nstop: {infinite: true, commands: [{run: x}]}\n")
    answer = run_cli("check")
    assert answer.exit_code == 0
    assert answer.stdout.splitlines() == [
        "warning: .conclaude.yaml:1:12: handlers[0]: registers no handler; put @on.<Event> above a function",
        "warning: .conclaude.yaml:2:8: stop.infinite: not acted on by hookwright",
        ".conclaude.yaml: 1 command on 1 event: no problems",
    ]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def f(:\n", "h.py:1: SyntaxError: invalid syntax"),
        ("import sys\nsys.exit(3)\n", "h.py:2: SystemExit: 3"),
        ("from hookwright import on\n@on.Stopp\ndef f(e): ...\n", "h.py:2: AttributeError: no event is called 'Stopp'"),
        ("raise ValueError('two\\nlines')\n", "h.py:1: ValueError: two lines"),
        ("\0", "h.py: "),
    ],
)
def test_a_handler_file_that_does_not_load_is_told_with_its_line(tmp_path, source, told):
    """Whatever it raises, it is one line."""
    (tmp_path / "h.py").write_text(source)
    path = tmp_path / ".hookwright.yaml"
    path.write_text("handlers: [h.py]\n")
    [problem] = config.check(str(path), "c")
    assert str(problem).startswith(f"c:1:12: handlers[0]: {told}")


def test_config_tells_where_every_value_comes_from(tmp_path, run_cli):
    """A line of the file, or the default."""
    (tmp_path / ".hookwright.yaml").write_text(
        'postToolUse:\n  commands:\n    - run: x\n      files: "*.py"\n      env: {A: b}\n'
    )
    lines = dict(line.rsplit("  # ", 1) for line in run_cli("config").stdout.splitlines()[1:])
    places = {key.strip(): place for key, place in lines.items()}
    assert places['postToolUse.commands[0].run: "x"'] == ".hookwright.yaml:3"
    assert places['postToolUse.commands[0].files[0]: "*.py"'] == ".hookwright.yaml:4"
    assert places['postToolUse.commands[0].env.A: "b"'] == ".hookwright.yaml:5"
    assert places['postToolUse.commands[0].tool: "*"'] == "default"
    assert places["postToolUse.commands[0].timeout: null"] == "default"
    assert not any(key.startswith("stop") for key in places)


def test_config_as_json(tmp_path, run_cli):
    """The same for programs; a conclaude stop command shows that it blocks, and one that is left out is not shown."""
    text = "stop: {commands: [{run: x}, {run: y, skill: z}]}\nhandlers: [h.py]\n"
    (tmp_path / ".conclaude.yaml").write_text(text)
    document = json.loads(run_cli("config", "--json").stdout)
    assert document["file"] == str(tmp_path / ".conclaude.yaml")
    values = {row["key"]: (row["value"], row["from"]) for row in document["values"]}
    assert values["stop.commands[0].onError"] == ("block", "default")
    assert values["handlers[0]"] == ("h.py", ".conclaude.yaml:2")
    assert "stop.commands[1].run" not in values


def test_config_of_a_broken_file_is_what_is_wrong_with_it(broken, run_cli):
    """There is no effective config to show."""
    answer = run_cli("config")
    assert (answer.stdout, answer.exit_code) == ("", 1)
    assert "unknown section" in answer.stderr


def test_schema_prints_the_schema(run_cli):
    """JSON on stdout; with --markdown the page for readers."""
    assert json.loads(run_cli("schema").stdout)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert run_cli("schema", "--markdown").stdout.startswith("# The config\n")


def test_a_hook_with_a_broken_config_says_so_once(project):
    """The agent goes on; the person reads one line, and the next event is silent."""
    project.config("stop: {commands: [{run: exit 2, timeout: 0}]}\n")
    first, second = project.hook("Stop"), project.hook("Stop")
    assert (first.exit_code, first.stdout) == (0, "")
    assert "stop.commands[0].timeout: 0 is out of range" in first.stderr
    assert "hookwright check" in first.stderr
    assert second.stderr == ""


def test_what_can_have_no_effect_is_told(tmp_path):
    """Files where none are edited is a mistake; a block where nothing can be blocked is a warning."""
    path = tmp_path / ".hookwright.yaml"
    path.write_text("stop: {commands: [{run: x, files: '*.py'}]}\n")
    assert "Stop edits no files" in str(config.check(str(path))[0])
    path.write_text(
        "postToolBatch: {commands: [{run: x, onError: block}]}\npreToolUse: {commands: [{run: x, onError: block}]}\n"
    )
    (warning,) = config.examine(str(path))[0].report.warnings
    assert "can only observe PostToolBatch" in str(warning)


def test_the_clients_own_way_to_list_tools_is_told(tmp_path):
    """`Edit|Write` would match nothing; the right form is said."""
    path = tmp_path / ".hookwright.yaml"
    path.write_text("preToolUse: {commands: [{run: x, tool: 'Edit|Write'}]}\n")
    (warning,) = config.examine(str(path))[0].report.warnings
    assert '"{Edit,Write}"' in str(warning)
    path.write_text("preToolUse: {commands: [{run: x, timeout: 1e3}]}\n")
    assert "write it out in digits" in str(config.check(str(path))[0])
