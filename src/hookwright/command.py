"""A configured shell command: run it with what it should know of the event, read what it answers -> Reply.

On an event that decides, exit 2 blocks, a JSON answer on stdout is honoured whatever the exit code, and any other
failure is one. On an event that can only be observed (and on every PostToolBatch) nothing a command does stops the
agent or changes a tool's result: of its JSON answer only what informs is taken, and a failure is a note.

A person is told something when there is something to tell: output that was asked for, with the command as its heading.
A command that ran without such output is only named on stderr, where agents show it to whoever looks for it.
"""

from hookwright.environment import environment, payload, remove
from hookwright.masks import cut, masked
from hookwright.process import GRACE_S, Outcome, run
from hookwright.reply import DECISIONS, HandlerFailed, Reply, merge
from hookwright.wire import NotJson, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookwright.bindings import Binding
    from hookwright.events import Event
    from hookwright.output import Captured

DEFAULT_SHELL = "/bin/sh"
BLOCKS = 2  # the exit code that every agent takes for "no"
CHANGES_THE_RESULT = ("updatedToolOutput", "updatedMCPToolOutput")
REASON_LIMIT = 10_000  # more than this no agent passes on
HEADING_LIMIT = 200


def handle(event: "Event", binding: "Binding", allowed_s: float) -> Reply | None:
    """Run the command; what it came to is the answer."""
    options = binding.options
    argv = [options.get("shell") or DEFAULT_SHELL, "-c", options["run"]]
    variables, spilled = environment(event, options["folder"], options.get("env") or {})
    try:
        if options.get("background"):
            from hookwright.background import launch

            launch(event, binding, argv, variables, spilled)
            spilled = []  # the waiter takes them away
            return None
        timeout_s = _deadline(binding, allowed_s)
        outcome = run(argv, cwd=options["folder"], env=variables, stdin=payload(event), timeout_s=timeout_s)
    except OSError as error:
        raise HandlerFailed(f"{argv[0]} cannot be started in {options['folder']}: {error}") from error
    finally:
        remove(spilled)
    return _answer(event, binding, outcome)


def _deadline(binding: "Binding", allowed_s: float) -> float:
    """The command's own timeout; where the agent's patience is shorter, so much less that stopping it fits in."""
    own = binding.timeout_s is not None and binding.timeout_s <= allowed_s
    return allowed_s if own else max(allowed_s - GRACE_S, allowed_s / 2)


def _answer(event: "Event", binding: "Binding", outcome: Outcome) -> Reply:
    fault = outcome.fault()
    said = None if outcome.timed_out else _said(event, outcome.stdout)
    reply = said or Reply()
    if not event.commands_decide:
        reply = _only_informing(event, reply)
    elif outcome.exit_code == BLOCKS:
        reply.decision, reply.reason, fault = "deny", _reason(binding, outcome, reply), ""
    elif fault and binding.on_error == "block" and reply.decision != "deny":
        reply.decision, reply.reason = "deny", binding.options.get("message") or f"{binding.name} failed: {fault}"
    elif not fault and said is None and "worktreePath" in event.specific.split():
        reply.extra = _path(outcome.stdout)
    reply = merge([reply, _shown(binding.options, outcome, honoured=said is not None)])
    if fault:
        reply.failed = True
        reply.notes += (f"{binding.name} failed: {fault}",)
    return reply


def _said(event: "Event", stdout: "Captured") -> Reply | None:
    """The answer that a command printed as JSON for its agent, or None."""
    text = stdout.text().strip()
    if not (stdout.whole and text.startswith("{") and text.endswith("}")):
        return None
    from hookwright.agents import dialect

    spoken = dialect(event.agent)
    try:
        document = decode(text.encode())
    except NotJson:
        return None
    if spoken is None or not isinstance(document, dict):
        return None
    reply = spoken.understand(event, document)
    if reply.decision and reply.decision not in DECISIONS:
        reply.notes += (f"a command answered with the unknown decision {reply.decision!r}; it was left out.",)
        reply.decision = ""
    return reply if reply.parts() else None  # a log line in JSON is no answer


def _only_informing(event: "Event", reply: Reply) -> Reply:
    """What an observer may say; the rest is left out, with a note."""
    extra = {field: value for field, value in reply.extra.items() if field not in CHANGES_THE_RESULT}
    silent = Reply(context=reply.context, user=reply.user, extra=extra)
    if silent != reply:
        silent.notes = (f"a command can only observe {event.event_name}; its decision was left out.",)
    return silent


def _reason(binding: "Binding", outcome: Outcome, said: Reply) -> str:
    """Why it blocks: what its JSON says, what the config says, or what it printed."""
    limit = binding.options.get("maxOutputLines")
    texts = (
        said.reason if said.decision == "deny" else "",
        binding.options.get("message") or "",
        outcome.stderr.first_lines(limit).strip(),
        "" if said.parts() else outcome.stdout.first_lines(limit).strip(),
    )
    return next((cut(text, REASON_LIMIT) for text in texts if text), f"{binding.name} blocked this without a reason.")


def _path(stdout: "Captured") -> "dict[str, Any]":
    """The plain answer to an event that asks for a path: the last line that was printed, as for the client."""
    lines = stdout.text().split("\n")
    return next(({"worktreePath": line.strip()} for line in reversed(lines) if line.strip()), {})


def _shown(options: "dict[str, Any]", outcome: Outcome, honoured: bool) -> Reply:
    """What a person asked to see; a JSON answer has been taken already and is not shown too."""
    limit = options.get("maxOutputLines")
    streams = [outcome.stdout] if options.get("showStdout") and not honoured else []
    streams += [outcome.stderr] if options.get("showStderr") else []
    texts = [text for stream in streams if (text := stream.first_lines(limit)).strip()]
    ran = [masked(heading(options["run"]))] if options.get("showCommand", True) else []
    if not texts:
        return Reply(shown="".join(ran))
    return Reply(user="\n".join([*ran, *map(masked, texts)]))


def heading(script: str) -> str:
    """A script as one line."""
    first, _, others = script.strip().partition("\n")
    shown = first if len(first) <= HEADING_LIMIT else first[:HEADING_LIMIT]
    return f"$ {shown}{' …' if others or shown != first else ''}"
