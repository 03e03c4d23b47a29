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
        together) it sends when it is time to; where the answer before was late, the next counts from when it was due.
        """
        took: list[float] = []
        pause_s = connections / rate if rate else 0.0
        with selectors.DefaultSelector() as selector:
            due: dict[socket.socket, float] = {}  # who has no answer to wait for -> when it sends
            began = time.perf_counter()
            for number in range(connections):
                connection = socket.create_connection(("127.0.0.1", self.port))
                at = began + pause_s * number / connections
                selector.register(connection, selectors.EVENT_READ, _Turn(at))
                due[connection] = at
            while len(took) < events:
                now = time.perf_counter()
                for connection in [each for each, at in due.items() if at <= now]:
                    turn = selector.get_key(connection).data
                    turn.due = due.pop(connection)
                    turn.began = turn.due if turn.held_up else time.perf_counter()
                    connection.sendall(self.request)
                wait = max(0.0, min(due.values()) - time.perf_counter()) if due else None
                for key, _ in selector.select(wait):
                    answer = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    assert answer.startswith(b"HTTP/1.1 200"), answer
                    came = time.perf_counter()
                    took.append((came - key.data.began) * 1000)
                    again = key.data.due + pause_s if rate else 0.0
                    key.data.held_up = bool(rate) and came > again
                    due[key.fileobj] = again  # type: ignore[index]
            seconds = time.perf_counter() - began
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]
        return took, events / seconds


class _Turn:
    """Where one connection stands."""

    def __init__(self, due: float) -> None:
        self.due = due  # when its event was to be sent
        self.began = 0.0  # from when it counts: a clock that rings late is nobody's fault but the bench's
        self.held_up = False  # it could not be sent in time, for the answer before had not come
