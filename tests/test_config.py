"""A config becomes bindings: what is written is what runs, and what is broken never takes down what was good."""

import copy
import marshal
import os

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookwright import bindings, conclaude, config, globs, keys
from hookwright.affected.settings import from_options
from hookwright.bindings import pick
from hookwright.edits import touches
from hookwright.events import BY_NAME, event_of, lower_camel

FAST = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def write(tmp_path):
    """Write a config and give its path."""

    def write(text, name=".hookwright.yaml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def compiled(path):
    """The bindings of every event, and no problem."""
    table = config.compile_config(path)
    assert (table.problem, table.news) == ("", "")
    return {name: table.of(name) for name in table.rows}


def one(path):
    """The only binding there is."""
    [[binding]] = compiled(path).values()
    return binding


def texts(path):
    return [str(problem) for problem in config.check(path, "c")]


# seeds/001: PostToolUse Configuration Section


def test_valid_post_tool_use_configuration_with_commands(write):
    """The commands array is populated."""
    path = write('postToolUse:\n  commands:\n    - run: "echo tool completed"\n', ".conclaude.yaml")
    assert config.check(path) == []
    binding = one(path)
    assert (binding.kind, binding.name) == ("command", "postToolUse.commands[0]")
    assert binding.options["run"] == "echo tool completed"


def test_empty_post_tool_use_configuration(write):
    """An empty list is valid and runs nothing."""
    path = write("postToolUse:\n  commands: []\n", ".conclaude.yaml")
    assert config.check(path) == []
    assert compiled(path) == {}


def test_missing_post_tool_use_section_uses_defaults(write):
    """No section, no commands."""
    path = write("stop:\n  commands: []\n", ".conclaude.yaml")
    assert config.check(path) == []
    assert config.compile_config(path).of("PostToolUse") == []


# seeds/001: PostToolUse Command Structure

ALL_OPTIONS = """
postToolUse:
  commands:
    - run: ".claude/scripts/log.sh"
      tool: "AskUserQuestion"
      showCommand: true
      showStdout: true
      showStderr: false
      maxOutputLines: 100
      timeout: 30
"""


def test_command_with_all_options_specified(write):
    """Every option is preserved, and the filter is the tool's name."""
    binding = one(write(ALL_OPTIONS))
    wanted = {"showCommand": True, "showStdout": True, "showStderr": False, "maxOutputLines": 100}
    assert wanted.items() <= binding.options.items()
    assert (binding.timeout_s, binding.filter) == (30, "AskUserQuestion")
    for tool, runs in (("AskUserQuestion", True), ("Bash", False)):
        assert bool(pick(event_of("PostToolUse", {"tool_name": tool}), [binding])) is runs


def test_command_with_minimal_options_uses_defaults(write):
    """Only `run` is required."""
    path = write("postToolUse:\n  commands:\n    - run: echo completed\n")
    binding = one(path)
    assert (binding.filter, binding.match, binding.timeout_s, binding.on_error) == ("*", None, None, "continue")
    assert binding.options == {
        "run": "echo completed",
        "files": [],
        "showCommand": True,
        "showStdout": False,
        "showStderr": False,
        "maxOutputLines": None,
        "message": None,
        "env": {},
        "background": False,
        "shell": "/bin/sh",
        "folder": os.path.dirname(path),
    }


# seeds/001: Tool Pattern Filtering (the patterns themselves: test_globs.py)


def test_multiple_commands_with_different_filters(write):
    """Each command has its own filter, and they keep their order."""
    path = write('postToolUse:\n  commands:\n    - {tool: AskUserQuestion, run: "qa"}\n    - {tool: "*", run: "all"}\n')
    rows = config.compile_config(path).of("PostToolUse")
    for tool, ran in (("AskUserQuestion", ["qa", "all"]), ("Bash", ["all"])):
        picked = pick(event_of("PostToolUse", {"tool_name": tool}), rows)
        assert [binding.options["run"] for binding in picked] == ran


# seeds/001: Configuration Validation


def of_command(key, value):
    return f"postToolUse:\n  commands:\n    - run: x\n      {key}: {value}\n"


def test_valid_timeout_value_accepted(write):
    """300 seconds are in range, and reach the binding."""
    assert one(write(of_command("timeout", 300))).timeout_s == 300


def test_invalid_timeout_value_rejected(write):
    """The message says the valid range."""
    [problem] = texts(write(of_command("timeout", 5000)))
    assert problem == "c:4:16: postToolUse.commands[0].timeout: 5000 is out of range; the valid range is 1-3600"


def test_valid_max_output_lines_value_accepted(write):
    """500 lines are in range."""
    assert one(write(of_command("maxOutputLines", 500))).options["maxOutputLines"] == 500


def test_invalid_max_output_lines_value_rejected(write):
    """The message says the valid range."""
    [problem] = texts(write(of_command("maxOutputLines", 0)))
    assert "postToolUse.commands[0].maxOutputLines" in problem and "1-10000" in problem


def test_invalid_tool_pattern_rejected(write):
    """The message says what is wrong with the glob."""
    [problem] = texts(write(of_command("tool", '"[invalid"')))
    assert '"[invalid" is not a glob: the "[" at character 1 has no closing "]"' in problem


# Beyond the seed: every event, every key


def test_every_event_has_a_section(write):
    """All of them take commands, under their names in lower camel case."""
    sections = [lower_camel(name) for name in BY_NAME]
    path = write("".join(f"{section}:\n  commands: [{{run: x}}]\n" for section in sections))
    assert list(compiled(path)) == list(BY_NAME)
    assert len(sections) == 33


@pytest.mark.parametrize("name", BY_NAME)
def test_filters_are_taken_where_the_event_has_something_to_filter(write, name):
    """`tool` on tool events and batches, `match` where there is a matcher field, and a reason elsewhere."""
    event = BY_NAME[name]
    for key, taken in (("tool", keys.takes_tool(event)), ("match", bool(event.matches))):
        found = texts(write(f"{lower_camel(name)}:\n  commands:\n    - run: x\n      {key}: a*\n"))
        assert bool(found) is not taken
        assert taken or name in found[0]


def test_match_is_tried_on_the_events_own_field(write):
    """A session that starts anew is told from one that is resumed."""
    rows = [one(write("sessionStart:\n  commands: [{run: x, match: start*}]\n"))]
    assert pick(event_of("SessionStart", {"source": "startup"}), rows)
    assert not pick(event_of("SessionStart", {"source": "resume"}), rows)


def test_all_of_a_command_reaches_the_binding(write):
    """What the runner needs is in the options."""
    command = '{run: a, onError: block, message: "no", env: {NO: b}, background: true, shell: bash}'
    binding = one(write(f"stop:\n  commands:\n  - {command}\n"))
    assert binding.on_error == "block"
    wanted = {"message": "no", "env": {"NO": "b"}, "background": True, "shell": "bash"}
    assert wanted.items() <= binding.options.items()


def test_several_lines_stay_one_script(write):
    """A block of YAML is one `run`."""
    script = "for x in 1 2; do\n  echo $x\ndone\n"
    assert (
        one(write("stop:\n  commands:\n  - run: |\n      " + script.replace("\n", "\n      "))).options["run"] == script
    )


def test_decimal_seconds_are_fine(write):
    """Half seconds are in range too."""
    assert one(write(of_command("timeout", 2.5))).timeout_s == 2.5


def test_a_key_without_a_value_has_its_default(write):
    """`timeout:` and `timeout: null` mean no timeout; an empty section is no section."""
    assert (
        one(write("stop:\n  commands:\n  - run: x\n    timeout:\n    showCommand: null\npreToolUse:\n")).timeout_s
        is None
    )


def test_merge_keys_are_followed(write):
    """`<<: *common` brings keys in; those of the command itself win."""
    path = write("stop:\n  commands:\n  - &a {run: x, timeout: 5}\n  - {<<: *a, run: y}\n  - {<<: [*a, {shell: s}]}\n")
    found = compiled(path)["Stop"]
    assert [(b.options["run"], b.timeout_s) for b in found] == [("x", 5), ("y", 5), ("x", 5)]
    assert found[2].options["shell"] == "s"


def test_rows_stand_in_the_order_of_the_file(write, tmp_path):
    """Handlers come where the key `handlers` stands."""
    (tmp_path / "h.py").write_text("from hookwright import on\n@on.Stop\ndef f(event): ...\n")
    before = write("handlers: [h.py]\nstop: {commands: [{run: x}]}\n")
    assert [binding.kind for binding in compiled(before)["Stop"]] == ["function", "command"]
    after = write("stop: {commands: [{run: x}]}\nhandlers: [h.py]\n", ".hookwright.yml")
    assert [binding.kind for binding in compiled(after)["Stop"]] == ["command", "function"]


FILES = [
    (["src/**/*.py"], "src/a/b.py", True),
    (["src/**/*.py"], "src/b.py", True),
    (["src/**/*.py"], "lib/b.py", False),
    (["*.py"], "deep/er/b.py", True),
    (["/b.py"], "deep/b.py", False),
    (["docs/"], "docs/a.md", True),
    (["*.py", "!gen_*.py"], "a/gen_x.py", False),
    (["!gen_*.py", "*.py"], "a/gen_x.py", True),
    (["*.{js,ts}"], "a.ts", True),
    (["!*.{js,ts}", "a*"], "a.ts", True),
    (["*", "!*.{js,ts}"], "a.ts", False),
    (["a[!b].c"], "ax.c", True),
]


@pytest.mark.parametrize(("patterns", "edited", "runs"), FILES)
def test_files_are_gitignore_patterns(write, tmp_path, patterns, edited, runs):
    """The last pattern that fits decides, as in a .gitignore."""
    binding = one(write(yaml.safe_dump({"postToolUse": {"commands": [{"run": "x", "files": patterns}]}})))
    raw = {"tool_name": "Edit", "tool_input": {"file_path": str(tmp_path / edited)}, "cwd": str(tmp_path)}
    assert touches(event_of("PostToolUse", raw), binding.options["files"], binding.options["folder"]) is runs


def test_files_may_be_one_pattern(write):
    """A text is a list of one."""
    [(includes, code)] = one(write(of_command("files", '"*.py"'))).options["files"]
    assert includes is True and globs.pattern_of(code).match("a/b.py")


# What is kept for the next event


def test_the_next_event_finds_the_rows(write, tmp_path):
    """Compiled rows are stored beside the config and loaded again as they were, sources included."""
    (tmp_path / "h.py").write_text("from hookwright import on\n@on.Stop(on_error='block')\ndef f(event): ...\n")
    path = write("handlers: [h.py]\npostToolUse: {commands: [{run: x, files: '*.py', timeout: 2.5}]}\n")
    table = config.compile_config(path)
    loaded = bindings.load(path)
    assert (loaded.rows, loaded.sources, loaded.code) == (table.rows, table.sources, table.code)
    assert str(tmp_path / "h.py") in loaded.sources


def test_a_relative_path_is_as_good(write, monkeypatch):
    """Handlers and commands belong to the folder of the config, however it is named."""
    monkeypatch.chdir(folder := os.path.dirname(write("stop: {commands: [{run: x}]}")))
    assert one(".hookwright.yaml").options["folder"] == folder


def test_a_folder_that_cannot_be_written_still_has_a_config(write, tmp_path):
    """Nothing is kept, and everything runs."""
    (tmp_path / ".hookwright").write_text("in the way")
    assert one(write("stop: {commands: [{run: x}]}")).options["run"] == "x"


def test_a_config_edited_while_it_is_compiled_is_not_stored_under_its_new_identity(write, tmp_path):
    """The handler file stands for an editor: it changes the config while that is being compiled."""
    source = f"with open({str(tmp_path / '.hookwright.yaml')!r}, 'a') as file: file.write('# edited')\n"
    (tmp_path / "h.py").write_text(source)
    path = write("handlers: [h.py]\nstop: {commands: [{run: x}]}\n")
    config.compile_config(path)
    assert bindings.load(path) is None


# Broken configs


def test_a_broken_config_keeps_the_last_good_one_and_says_so_once(write):
    """The rows stay, the first problem is news, and the next event is fast and silent."""
    good = config.compile_config(write("stop: {commands: [{run: good}]}"))
    path = write("stop: {commands: [{run: bad, timeout: 0}, {}]}")
    table = config.compile_config(path)
    assert table.rows == good.rows
    first = "stop.commands[0].timeout: 0 is out of range; the valid range is 1-3600 (and 1 more)"
    assert table.problem == (f".hookwright.yaml:1:39: {first}; what was last good is kept; run `hookwright check`")
    assert table.news == table.problem
    loaded = bindings.load(path)
    assert (loaded.rows, loaded.problem, loaded.news) == (good.rows, table.problem, "")


def test_breaking_it_twice_still_keeps_the_good_one(write):
    """Last good is the last that was good, not the last that was stored."""
    good = config.compile_config(write("stop: {commands: [{run: good}]}"))
    for text in ("stop: [", "nonsense: 1", b"\xff"):
        assert config.compile_config(write(text)).rows == good.rows
    mended = config.compile_config(write("stop: {commands: [{run: mended}]}"))
    assert mended.of("Stop")[0].options["run"] == "mended" and not mended.news


def test_a_first_config_that_is_broken_means_no_rows_and_one_line(write):
    """There is nothing to fall back on."""
    table = config.compile_config(write("stop: 1"))
    assert table.rows == {} and "hookwright check" in table.news


def test_a_broken_handler_file_keeps_its_own_last_good_rows(write, tmp_path):
    """The commands follow the config; the handlers stay what they were."""
    file = tmp_path / "h.py"
    file.write_text("from hookwright import on\n@on.Stop(on_error='block')\ndef f(event): ...\n")
    good = config.compile_config(write("handlers: [h.py]\nstop: {commands: [{run: x}]}\n"))
    file.write_text("import nothing_of_that_name\n")
    table = config.compile_config(write("handlers: [h.py]\nstop: {commands: [{run: changed}]}\n"))
    handler, command = table.of("Stop")
    assert (handler.options["function"], handler.on_error) == ("f", "block")
    assert command.options["run"] == "changed"
    assert "handlers[0]: h.py:1: ModuleNotFoundError" in table.news
    assert table.code == good.code
    assert table.sources[str(file)] == bindings.identity(str(file))


def test_a_missing_handler_file_is_known_as_missing(write, tmp_path):
    """So that the rows are compiled again as soon as it is there."""
    path = write("handlers: [h.py]\n")
    table = config.compile_config(path)
    assert table.sources[str(tmp_path / "h.py")] == ()
    assert bindings.load(path).problem
    (tmp_path / "h.py").write_text("from hookwright import on\n@on.Stop\ndef f(event): ...\n")
    assert bindings.load(path) is None
    assert [name for name in compiled(path)] == ["Stop"]


def test_while_the_config_is_broken_a_changed_handler_file_is_not_compiled_for_every_event(write, tmp_path):
    """The identities of the sources are taken anew."""
    (tmp_path / "h.py").write_text("from hookwright import on\n@on.Stop\ndef f(event): ...\n")
    config.compile_config(write("handlers: [h.py]\n"))
    (tmp_path / "h.py").write_text("# changed\n")
    path = write("broken")
    assert config.compile_config(path).of("Stop")
    assert bindings.load(path).of("Stop")


# .conclaude.yaml


CONCLAUDE = """
stop:
  commands:
    - run: npm test
      message: Tests failed
      showStdout: null
      notifyPerCommand: true
  infinite: false
  rounds: 3
subagentStop:
  commands:
    coder: [{run: npm run lint}]
    "*": [{run: echo}, {run: date}]
preToolUse:
  preventRootAdditions: true
  uneditableFiles: ["*.lock", {pattern: ".env*", message: no}]
  toolUsageValidation: []
userPromptSubmit:
  contextRules: []
  commands: [{run: log}, {run: only-some, pattern: "deploy.*"}]
permissionRequest: {default: deny, allow: [Read]}
teammateIdle:
  commands: {"rev*": [{run: x}], "*": [{run: y}]}
fileChanged:
  commands: {"src/*": [{run: x}]}
notifications: {enabled: true}
"""


def test_a_conclaude_file_checks_clean_and_what_is_not_acted_on_is_a_warning(write):
    """A file brought along is no error."""
    reading, _ = config.examine(write(CONCLAUDE, ".conclaude.yaml"))
    assert reading.report.problems == []
    told = {warning.key: warning.text for warning in reading.report.warnings}
    assert set(told) == {
        *("stop.commands[0].notifyPerCommand", "stop.infinite", "stop.rounds"),
        *("preToolUse.preventRootAdditions", "preToolUse.uneditableFiles", "preToolUse.toolUsageValidation"),
        *("userPromptSubmit.contextRules", "userPromptSubmit.commands[1].pattern"),
        *("permissionRequest.default", "permissionRequest.allow", "notifications"),
        *("teammateIdle.commands.rev*", "fileChanged.commands.src/*"),
    }
    assert all(text.startswith("not acted on by hookwright") for text in told.values())


def test_conclaude_commands_carry_over(write):
    """Patterns become filters, a failing stop command blocks, and filters we lack leave their command out."""
    rows = compiled(write(CONCLAUDE, ".conclaude.yaml"))
    [stop] = rows["Stop"]
    assert (stop.on_error, stop.options["message"]) == ("block", "Tests failed")
    assert stop.options["shell"].endswith(("/bash", "/sh"))
    names = [(binding.name, binding.filter, binding.on_error) for binding in rows["SubagentStop"]]
    assert names == [
        ("subagentStop.commands.coder[0]", "coder", "continue"),
        ("subagentStop.commands.*[0]", "*", "continue"),
        ("subagentStop.commands.*[1]", "*", "continue"),
    ]
    assert [binding.options["run"] for binding in rows["UserPromptSubmit"]] == ["log"]
    assert [binding.options["run"] for binding in rows["TeammateIdle"]] == ["y"]
    assert "FileChanged" not in rows


def test_any_line_of_a_conclaude_stop_command_can_block(write):
    """There each line is a command; here it is one script that ends at the first failure."""
    text = 'stop: {commands: [{run: "false\\ntrue\\n"}]}'
    assert one(write(text, ".conclaude.yaml")).options["run"] == "set -e\nfalse\ntrue\n"
    assert one(write(text)).options["run"] == "false\ntrue\n"


def test_the_same_keys_are_unknown_in_our_own_file(write):
    """There they would look as if they did something."""
    found = texts(write(CONCLAUDE))
    assert any("stop.infinite: unknown key" in problem for problem in found)
    assert any("subagentStop.commands: is a mapping; it must be a list" in problem for problem in found)
    assert any("notifications: unknown section" in problem for problem in found)


def test_a_typo_in_a_conclaude_file_is_still_an_error(write):
    """Only what conclaude knows is passed over."""
    [problem] = texts(write("stop: {commands: [{run: x, showStdot: true}]}", ".conclaude.yml"))
    assert 'did you mean "showStdout"?' in problem


def test_a_command_under_a_pattern_has_no_second_filter(write):
    """Neither conclaude nor we know which one would count."""
    [problem] = texts(write("subagentStop: {commands: {a: [{run: x, match: b}]}}", ".conclaude.yaml"))
    assert "filtered twice" in problem


def test_conclaudes_sections_are_events_of_ours():
    """Its table of keys names sections that exist."""
    assert set(conclaude.KEYS) - {""} <= set(keys.SECTIONS)
    assert set(conclaude.OTHER_SUBJECT) <= set(keys.SECTIONS)


# Nothing a user writes raises

COMMANDS = st.fixed_dictionaries(
    {"run": st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1).filter(str.strip)},
    optional={
        "showCommand": st.booleans(),
        "showStdout": st.booleans(),
        "maxOutputLines": st.integers(1, 10_000),
        "timeout": st.integers(1, 3600) | st.floats(1, 3600),
        "onError": st.sampled_from(["continue", "block"]),
        "env": st.dictionaries(
            st.from_regex(r"[A-Z_]{1,8}", fullmatch=True),
            st.text(st.characters(codec="ascii", exclude_categories=["Cc"])),
        ),
        "background": st.booleans(),
    },
)
CONFIGS = st.dictionaries(
    st.sampled_from([lower_camel(name) for name in BY_NAME]),
    st.fixed_dictionaries({"commands": st.lists(COMMANDS, max_size=3)}),
    max_size=4,
)


