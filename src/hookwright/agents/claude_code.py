"""Claude Code: how its payloads are read and how its answers are written.

Facts and their evidence: docs/claude-code.md. The client drops the whole answer when one field is wrong, so only
fields that the event acts on, in the type the client wants, are ever written.
"""

from hookwright.agents import Written
from hookwright.events import canonical
from hookwright.reply import DECISIONS, Reply
from hookwright.wire import decode, encode, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookwright.events import Event

NAME = "claude-code"

# Other spellings of a payload: the nested camelCase form, and the source documents' `tool` and `arguments`.
SPELLINGS = {
    "eventType": "hook_event_name",
    "hookEventName": "hook_event_name",
    "toolName": "tool_name",
    "tool": "tool_name",
    "toolInput": "tool_input",
    "arguments": "tool_input",
    "toolResponse": "tool_response",
    "toolUseId": "tool_use_id",
    "sessionId": "session_id",
    "transcriptPath": "transcript_path",
}
SESSION_SPELLINGS = {"id": "session_id", "cwd": "cwd", "transcriptPath": "transcript_path"}

# Here a block is the exit code 2 with the reason on stderr. The client reads JSON on most of them too, and gets it
# when there is more to say than the reason.
BLOCKS_BY_EXIT_CODE = ("TeammateIdle", "TaskCreated", "TaskCompleted", "PreCompact", "WorktreeCreate")
# Here any text on stdout has a meaning of its own, JSON included.
TEXT_COUNTS = ("WorktreeCreate", "PreCompact")
# With these words on stderr the client takes exit 2 for a missing script and goes ahead.
LOOKS_LIKE_A_MISSING_SCRIPT = ("no such file", "can't open")

# What the client does with an answer field, for people; a field whose values differ has a row for each.
EFFECTS = {
    "permissionDecision allow": "it goes ahead without a permission prompt",
    "permissionDecision ask": "the person is asked (a headless run refuses)",
    "permissionDecision defer": "a headless run ends with the call deferred",
    "behavior allow": "it goes ahead without a permission prompt",
    "additionalContext": "the model reads the context",
    "systemMessage": "the person reads the message",
    "continue": "the agent's turn ends",
    "updatedInput": "the tool runs with the new input",
    "updatedToolOutput": "the model reads this output instead of the tool's",
    "updatedMCPToolOutput": "the model reads this output instead of the MCP tool's",
    "sessionTitle": "the session gets this title",
    "initialUserMessage": "this runs as a prompt before the person's (headless only)",
    "watchPaths": "changes to these files fire FileChanged",
    "reloadSkills": "skills are loaded again",
    "retry": "the model is told that it may try again",
    "displayContent": "the person sees this text instead",
    "action": "the MCP server gets this answer and no dialog appears",
    "classifierContext": "auto mode's classifier reads this",
    "suppressOriginalPrompt": "the block message does not repeat the prompt",
    "terminalSequence": "the terminal receives this sequence (interactive only)",
}

# The answer fields that have no verb of their own, and what the client takes in them: a type, or one of some words.
EXTRAS: dict[str, type | tuple[str, ...]] = {
    "sessionTitle": str,
    "initialUserMessage": str,
    "classifierContext": str,
    "displayContent": str,
    "terminalSequence": str,
    "worktreePath": str,
    "watchPaths": list,
    "reloadSkills": bool,
    "retry": bool,
    "suppressOriginalPrompt": bool,
    "action": ("accept", "decline", "cancel"),
    "content": dict,
    "updatedToolOutput": object,
    "updatedMCPToolOutput": object,
}


def _absolute(paths: "list[Any]") -> bool:
    return all(isinstance(path, str) and path.startswith("/") for path in paths)


# What the type alone does not say.
FORMS: "dict[str, tuple[Callable[[Any], bool], str]]" = {
    "watchPaths": (_absolute, "a list of absolute paths"),
    "terminalSequence": (lambda text: len(text.encode("utf-8", "replace")) <= 4096, "at most 4096 bytes"),
    "worktreePath": (lambda path: bool(path.strip()) and "\n" not in path, "one line"),
}
# The source documents' way to replace a prompt. No client reads it from a command; written only where it is asked for.
OF_THE_DOCUMENTS = ("UserPromptSubmit", "replace")
VERDICT_EXTRAS: dict[str, type] = {"updatedPermissions": list, "interrupt": bool}


def read(raw: "dict[str, Any]") -> "dict[str, Any]":
    """The payload with the client's own field names, whichever spelling it came in; what was sent stays in it."""
    read_as = dict(raw)
    session = raw.get("session")
    if isinstance(session, dict):
        for spelling, field in SESSION_SPELLINGS.items():
            if spelling in session and raw.get(field) is None:
                read_as[field] = session[spelling]
    for spelling, field in SPELLINGS.items():
        if spelling in raw and raw.get(field) is None:
            read_as[field] = raw[spelling]
    name = read_as.get("hook_event_name")
    if isinstance(name, str):
        read_as["hook_event_name"] = canonical(name)
    return read_as


