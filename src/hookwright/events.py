"""Every event an agent can send us: one class per event, used as a row of a table.

A class says what arrives (its annotated fields), what `tool:` or `match:` is compared to, and which answer fields the
agent acts on. How an answer is spelled on the wire is the dialect's business (`agents/`).
"""

TYPE_CHECKING = False  # known to type checkers; nothing is imported at run time
if TYPE_CHECKING:
    from typing import Any, ClassVar

EMPTY: "dict[str, Any]" = {}  # the default of an object field; each event gets a fresh one
NONE: "list[Any]" = []  # the default of a list field; likewise
_rows: "dict[str, type[Event]]" = {}  # those that were made; from the shelf a row is made when it is asked for

# The fields every event may carry; an event's own row may give one of them a meaning of its own.
COMMON = (
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "prompt_id",
    "permission_mode",
    "effort",
    "agent_id",
    "agent_type",
    "scratchpad_dir",
)


class Event:
    """One thing that happened in the agent. `raw` keeps all that was sent, known or not."""

    matches: "ClassVar[str]" = ""  # the field that a filter is compared to
    top: "ClassVar[str]" = ""  # answer fields the agent acts on, at the top level of the JSON ...
    specific: "ClassVar[str]" = ""  # ... and inside `hookSpecificOutput`
    timeout_s: "ClassVar[float]" = 600  # how long the agent waits by default
    decides: "ClassVar[bool]" = False  # an answer can stop what is about to happen
    tools: "ClassVar[str]" = ""  # about "one" tool call, or about "many" that are over
    loops: "ClassVar[bool]" = False  # a block makes the agent go on, and this event come again
    changes_agent: "ClassVar[bool]" = False  # being hooked at all changes what the agent does
    blocked: "ClassVar[str]" = ""  # what a block does here, for people

    raw: "dict[str, Any]"
    event_name: str  # what the agent calls this event
    agent: str = "claude-code"  # who sent it
    rehearsal: bool = False  # somebody tries out what would be answered: nothing may be changed for it
    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    hook_event_name: str = ""
    prompt_id: str = ""
    permission_mode: str = ""
    effort: "dict[str, Any]" = EMPTY
    agent_id: str = ""
    agent_type: str = ""
    scratchpad_dir: str = ""

    def __init_subclass__(cls, row: bool = True) -> None:
        if row:
            _rows[cls.__name__] = cls

    @classmethod
    def fields(cls) -> tuple[str, ...]:
        """The names of the declared fields. Worked out for the one event that has come, not for all 33 at start."""
        own = [name for ancestor in cls.__mro__[-3::-1] for name in ancestor.__annotations__]
        return tuple(dict.fromkeys((*COMMON, *own)))

    @property
    def commands_decide(self) -> bool:
        """Whether a command's exit code can stop it; a batch is over, and a failure there must not end the turn."""
        return self.decides and self.tools != "many"

    def __init__(self, raw: "dict[str, Any]", event_name: str = "") -> None:
        """Take the declared fields that have their declared type; leave the rest at their defaults."""
        self.raw = raw
        self.event_name = event_name or type(self).__name__
        values = self.__dict__
        for name in self.fields():
            default = getattr(type(self), name)
            value = raw.get(name)
            if value is not None and (default is None or _fits(value, default)):
                values[name] = value
            elif default is EMPTY:
                values[name] = {}
            elif default is NONE:
                values[name] = []

    def __repr__(self) -> str:
        return f"{self.event_name}({self.raw!r})"


def _fits(value: object, default: object) -> bool:
    return isinstance(value, type(default)) and (type(default) is bool or not isinstance(value, bool))


def lower_camel(name: str) -> str:
    """PostToolUse -> postToolUse, the spelling of a config section."""
    return name[:1].lower() + name[1:]