@FAST
@given(wanted=CONFIGS)
def test_a_valid_config_becomes_the_bindings_it_says(tmp_path, wanted):
    """Round trip: every command is one row, with every value it had, and marshal can keep it."""
    path = tmp_path / ".hookwright.yaml"
    path.write_text(yaml.safe_dump(wanted, sort_keys=False))
    table = config.compile_config(str(path))
    assert table.problem == ""
    for section, inside in wanted.items():
        rows = table.of(keys.SECTIONS[section])
        assert [row.name for row in rows] == [f"{section}.commands[{i}]" for i in range(len(inside["commands"]))]
        for row, command in zip(rows, inside["commands"], strict=True):
            got = row.options | {"timeout": row.timeout_s, "onError": row.on_error}
            assert {key: got[key] for key in command} == command
    assert marshal.loads(marshal.dumps(table.rows)) == table.rows


@FAST
@given(text=st.text() | st.binary())
def test_no_file_whatever_raises(tmp_path, text):
    """Any text or bytes are checked and compiled, to problems if need be."""
    _never_raises(tmp_path, text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


WORDS = [
    "postToolUse",
    "commands",
    "run",
    "tool:",
    "-",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&",
    "*",
    "!",
    "|",
    ">",
    "'",
    '"',
    "#",
    "%",
    "@",
    "\n",
    "\t",
    "~",
    "on",
    "yes",
    "1:30",
    ".nan",
    "0x1",
    "<<",
    "&a",
    "*a",
    "!!int",
]


@FAST
@given(words=st.lists(st.sampled_from(WORDS), max_size=30))
def test_no_yaml_whatever_raises(tmp_path, words):
    """Texts made of YAML's own signs reach further than random ones."""
    _never_raises(tmp_path, " ".join(words).encode())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@FAST
@given(data=st.data())
def test_no_mutated_config_raises(tmp_path, data):
    """A valid config in which one value has been replaced by anything."""
    whole = {"postToolUse": {"commands": [{row.name: row.default for row in keys.COMMAND} | {"run": "x"}]}}
    whole |= {"stop": {"commands": []}, "autoTest": {row.name: None for row in keys.AUTO_TEST}, "handlers": []}
    mutant = copy.deepcopy(whole)
    place = mutant
    while data.draw(st.booleans()) and isinstance(place, dict | list) and place:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key]:
            place[key] = data.draw(VALUES)
            break
        place = place[key]
    _never_raises(tmp_path, yaml.safe_dump(mutant, allow_unicode=True).encode("utf-8", "surrogatepass"))


def _never_raises(tmp_path, content):
    for name in (".hookwright.yaml", ".conclaude.yaml"):
        path = tmp_path / name
        path.write_bytes(content)
        problems = config.check(str(path))
        table = config.compile_config(str(path))
        assert bool(problems) == bool(table.problem)
        assert all("\n" not in str(problem) for problem in problems)


def test_one_project_of_a_repository_has_settings_of_its_own(write, tmp_path):
    """Where it is silent the others' hold, and a misspelt one is found."""
    of_api = "{./api/: {budget: 20, commands: {python: [mine]}}}"
    path = write(f"autoTest: {{budget: 60, warm: true, maxCharacters: 500, exclude: [x], projects: {of_api}}}\n")
    known = from_options(one(path).options, str(tmp_path))
    api = known.for_project(str(tmp_path / "api"))
    assert (api.budget_s, api.commands, api.warm, api.most_characters) == (20, {"python": ["mine"]}, True, 500)
    assert api.exclude == known.exclude != []
    assert known.for_project(str(tmp_path / "web")).budget_s == 60
    (problem,) = texts(write("autoTest: {projects: {api: {buget: 20}}}\n"))
    assert 'autoTest.projects.api.buget: unknown key "buget"; did you mean "budget"?' in problem
