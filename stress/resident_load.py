"""Events at a steady rate to the resident server over connections that stay open: lost, mixed up, torn, late, memory.

python -m stress.resident_load [--rate 1000] [--seconds 10] [--connections 8]
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hookwright.resident import ask, start
from stress.load import Figures, journal_lines, of_the_journal, printed, told

HANDLERS = """\
from hookwright import deny, on

@on.PreToolUse(tool="Bash")
def no(event):
    return deny(event.tool_input["command"])
"""
SETTLED_S = 5.0  # after which nobody writes to a journal that was moved aside


class Sender(threading.Thread):
    """One connection: an event at each of its moments, and the answer to each looked at."""

    def __init__(self, started: start.Started, project: Path, number: int, every_s: float, until: float) -> None:
        super().__init__(daemon=True)
        self.started, self.project, self.number = started, project, number
        self.every_s, self.until = every_s, until
        self.sent: list[str] = []
        self.took: list[tuple[float, float]] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        connection = socket.create_connection(("127.0.0.1", self.started.port), timeout=30)
        due = time.monotonic() + self.every_s * self.number / 8
        with connection, connection.makefile("rb") as answers:
            while (now := time.monotonic()) < self.until:
                if now < due:
                    time.sleep(due - now)
                due += self.every_s
                name = f"{self.number}-{len(self.sent)}"
                self.sent.append(name)
                began = time.perf_counter()
                connection.sendall(self._request(name))
                if f'"{name}"'.encode() not in _answer(answers):
                    self.wrong.append(name)
                self.took.append((time.time(), (time.perf_counter() - began) * 1000))

    def _request(self, name: str) -> bytes:
        event = {"hook_event_name": "PreToolUse", "cwd": str(self.project), "session_id": "load", "tool_name": "Bash"}
        body = json.dumps({**event, "tool_input": {"command": name}}).encode()
        head = (
            f"POST /hook HTTP/1.1\r\nHost: 127.0.0.1:{self.started.port}\r\n"
            f"Authorization: Bearer {self.started.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


def _answer(answers: BinaryIO) -> bytes:
    """The body of one answer; b"" where there is none."""
    length = 0
    for line in iter(answers.readline, b"\r\n"):
        if not line:
            raise ConnectionError("the server hung up")
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return answers.read(length)


class Follower(threading.Thread):
    """Reads journals that were moved aside before they are thrown away: only the newest three are kept."""

    def __init__(self, project: Path) -> None:
        super().__init__(daemon=True)
        self.project = project
        self.over = threading.Event()
        self.lines: list[bytes] = []
        self._read: set[str] = set()

    def run(self) -> None:
        while not self.over.wait(1):
            for file in sorted((self.project / ".hookwright").glob("journal.*.jsonl")):
                if file.name not in self._read and time.time() - file.stat().st_mtime > SETTLED_S:
                    self._read.add(file.name)
                    self.lines += file.read_bytes().splitlines()

    def all_lines(self) -> list[bytes]:
        """Everything that was ever written; called when nobody writes any more."""
        self.over.set()
        self.join()
        return self.lines + journal_lines(self.project, self._read)


@contextmanager
def served(folder: Path) -> Iterator[start.Started]:
    """A project with a server, which is ended afterwards."""
    (folder / ".hookwright").mkdir()
    (folder / ".hookwright/handlers.py").write_text(HANDLERS)
    (folder / ".hookwright.yaml").write_text('handlers: [".hookwright/handlers.py"]\n')
    started = start.start(str(folder))
    assert started is not None
    try:
        yield started
    finally:
        start.stop(str(folder))


def steadily(rate: float, seconds: float, connections: int) -> Figures:
    """Figures of so many events a second for so long."""
    with tempfile.TemporaryDirectory() as name, served(Path(name)) as started:
        project, until = Path(name), time.monotonic() + seconds
        follower = Follower(project)
        follower.start()
        senders = [Sender(started, project, each, connections / rate, until) for each in range(connections)]
        for sender in senders:
            sender.start()
        memory = []
        while any(sender.is_alive() for sender in senders):
            memory.append(megabytes(name))
            time.sleep(min(1.0, seconds / 10))
        sent = [one for sender in senders for one in sender.sent]
        found, torn = of_the_journal(follower.all_lines(), lambda entry: entry["about"]["tool_input"]["command"])
        quarter = max(1, len(memory) // 4)
        return {
            **told(sent, found, torn, [pair for sender in senders for pair in sender.took]),
            "wrong": sum(len(sender.wrong) for sender in senders) + len(sent) - sum(len(each.took) for each in senders),
            "per_second": len(sent) / seconds,
            "mb_first": max(memory[:quarter]),
            "mb_last": max(memory[-quarter:]),
        }


def megabytes(project: str) -> float:
    """What the server and its workers take, memory that they share counted once."""
    server = ask.status(project).get("pid", 0)
    total = 0
    for pid in (server, *_children(server)):
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:  # a worker has just gone
            continue
        total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total / 1024


def _children(pid: int) -> list[int]:
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                after_name = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(after_name[1]) == pid:
                found.append(int(entry.name))
    return found


def main(argv: list[str] | None = None) -> int:
    """Print the figures; 1 where an event was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=1000, help="events a second")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, default=8)
    args = parser.parse_args(argv)
    return printed(steadily(args.rate, args.seconds, args.connections))


if __name__ == "__main__":
    sys.exit(main())
