"""Claude Code over http: which events come that way, and how an answer written for a command is sent back."""

from hookwright.agents import Written
from hookwright.wire import encode

# The events whose hook stays a command, and why.
BY_COMMAND = {
    "SessionStart": "the client never sends it by http",
    "Setup": "the client never sends it by http",
    "UserPromptSubmit": "it looks after the server",
    "CwdChanged": "its hook is given a file to write variables to (CLAUDE_ENV_FILE)",
    "FileChanged": "its hook is given a file to write variables to (CLAUDE_ENV_FILE)",
    "PreCompact": "it is answered by text, and http takes JSON only",
    "WorktreeCreate": "it is answered by text, and http takes JSON only",
}
NOT_ANSWERED = 500  # the client goes on, or blocks where it was registered with `onFailure: block`


def answer(event_name: str, written: Written) -> tuple[int, str]:
    """Status and body. No status blocks and nobody reads a stderr here, so a block by exit code is said in JSON."""
    if event_name == "WorktreeCreate" and written.exit_code:
        return NOT_ANSWERED, ""  # without a path there is no worktree
    if written.exit_code:
        return 200, encode({"decision": "block", "reason": written.stderr.strip()})
    if event_name == "WorktreeCreate" and written.stdout:
        own = {"hookEventName": event_name, "worktreePath": written.stdout}
        return 200, encode({"hookSpecificOutput": own})
    if written.stdout.startswith("{"):
        return 200, written.stdout
    return 204, ""
