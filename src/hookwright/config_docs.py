"""The rows of the config as others want them: a JSON Schema for editors, a page for readers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hookwright import keys
from hookwright.events import BY_NAME, Event, lower_camel
from hookwright.records import Row, record_schema, row_schema

# The first line of a config that `hookwright init` writes; the file beside it is what `hookwright schema` prints.
SCHEMA_COMMENT = "# yaml-language-server: $schema=.hookwright/schema.json"


def json_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a `.hookwright.yaml`; whether globs and handler files are good is beyond it."""
    rows = keys.top_rows()
    top = record_schema(rows)
    for name, event in BY_NAME.items():
        commands = top["properties"][lower_camel(name)]["properties"]["commands"]
        commands["items"] = {"$ref": f"#/$defs/{_command_name(event)}"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hookwright config",
        **top,
        "type": ["object", "null"],
        "$defs": {_command_name(event): _command(event) for event in BY_NAME.values()}
        | {row.name: row_schema(row) for row in keys.COMMAND},
    }


def _command_name(event: type[Event]) -> str:
    """Events with the same filters share one definition."""
    filters = [row.name for row in keys.command_rows(event) if row.name in ("tool", "match")]
    return "-".join(["command", *filters])


def _command(event: type[Event]) -> dict[str, Any]:
    rows = keys.command_rows(event)
    properties = {row.name: {"$ref": f"#/$defs/{row.name}"} for row in rows}
    one_filter = {"not": {"required": ["tool", "match"]}}
    return record_schema(rows) | {"properties": properties} | one_filter


def markdown() -> str:
    """docs/config.md."""
    return PAGE.format(
        schema_comment=SCHEMA_COMMENT,
        sections=_table(
            ("section", "when", "filter", "a block"), [_section_cells(event) for event in BY_NAME.values()]
        ),
        command=_rows_table(keys.COMMAND),
        auto_test=_rows_table(keys.AUTO_TEST),
        suite=_rows_table(keys.SUITE),
    )


def _rows_table(rows: tuple[Row, ...]) -> str:
    cells = [(f"`{row.name}`", _cell(row.shape.words), _default(row), _cell(row.help)) for row in rows]
    return _table(("key", "value", "default", "what it does"), cells)


def _default(row: Row) -> str:
    if row.required:
        return "required"
    return "none" if row.default is None else f"`{json.dumps(row.default)}`"


def _section_cells(event: type[Event]) -> tuple[str, ...]:
    filters = "`tool`" if keys.takes_tool(event) else f"`match` on `{event.matches}`" if event.matches else ""
    blocked = event.blocked if keys.can_block(event) else ""
    return f"`{lower_camel(event.__name__)}`", _cell((event.__doc__ or "").strip()), filters, _cell(blocked)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


PAGE = """\
# The config

<!-- Printed from the rows in src/hookwright/keys.py; after a change run `make docs`. -->

`.hookwright.yaml` (or `.hookwright.yml`) says which commands and handlers run on which events of the agent. It is
looked for in the session's working directory and in the folders above it; the nearest one counts. A
`.conclaude.yaml` or `.conclaude.yml` is read too, unchanged ([what carries over](from-conclaude.md)); beside a
`.hookwright.yaml` it is not looked at. Without a config every event is answered "no opinion".

```yaml
postToolUse:
  commands:
    - run: ruff check --quiet .        # one script; several lines stay one script
      tool: "{{Edit,Write,MultiEdit}}"
      files: ["src/**/*.py", "!src/generated/"]
      timeout: 30
      showStdout: true
      maxOutputLines: 20

preToolUse:
  commands:
    - run: .claude/scripts/guard.sh    # exit 2 refuses the tool call; what it wrote to stderr is the reason
      tool: Bash
      onError: block                   # and so does any other failure, a timeout included

stop:
  commands:
    - run: make test
      onError: block
      message: The tests fail. Mend them before you stop.

sessionStart:
  commands:
    - run: ./scripts/warm-cache.sh
      match: startup                   # on the event's own matcher field
      background: true

handlers:
  - .hookwright/handlers.py            # Python handlers
```

`hookwright check` tells everything that is wrong with a config, with line and column. `hookwright config` prints
each value and where it comes from, `hookwright fire EVENT` what would run. `hookwright schema` prints a JSON Schema
for editors:

```yaml
{schema_comment}
```

## How it is read

- Commands run in the order of the file, in the folder of the config, and handlers where the key `handlers` stands.
- A key that is left out or empty (`timeout:`) has its default. A section may be empty.
- A glob fits the whole name and its case: `*`, `?`, `[a-z]`, `[!a]`, `{{a,b}}`. `files` takes gitignore patterns,
  relative to the config's folder; the last pattern that fits a path decides, `!` excludes, and `{{a,b}}` works as
  well.
- On an event that only observes, nothing a command does can stop the agent: a failure is a note. On an event that
  decides, exit 2 blocks with the command's standard error as the reason, and a JSON answer on its standard output
  is honoured. Commands of `postToolBatch` only observe.
- YAML reads `yes`, `no`, `on` and `off` as true and false. Write them in quotes where you mean text: `message: "no"`.
- A config that does not check keeps the last good one at work and says so once. A handler file that does not load
  keeps its own last good form.

## Sections

One for each event, each with a list of `commands`. Where the last column is empty, the event can only be observed.

{sections}

## A command

{command}

`tool` and `match` are there on the events that the table above names. `message` is shown in place of the command's
output when it blocks.

## Beside the sections

`handlers` is a list of Python files, relative to the config. `autoTest`
([affected tests](affected-tests.md)) and `suite` ([conversation suites](suites.md)) are switched on by their section,
which may be empty: `suite: {{}}`.

### autoTest

{auto_test}

### suite

{suite}
"""
