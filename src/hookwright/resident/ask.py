"""Ask a server how it is, as somebody who may."""

import _socket

from hookwright.resident import state
from hookwright.resident.start import ADDRESS
from hookwright.wire import NotJson, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TIMEOUT_S = 2.0


def status(project: str) -> "dict[str, Any]":
    """What the project's server says of itself; {} where there is none, or it does not answer."""
    known = state.running(project)
    port, token = known.get("port"), state.token(project)
    if not isinstance(port, int) or not token:
        return {}
    request = f"GET /status HTTP/1.1\r\nHost: {ADDRESS}:{port}\r\nAuthorization: Bearer {token}\r\n"
    try:
        _, _, body = _sent(port, f"{request}Connection: close\r\n\r\n".encode()).partition(b"\r\n\r\n")
        told = decode(body)
    except (OSError, NotJson):
        return {}
    return told if isinstance(told, dict) else {}


def _sent(port: int, request: bytes) -> bytes:
    with_server = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        with_server.settimeout(TIMEOUT_S)
        with_server.connect((ADDRESS, port))
        with_server.sendall(request)
        pieces = []
        while piece := with_server.recv(1 << 16):
            pieces.append(piece)
    finally:
        with_server.close()
    return b"".join(pieces)
