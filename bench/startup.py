"""What a cold event costs: hookwright in its usual situations, against the bare interpreter and against others.

One command: `make bench` (or `python bench/startup.py [ROUNDS]`). Trust the ratios; milliseconds move with the machine.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import CPU, INSTRUCTIONS, WALL, Row, interleave, machine, process, table, weigh
from peers import PEERS, Missing

import hookwright

BOOT = str(Path(hookwright.__file__).with_name("boot.py"))
BARE = "python -I -S -c pass"
NOTHING, HANDLER, COMMAND = "no binding", "one Python handler", "one command: true"
RULES, STALE = "1,000 rules", "config edited"
THE_COMMAND = "sh -c true, that command alone"
HANDLERS = """\
from hookwright import on, deny

@on.PreToolUse(tool="Bash")
def no_force_push(event):
    if "push --force" in event.tool_input.get("command", ""):
        return deny("Force-push is not allowed in this repository.")
"""
# Half of them plain names, half of them globs; none fits, as nearly always.
MANY = [{"run": "true", "tool": f"Tool{n}" if n % 2 else f"mcp__server{n}__*"} for n in range(1000)]
# situation -> (its config, the event that meets it)
SITUATIONS: dict[str, tuple[dict[str, object], str]] = {
    NOTHING: ({"handlers": [".hookwright/handlers.py"]}, "PostToolUse"),
    HANDLER: ({"handlers": [".hookwright/handlers.py"]}, "PreToolUse"),
    COMMAND: ({"postToolUse": {"commands": [{"run": "true"}]}}, "PostToolUse"),
    RULES: ({"postToolUse": {"commands": MANY}}, "PostToolUse"),
    STALE: ({"handlers": [".hookwright/handlers.py"]}, "PostToolUse"),
}
# What issue 9 asks for: (row, compared to, in which figure, at most, minus this row)
GOALS = (
    (NOTHING, BARE, CPU, 1.05, ""),
    (NOTHING, BARE, INSTRUCTIONS, 1.00, ""),
    (COMMAND, BARE, CPU, 1.20, THE_COMMAND),
    (COMMAND, BARE, WALL, 1.20, THE_COMMAND),
    (RULES, BARE, CPU, 1.50, ""),
    (STALE, BARE, CPU, 5.00, ""),
    (HANDLER, "cchooks by uv run", WALL, 0.35, ""),
    (HANDLER, "bash wrapper, three python3", WALL, 0.20, ""),
    *(
        (HANDLER, peer, WALL, 1.00, "")
        for peer in ("python -I -S with json", "node", "bash + jq", "cchooks", "fasthooks")
    ),
)


def hook(root: Path, situation: str) -> Row:
    """The hook in a project of its own, started for an event of about 2 KB."""
    config, event = SITUATIONS[situation]
    project = root / situation.replace(" ", "-")
    (project / ".hookwright").mkdir(parents=True)
    (project / ".hookwright" / "handlers.py").write_text(HANDLERS)
    settings = project / ".hookwright.yaml"
    settings.write_text(json.dumps(config))  # JSON is YAML
    row = process(situation, [sys.executable, "-I", "-S", BOOT], payload(project, event))
    row.once()  # compiles the config
    if situation == STALE:
        once = row.once

        def edited() -> dict[str, float]:
            settings.touch()
            return once()

        row.once, row.argv = edited, ()  # counted once more it would be like the others
    return row


def payload(project: Path, event: str) -> str:
    path = project / f"{event}.json"
    tool_input = {"command": "git push --force origin main", "description": "x" * 1600}
    body = {"hook_event_name": event, "cwd": str(project), "session_id": "s" * 36, "tool_name": "Bash"}
    path.write_text(json.dumps({**body, "tool_input": tool_input, "tool_use_id": "toolu_1", "transcript_path": "/t"}))
    return str(path)


def others(stdin: str) -> list[Row]:
    rows = []
    for name, argv in PEERS.items():
        try:
            rows.append(process(name, argv(), stdin))
        except Missing as missing:
            print(f"(not measured: {name}: {missing})")
    return rows


def judged(rows: list[Row]) -> str:
    """Each goal with what was reached."""
    named = {row.name: row for row in rows}
    lines = []
    for ours, theirs, figure, most, minus in GOALS:
        if ours in named and theirs in named and named[theirs].median(figure):
            less = named[minus].median(figure) if minus else 0.0
            reached = (named[ours].median(figure) - less) / named[theirs].median(figure)
            what = f"{ours}{f', less `{minus}`' if minus else ''}: {reached:.2f}x of `{theirs}` in {figure}"
            lines.append(f"{'met   ' if reached <= most else 'MISSED'} {what} (goal {most:.2f})")
    return "\n".join(lines)


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        ours = [hook(root, situation) for situation in SITUATIONS]
        stdin = ours[1].stdin
        bare = [sys.executable, "-I", "-S", "-c", "pass"]
        alone = [process(BARE, bare, stdin), *ours, process(THE_COMMAND, ["/bin/sh", "-c", "true"])]
        # Apart from the others: a node or a fasthooks in between leaves a cold cache to whoever comes next.
        interleave(alone, rounds)
        weigh(alone)
        print(f"A cold event. {machine()}; {rounds} interleaved rounds; x: of the first line\n")
        print(f"{table(alone, alone[0])}\n\n{judged(alone)}\n", flush=True)
        beside = [process(BARE, bare, stdin), process(HANDLER, ours[1].argv, stdin), *others(stdin)]
        interleave(beside, rounds // 4)
    print(f"The same decision by others; {rounds // 4} interleaved rounds; x: of the first line\n")
    print(f"{table(beside, beside[0])}\n\n{judged(beside)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 80)
