"""What a user's editor sees; type-checked, never run."""

from hookwright import Reply, allow, answer, context, deny, on, permission, rewrite
from hookwright.events import PreToolUse
from hookwright.testing import Result, fire


@on.PreToolUse(tool="Bash", on_error="block", timeout=5)
def guard(event: PreToolUse) -> Reply | None:
    command = event.tool_input.get("command", "")
    return deny("no") if "rm" in command else None


@on.Stop
def plain(event: object) -> list[Reply]:
    return [allow(), context("x"), permission("deny"), rewrite({"command": "ls"}), answer(sessionTitle="x")]


result: Result = fire("PreToolUse", project=".", tool_name="Bash")
decision: str | None = result.decision
