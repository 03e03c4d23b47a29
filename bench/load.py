"""Somebody with several connections to a resident server, and how long each of their events takes."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Echo:
    """A process that answers whatever comes with the same few bytes: what two wake-ups cost on this machine."""

    def __enter__(self) -> int:
        with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
            self.pid = os.fork()
            if not self.pid:
                try:
                    self._serve(listener)
                finally:
                    os._exit(1)  # nothing of the parent's is ours to clean up
            return int(listener.getsockname()[1])

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    @staticmethod
    def _serve(listener: socket.socket) -> None:
        selector = selectors.DefaultSelector()
        selector.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    selector.register(listener.accept()[0], selectors.EVENT_READ)
                elif _taken(key.fileobj):  # type: ignore[arg-type]
                    key.fileobj.sendall(ANSWER)  # type: ignore[union-attr]
                else:
                    selector.unregister(key.fileobj)


def _taken(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except ConnectionResetError:
        return b""


class Load:
    """One event, sent over and over."""

    def __init__(self, port: int, token: str, body: bytes) -> None:
        self.port = port
        head = (
            f"POST /hook HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.request = head.encode() + body

    def run(self, connections: int, events: int, rate: float = 0.0) -> tuple[list[float], float]:
        """How long each took in ms, and how many there were in a second.

        Without a rate each connection sends when it has its answer. With one (events a second, of all connections
        together) it sends when it is time to, and an event that could not be sent in time counts from when it should.
        """
        took: list[float] = []
        pause_s = connections / rate if rate else 0.0
        with selectors.DefaultSelector() as selector:
            due: dict[socket.socket, float] = {}  # who has no answer to wait for -> when it sends
            began = time.perf_counter()
            for number in range(connections):
                connection = socket.create_connection(("127.0.0.1", self.port))
                selector.register(connection, selectors.EVENT_READ, [0.0])
                due[connection] = began + pause_s * number / connections
            while len(took) < events:
                now = time.perf_counter()
                for connection in [each for each, at in due.items() if at <= now]:
                    at = due.pop(connection)
                    selector.get_key(connection).data[0] = at if rate else time.perf_counter()
                    connection.sendall(self.request)
                wait = max(0.0, min(due.values()) - time.perf_counter()) if due else None
                for key, _ in selector.select(wait):
                    answer = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    assert answer.startswith(b"HTTP/1.1 200"), answer
                    took.append((time.perf_counter() - key.data[0]) * 1000)
                    due[key.fileobj] = key.data[0] + pause_s if rate else 0.0  # type: ignore[index]
            seconds = time.perf_counter() - began
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]
        return took, events / seconds