def write(event: "Event", reply: Reply) -> Written:
    """The answer in the client's words; what this event cannot carry becomes a note."""
    letter = _Letter(event)
    letter.extras(reply)
    letter.texts(reply)
    letter.decision(reply)
    return letter.written(reply)


def understand(event: "Event", document: "dict[str, Any]") -> Reply:
    """An answer that somebody else wrote for this client (a command's JSON), read back into a Reply."""
    own = document.get("hookSpecificOutput")
    own = dict(own) if isinstance(own, dict) else {}
    named = own.pop("hookEventName", event.event_name)
    if named != event.event_name:
        return Reply(notes=(f"an answer for {named!r} was given to {event.event_name}; it was left out.",))
    reply = Reply(
        context=own.pop("additionalContext", None) or "",
        user=document.get("systemMessage") or "",
        halt=(document.get("stopReason") or "") if document.get("continue") is False else None,
    )
    if document.get("decision") in ("block", "approve"):
        reply.decision = {"block": "deny", "approve": "allow"}[document["decision"]]
        reply.reason = str(document.get("reason") or "")
    if isinstance(own.get("permissionDecision"), str):
        reply.decision = own.pop("permissionDecision")
        reply.reason = str(own.pop("permissionDecisionReason", None) or "")
    if isinstance(own.get("decision"), dict) and own["decision"].get("behavior") in ("allow", "deny"):
        verdict = own.pop("decision")
        reply.decision, reply.reason = verdict["behavior"], str(verdict.get("message") or "")
        own["updatedInput"] = verdict.get("updatedInput")
        reply.extra = {key: verdict[key] for key in ("updatedPermissions", "interrupt") if key in verdict}
    rewritten = own.pop("updatedInput", None)
    reply.input = rewritten if isinstance(rewritten, dict) else None
    reply.extra |= own
    if isinstance(document.get("terminalSequence"), str):
        reply.extra["terminalSequence"] = document["terminalSequence"]
    return reply


def meaning(event: "Event", written: Written) -> list[str]:
    """What the client does with an answer, in sentences for people."""
    if written.exit_code == 2:
        return [event.blocked]
    document = decode(written.stdout.encode()) if written.stdout.startswith("{") else {}
    if not isinstance(document, dict) or not document:
        return ["it takes the text as its answer" if written.stdout else "it goes on as if there were no hook"]
    own = document.get("hookSpecificOutput", {})
    verdict = own["decision"] if isinstance(own.get("decision"), dict) else {}
    fields = {**document, **own, **verdict}
    refused = document.get("decision") == "block" or "deny" in (own.get("permissionDecision"), verdict.get("behavior"))
    said = [EFFECTS.get(f"{field} {value}") or EFFECTS.get(field) for field, value in fields.items()]
    return list(dict.fromkeys(([event.blocked] if refused else []) + [effect for effect in said if effect]))


