"""`hookwright fire`: try an event by hand, and see what the agent would get and do."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from hookwright.agents import DEFAULT, dialect
from hookwright.bindings import Binding, meets
from hookwright.errors import Misuse, Refusal, did_you_mean
from hookwright.events import BY_NAME, Event, canonical, event_of, subjects
from hookwright.hook import Response, respond
from hookwright.samples import sample


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `fire` takes."""
    parser.add_argument("event", metavar="EVENT", help="any spelling: PreToolUse, pre-tool-use, pre-tool")
    parser.add_argument("--tool", metavar="T", help="the tool's name")
    parser.add_argument("--input", metavar="JSON", help="the tool's input, a JSON object")
    parser.add_argument("--payload", metavar="FILE", help="the whole payload from a file, - for stdin")
    parser.add_argument("--agent", metavar="NAME", default=DEFAULT, help="whose dialect to speak; default: %(default)s")
    parser.add_argument("--json", action="store_true", help="the outcome as one JSON document")


def main(args: argparse.Namespace) -> int:
    """Fire, and tell."""
    name = canonical(args.event)
    if name not in BY_NAME and not args.payload:
        close = did_you_mean(args.event, BY_NAME)
        raise Misuse(f"no event is called {args.event!r}{close} `hookwright events` lists them.")
    if dialect(args.agent) is None:
        raise Misuse(f"no agent is called {args.agent!r} here.")
    payload = _payload(args, name)
    response = _without_prints(json.dumps(payload).encode(), name, args.agent)
    print(json.dumps(as_data(response), indent=2) if args.json else as_text(response))
    return 0


def _without_prints(payload: bytes, name: str, agent: str) -> Response:
    """What a handler prints goes to stderr, as in the hook."""
    with contextlib.redirect_stdout(sys.stderr):
        return respond(payload, name, agent, rehearsal=True)


def _payload(args: argparse.Namespace, name: str) -> dict[str, Any]:
    payload = _object(_read(args.payload), args.payload) if args.payload else sample(name, os.getcwd())
    payload.setdefault("cwd", os.getcwd())
    if args.tool:
        payload["tool_name"] = args.tool
    if args.input:
        payload["tool_input"] = _object(args.input, "--input")
    elif args.tool and not args.payload and payload.get("tool_name") != sample(name, "").get("tool_name"):
        payload["tool_input"] = {}  # another tool's sample input would only confuse
    return payload


def _read(path: str) -> str:
    try:
        return Path("/dev/stdin" if path == "-" else path).read_text("utf-8", "replace")
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}.") from error


def _object(text: str, source: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{source} is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise Misuse(f"{source} must be a JSON object, not {type(value).__name__}.")
    return value


def as_data(response: Response) -> dict[str, Any]:
    """The outcome for programs."""
    called = {id(ran.binding): ran for ran in response.ran}
    rows = []
    for binding in response.bound:
        ran = called.get(id(binding))
        row: dict[str, Any] = {"binding": binding.name, "called": ran is not None, "why": why(response, binding)}
        if ran:
            row |= {"outcome": ran.outcome, "answer": ran.reply.said(), "ms": round(ran.ms, 2)}
        rows.append(row)
    return {
        "event": response.event_name,
        "config": response.config or None,
        "bindings": rows,
        "answer": response.reply.said() if response.reply else {},
        "stdout": response.written.stdout,
        "stderr": response.stderr,
        "exit_code": response.written.exit_code,
        "agent_does": agent_does(response),
        "notes": response.notes,
    }


def as_text(response: Response) -> str:
    """The outcome for a person."""
    told = as_data(response)
    lines = [f"event      {told['event']}", f"config     {told['config'] or 'none found: every event goes unanswered'}"]
    lines += [_binding_line(row) for row in told["bindings"]] or ["bindings   none for this event"]
    answer = json.dumps(told["answer"], ensure_ascii=False) if told["answer"] else "no opinion"
    lines.append(f"answer     {answer}")
    lines.append(f"stdout     {told['stdout'] or '(nothing)'}")
    lines.append(f"stderr     {told['stderr'].rstrip() or '(nothing)'}")
    lines.append(f"exit code  {told['exit_code']}")
    lines.append(f"the agent  {'; '.join(told['agent_does'])}")
    lines += [f"note       {note}" for note in told["notes"]]
    return "\n".join(lines)


def _binding_line(row: dict[str, Any]) -> str:
    if not row["called"]:
        return f"  skipped  {row['binding']}: {row['why']}"
    answer = f" {json.dumps(row['answer'], ensure_ascii=False)}" if row["answer"] else ""
    return f"  called   {row['binding']} ({row['why']}): {row['outcome']}{answer} in {row['ms']} ms"


def why(response: Response, binding: Binding) -> str:
    """Why a binding was called, or was not."""
    event: Event = event_of(response.event_name, response.raw)
    subject = ", ".join(subjects(event))
    if not meets(event, binding):
        patterns = " and ".join(filter(None, (binding.filter.replace("*", "") and binding.filter, _files(binding))))
        return f"{subject or 'it'} does not match {patterns or binding.filter}"
    if all(ran.binding is not binding for ran in response.ran):
        return "an earlier one had already refused"
    if binding.match is None:
        return "an edited file matches" if binding.options.get("files") else "always"
    return f"{subject} matches {binding.filter}"


def _files(binding: Binding) -> str:
    return "its files" if binding.options.get("files") else ""


def agent_does(response: Response) -> list[str]:
    """What the agent makes of the answer."""
    spoken = dialect(response.agent)
    assert spoken is not None  # main has asked
    return spoken.meaning(event_of(response.event_name, response.raw), response.written)
