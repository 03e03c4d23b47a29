# /// script
# dependencies = ["cchooks"]
# ///
from cchooks import PreToolUseContext, create_context

c = create_context()
assert isinstance(c, PreToolUseContext)
if "push --force" in c.tool_input.get("command", ""):
    c.output.deny("Force-push is not allowed in this repository.")
else:
    c.output.allow()