def kebab(name: str) -> str:
    """PostToolUse -> post-tool-use, the spelling of a command line."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")


# The source documents' own short names, beside the forms that are derived from the name.
_SHORT = {
    "pretool": "PreToolUse",
    "posttool": "PostToolUse",
    "posttoolfailure": "PostToolUseFailure",
    "compact": "PreCompact",
    "userprompt": "UserPromptSubmit",
}


def canonical(spelling: str) -> str:
    """The agent's own name for any spelling of an event (kebab, camel, snake, short); unknown ones come back as is."""
    if row_of(spelling):
        return spelling
    from hookwright.events import BY_NAME  # not a global here: whoever asks for it has all rows made

    plain = spelling.replace("-", "").replace("_", "").replace(" ", "").lower()
    for name in BY_NAME:
        if name.lower() == plain:
            return name
    return _SHORT.get(plain, spelling)


def subjects(event: Event) -> list[str]:
    """What a filter is compared to, as the client computes it; a batch has one for each of its tool calls."""
    if not event.matches:
        calls = getattr(event, "tool_calls", ())
        return [str(call.get("tool_name")) for call in calls if isinstance(call, dict)]
    value = str(getattr(event, event.matches))
    if event.matches == "file_path":
        return [value.rpartition("/")[2]]
    return [value.removesuffix("[1m]")] if event.matches == "to_model" else [value]


def event_of(name: str, raw: "dict[str, Any]") -> Event:
    """The typed event; an unknown one has the common fields and everything in `raw`."""
    return (row_of(name) or Event)(raw, name)


def row_of(name: str) -> "type[Event] | None":
    """The class of one event; None for an event that we do not know."""
    if name not in _rows and name.isidentifier():
        import hookwright.events

        getattr(hookwright.events, name, None)
    return _rows.get(name)


class ToolEvent(Event, row=False):
    """What the events about one tool call have in common."""

    matches = "tool_name"
    tools = "one"
    tool_name: str = ""
    tool_input: "dict[str, Any]" = EMPTY
    mcp_server: "dict[str, Any]" = EMPTY


class PreToolUse(ToolEvent):
    """The model asks for a tool call, before the permission check."""

    top = "continue stopReason systemMessage decision reason terminalSequence"
    specific = "permissionDecision permissionDecisionReason updatedInput additionalContext"
    decides = True
    blocked = "the tool call is refused and the model reads the reason"
    tool_use_id: str = ""


class PermissionRequest(ToolEvent):
    """A permission prompt is about to be shown, or would be refused because none can be shown."""

    top = "terminalSequence"
    specific = "decision"
    decides = True
    blocked = "the permission is refused without asking and the model reads the reason"
    permission_suggestions: "list[Any]" = NONE


class PermissionDenied(ToolEvent):
    """Auto mode's classifier refused a tool call."""

    top = "terminalSequence"
    specific = "retry"
    tool_use_id: str = ""
    reason: str = ""


class PostToolUse(ToolEvent):
    """A tool call succeeded."""

    top = "decision reason continue stopReason systemMessage terminalSequence"
    specific = "additionalContext updatedToolOutput updatedMCPToolOutput classifierContext"
    blocked = "the tool has already run; the model reads the reason beside the result"
    tool_use_id: str = ""
    tool_response: "Any" = None
    duration_ms: float | None = None


class PostToolUseFailure(ToolEvent):
    """A tool that had started threw or returned an MCP error."""

    top = "decision reason systemMessage terminalSequence"
    specific = "additionalContext"
    blocked = "the tool has already failed; the model reads the reason beside the error"
    tool_use_id: str = ""
    error: str = ""
    is_interrupt: bool = False
    duration_ms: float | None = None


class PostToolBatch(Event):
    """All tool calls of one model response are resolved, before the next model request."""

    top = "decision reason continue stopReason systemMessage terminalSequence"
    specific = "additionalContext"
    decides = True
    tools = "many"
    blocked = "the agent stops; the person reads the reason"
    tool_calls: "list[Any]" = NONE


class UserPromptSubmit(Event):
    """A prompt was submitted, before the model sees it."""

    top = "decision reason continue stopReason systemMessage terminalSequence"
    specific = "additionalContext sessionTitle suppressOriginalPrompt"
    timeout_s = 30
    decides = True
    blocked = "the prompt never reaches the model; the person reads the reason"
    prompt: str = ""
    session_title: str = ""
    source: str = ""