class _Letter:
    """One answer while it is being written."""

    def __init__(self, event: "Event") -> None:
        self.event = event
        self.top_fields = event.top.split()
        self.own_fields = event.specific.split()
        self.top: dict[str, Any] = {}
        self.own: dict[str, Any] = {}
        self.refusal = ""  # the reason of a block by exit code
        self.notes: list[str] = []

    def cannot(self, what: str, hint: str = "") -> None:
        self.notes.append(
            f"{self.event.event_name} cannot carry {what}{f' ({hint})' if hint else ''}; it was left out."
        )

    def extras(self, reply: Reply) -> None:
        for field, value in reply.extra.items():
            if field in VERDICT_EXTRAS and "decision" in self.own_fields:
                continue  # a part of the permission verdict
            if (self.event.event_name, field) == OF_THE_DOCUMENTS:
                self.top[field] = value
                continue
            wanted = EXTRAS.get(field)
            if wanted is None or field not in self.own_fields + self.top_fields:
                self.cannot(field)
            elif isinstance(wanted, tuple) and value not in wanted:
                self.cannot(f"{field}={value!r}", f"it must be {', '.join(wanted)}")
            elif isinstance(wanted, type) and not isinstance(value, wanted):
                self.cannot(f"{field}={value!r}", f"it must be a {wanted.__name__}")
            elif field in FORMS and not FORMS[field][0](value):
                self.cannot(field, f"it must be {FORMS[field][1]}")
            else:
                (self.own if field in self.own_fields else self.top)[field] = value

    def texts(self, reply: Reply) -> None:
        if reply.context:
            self._place(self.own, self.own_fields, "additionalContext", reply.context, "a context for the model")
        if reply.user and "systemMessage" in self.top_fields:
            self.top["systemMessage"] = reply.user
        if reply.input is not None and "decision" not in self.own_fields:
            self._place(self.own, self.own_fields, "updatedInput", reply.input, "a rewritten input")
        if reply.halt is not None:
            if "continue" not in self.top_fields:
                self.cannot("a halt")
            else:
                self.top |= {"continue": False, **({"stopReason": reply.halt} if reply.halt else {})}

    def _place(self, part: "dict[str, Any]", fields: list[str], field: str, value: object, what: str) -> None:
        if field in fields:
            part[field] = value
        elif field == "additionalContext" and self.event.event_name == "PreCompact":
            part[field] = value  # the client takes any text on stdout as instructions for the summary
        else:
            self.cannot(what)

    def decision(self, reply: Reply) -> None:
        decision, reason = reply.decision, reply.reason
        if decision and decision not in DECISIONS:
            self.cannot(f"the unknown decision {decision!r}")
            decision = ""
        if reply.halt is not None and "permissionDecision" in self.own_fields and "continue" in self.top:
            # continue:false ends the turn only after the tool has run; a halt must not let it run.
            decision, reason = "deny", reason if decision == "deny" else reply.halt
        if decision == "deny" and not reason:
            reason = "Blocked by a hook that gave no reason."
        if "permissionDecision" in self.own_fields:
            self._permission_decision(decision, reason)
        elif "decision" in self.own_fields:
            self._permission_verdict(decision, reason, reply)
        elif decision == "deny" and self.event.event_name in BLOCKS_BY_EXIT_CODE:
            self.refusal = reason
        elif decision == "deny" and "decision" in self.top_fields:
            self.top |= {"decision": "block", "reason": reason}
        elif decision in ("deny", "ask", "defer"):
            self.cannot(f'"{decision}"')

    def _permission_decision(self, decision: str, reason: str) -> None:
        if decision == "defer" and "updatedInput" not in self.own_fields:
            self.cannot('"defer"')
        elif decision:
            self.own["permissionDecision"] = decision
            if reason:
                self.own["permissionDecisionReason"] = reason

    def _permission_verdict(self, decision: str, reason: str, reply: Reply) -> None:
        """A permission prompt: allow or deny; to let the person decide, the client wants silence."""
        extra = {field: reply.extra.get(field) for field in VERDICT_EXTRAS}
        extra = {field: value for field, value in extra.items() if isinstance(value, VERDICT_EXTRAS[field])}
        if decision == "deny":
            self.own["decision"] = {"behavior": "deny", "message": reason}
            if "interrupt" in extra:
                self.own["decision"]["interrupt"] = extra["interrupt"]
        elif decision == "allow":
            self.own["decision"] = {"behavior": "allow"}
            if reply.input is not None:
                self.own["decision"]["updatedInput"] = reply.input
            if "updatedPermissions" in extra:
                self.own["decision"]["updatedPermissions"] = extra["updatedPermissions"]
        elif decision == "defer":
            self.cannot('"defer"')
        if reply.input is not None and decision != "allow":
            self.cannot("a rewritten input", 'it goes with permission("allow")')

    def written(self, reply: Reply) -> Written:
        stdout = self._plain_text() if self.event.event_name in TEXT_COUNTS else self._json()
        stderr, exit_code = "", 0
        if self.refusal:
            if stdout:
                self.cannot("anything beside a block")
            stderr, exit_code, stdout = f"{self.refusal}\n", 2, ""
        if reply.user and "systemMessage" not in self.top_fields:
            if self.refusal:  # stderr is the model's then
                self.cannot("a message for the person")
            else:
                stderr = f"{reply.user}\n"
        return Written(stdout, stderr, exit_code, tuple(self.notes))

    def _json(self) -> str:
        misread = any(words in self.refusal.lower() for words in LOOKS_LIKE_A_MISSING_SCRIPT)
        if self.refusal and (self.top or self.own or misread):
            self.top |= {"decision": "block", "reason": self.refusal}
            self.refusal = ""
        document = dict(self.top)
        if self.own:
            document["hookSpecificOutput"] = {"hookEventName": self.event.event_name, **self.own}
        if not document:
            return ""
        try:
            return encode(document)
        except (ValueError, RecursionError) as error:
            return self._without_values(str(error))

    def _without_values(self, error: str) -> str:
        """A value that JSON cannot hold must not take a decision down with it: only texts are kept."""
        self.notes.append(f"A part of the answer cannot be written as JSON ({error}); it was left out.")
        top: dict[str, Any] = {field: value for field, value in self.top.items() if isinstance(value, str | bool)}
        own: dict[str, Any] = {field: value for field, value in self.own.items() if isinstance(value, str | bool)}
        if isinstance(self.own.get("decision"), dict):
            own["decision"] = {key: value for key, value in self.own["decision"].items() if isinstance(value, str)}
        if own:
            top["hookSpecificOutput"] = {"hookEventName": self.event.event_name, **own}
        return encode(top) if top else ""

    def _plain_text(self) -> str:
        """A new worktree is answered by its bare path; a compaction by its instructions, still as one JSON document."""
        if "worktreePath" in self.own:
            return str(self.own["worktreePath"])
        return quoted(self.own["additionalContext"]) if "additionalContext" in self.own else ""
