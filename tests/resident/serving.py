"""A server of a scratch project, and what somebody on this machine can do with it."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conftest import Project

from hookwright.resident import ask, start, state

DENY = "from hookwright import on, deny\n@on.PreToolUse(tool='Bash')\ndef no(event):\n    return deny('no')\n"


@dataclass
class Answered:
    """One answer over http; status 0 where the connection ended without one."""

    status: int
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body) if self.body else {}

    @property
    def reason(self) -> Any:
        return self.document.get("hookSpecificOutput", {}).get("permissionDecisionReason")


class Resident:
    """The server of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = str(project.folder)
        self.pids: list[int] = []
        self.port, self.token = 0, ""

    def start(self, **options: Any) -> start.Started:
        started = start.start(self.folder, **options)
        assert started is not None
        self.port, self.token = started.port, started.token
        self.pids.append(self.pid)
        return started

    @property
    def pid(self) -> int:
        """The server's number, as it is remembered."""
        with open(state.file(self.folder, state.LOCK)) as file:
            return int(json.load(file)["pid"])

    def status(self) -> dict[str, Any]:
        return ask.status(self.folder)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def request(self, body: bytes, **headers: str) -> bytes:
        """A request as the client sends it; a header given here replaces its own, None leaves it out."""
        lines = {
            "Accept": "application/json, text/plain, */*",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {self.token}",
            "User-Agent": "axios/1.15.2",
            "Content-Length": str(len(body)),
            "Host": f"127.0.0.1:{self.port}",
            "Connection": "keep-alive",
        } | {name.replace("_", "-").title(): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        return f"POST /hook HTTP/1.1\r\n{head}\r\n".encode() + body

    def event(self, event: str = "PreToolUse", **fields: Any) -> bytes:
        fields = {"tool_name": "Bash", "tool_input": {"command": "ls"}} | fields
        return json.dumps(self.project.payload(event, **fields)).encode()

    def post(self, event: str = "PreToolUse", **fields: Any) -> Answered:
        """One event on a connection of its own."""
        return self.sent(self.request(self.event(event, **fields)))

    def sent(self, data: bytes) -> Answered:
        with self.connect() as connection:
            with suppress(OSError):  # it may have been refused before it was read to its end
                connection.sendall(data)
            return received(connection)

    def in_background(self, event: str = "PreToolUse", **fields: Any) -> Callable[[], Answered]:
        """Post from a thread; what is returned waits for the answer."""
        found: list[Answered] = []
        thread = threading.Thread(target=lambda: found.append(self.post(event, **fields)))
        thread.start()

        def wait() -> Answered:
            thread.join(60)
            return found[0]

        return wait


def received(connection: socket.socket) -> Answered:
    """One answer; what comes behind it is left on the connection, for the server sends nothing unasked."""
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return Answered(0, data)
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        length = int(lengths[0].split(b":")[1]) if lengths else 0
        while len(body) < length:
            body += connection.recv(65536)
    except ConnectionError:
        return Answered(0, data)
    return Answered(int(head.split(b" ")[1]), body)


def until(true: Callable[[], Any], wait_s: float = 60) -> Any:
    """What `true` says once it is true; a busy machine may take its time."""
    end = time.monotonic() + wait_s
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)
    return found


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has buried yet has."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True