class UserPromptExpansion(Event):
    """A slash command or MCP prompt that the person typed is expanded."""

    matches = "command_name"
    top = "decision reason continue stopReason systemMessage terminalSequence"
    specific = "additionalContext suppressOriginalPrompt"
    decides = True
    blocked = "the command is not expanded; the person reads the reason"
    expansion_type: str = ""
    command_name: str = ""
    command_args: str = ""
    command_source: str = ""
    prompt: str = ""


class SessionStart(Event):
    """A session is new, resumed, cleared, compacted or forked."""

    matches = "source"
    top = "systemMessage terminalSequence"
    specific = "additionalContext initialUserMessage sessionTitle watchPaths reloadSkills"
    source: str = ""
    agent_type: str = ""
    model: str = ""
    session_title: str = ""
    seconds_since_last_response: float | None = None
    context_tokens: float | None = None
    prompt_cache_likely_expired: bool = False
    estimated_cache_write_usd: float | None = None


class Setup(Event):
    """The client was started with --init, --init-only or --maintenance."""

    matches = "trigger"
    top = "systemMessage terminalSequence"
    specific = "additionalContext"
    trigger: str = ""


class SessionEnd(Event):
    """A session ended: exit, /clear, or a switch to another one."""

    matches = "reason"
    top = "terminalSequence"
    timeout_s = 1.5
    reason: str = ""


class Stop(Event):
    """The main agent is about to end its turn."""

    top = "decision reason continue stopReason systemMessage terminalSequence"
    specific = "additionalContext"
    decides = True
    loops = True
    blocked = "the turn does not end; the model reads the reason and goes on"
    stop_hook_active: bool = False
    last_assistant_message: str = ""
    background_tasks: "list[Any]" = NONE
    session_crons: "list[Any]" = NONE


class StopFailure(Event):
    """An API error ended the turn; comes instead of Stop."""

    matches = "error"
    top = "terminalSequence"
    error: str = ""
    error_details: str = ""
    last_assistant_message: str = ""


class SubagentStart(Event):
    """A subagent is spawned."""

    matches = "agent_type"
    top = "systemMessage terminalSequence"
    specific = "additionalContext"
    agent_id: str = ""
    agent_type: str = ""


class SubagentStop(Event):
    """A subagent is about to finish."""

    matches = "agent_type"
    top = "decision reason continue stopReason systemMessage terminalSequence"
    specific = "additionalContext"
    decides = True
    loops = True
    blocked = "the subagent does not finish; it reads the reason and goes on"
    stop_hook_active: bool = False
    agent_id: str = ""
    agent_type: str = ""
    agent_transcript_path: str = ""
    last_assistant_message: str = ""
    background_tasks: "list[Any]" = NONE
    session_crons: "list[Any]" = NONE


class TeammateIdle(Event):
    """A teammate of an agent team is about to go idle."""

    top = "decision reason continue stopReason systemMessage terminalSequence"
    decides = True
    loops = True
    blocked = "the teammate keeps working and reads the reason"
    teammate_name: str = ""
    team_name: str = ""


class TaskCreated(Event):
    """A task is being created."""

    top = "decision reason terminalSequence"
    decides = True
    blocked = "the task is deleted again and the model reads the reason"
    task_id: str = ""
    task_subject: str = ""
    task_description: str = ""
    teammate_name: str = ""
    team_name: str = ""


class TaskCompleted(Event):
    """A task is being marked as completed."""

    top = "decision reason continue stopReason systemMessage terminalSequence"
    decides = True
    blocked = "the task keeps its status and the model reads the reason"
    task_id: str = ""
    task_subject: str = ""
    task_description: str = ""
    teammate_name: str = ""
    team_name: str = ""


class PreCompact(Event):
    """The conversation is about to be compacted."""

    matches = "trigger"
    top = "decision reason terminalSequence"
    decides = True
    blocked = "the conversation is not compacted; the person reads the reason"
    trigger: str = ""
    custom_instructions: str = ""


class PostCompact(Event):
    """The conversation was compacted."""

    matches = "trigger"
    top = "terminalSequence"
    trigger: str = ""
    compact_summary: str = ""


class PreModelSwitch(Event):
    """Another model was asked for."""

    matches = "to_model"
    top = "decision reason systemMessage terminalSequence"
    specific = "permissionDecision permissionDecisionReason"
    timeout_s = 30
    decides = True
    blocked = "the model stays; the person reads the reason"
    from_model: str = ""
    to_model: str = ""
    requested_model: str = ""
    source: str = ""
    context_tokens: float | None = None
    prompt_cache_warm: bool = False
    cache_ttl: str = ""
    estimated_cache_write_usd: float | None = None
    pricing: str = ""


class PostModelSwitch(Event):
    """The session's model changed."""

    matches = "to_model"
    top = "systemMessage terminalSequence"
    specific = "additionalContext"
    timeout_s = 30
    from_model: str = ""
    to_model: str = ""
    requested_model: str = ""
    source: str = ""
    context_tokens: float | None = None
    prompt_cache_warm: bool = False
    cache_ttl: str = ""
    estimated_cache_write_usd: float | None = None
    pricing: str = ""


class Notification(Event):
    """The client raises a notification."""

    matches = "notification_type"
    top = "terminalSequence"
    message: str = ""
    title: str = ""
    notification_type: str = ""


class InstructionsLoaded(Event):
    """A CLAUDE.md or rules file was loaded."""

    matches = "load_reason"
    top = "terminalSequence"
    file_path: str = ""
    memory_type: str = ""
    load_reason: str = ""
    globs: "list[Any]" = NONE
    trigger_file_path: str = ""
    parent_file_path: str = ""


class ConfigChange(Event):
    """A settings or skill file changed during the session."""

    matches = "source"
    top = "decision reason terminalSequence"
    decides = True
    blocked = "the change is not applied to this session; the reason is shown nowhere"
    source: str = ""
    file_path: str = ""


class CwdChanged(Event):
    """The session's working directory changed."""

    top = "systemMessage terminalSequence"
    specific = "watchPaths"
    old_cwd: str = ""
    new_cwd: str = ""


class FileChanged(Event):
    """A watched file changed on disk."""

    matches = "file_path"
    top = "systemMessage terminalSequence"
    specific = "watchPaths"
    file_path: str = ""
    event: str = ""


class DirectoryAdded(Event):
    """A directory was added to the session."""

    matches = "source"
    top = "systemMessage terminalSequence"
    directory: str = ""
    source: str = ""


class WorktreeCreate(Event):
    """A worktree is to be created; being hooked replaces `git worktree`."""

    specific = "worktreePath"
    decides = True
    changes_agent = True
    blocked = "the worktree is not created"
    name: str = ""


class WorktreeRemove(Event):
    """A worktree is to be removed; a hook that succeeds counts as having removed it."""

    top = "terminalSequence"
    changes_agent = True
    worktree_path: str = ""


class Elicitation(Event):
    """An MCP server asks the person for input."""

    matches = "mcp_server_name"
    top = "decision reason terminalSequence"
    specific = "action content"
    decides = True
    blocked = "the server's question is refused; the reason is shown nowhere"
    mcp_server_name: str = ""
    message: str = ""
    mode: str = ""
    url: str = ""
    elicitation_id: str = ""
    requested_schema: "dict[str, Any]" = EMPTY


class ElicitationResult(Event):
    """The person answered an MCP server's question; the answer is not yet sent."""

    matches = "mcp_server_name"
    top = "decision reason terminalSequence"
    specific = "action content"
    decides = True
    blocked = "the answer becomes a decline"
    mcp_server_name: str = ""
    action: str = ""
    content: "dict[str, Any]" = EMPTY
    mode: str = ""
    elicitation_id: str = ""


class MessageDisplay(Event):
    """A piece of the assistant's text is put on the screen."""

    top = "terminalSequence"
    specific = "displayContent"
    timeout_s = 10
    turn_id: str = ""
    message_id: str = ""
    index: float | None = None
    final: bool = False
    delta: str = ""


BY_NAME = _rows  # all of them, in this file's order
