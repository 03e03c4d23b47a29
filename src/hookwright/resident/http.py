"""The one kind of HTTP request that is let in: who may ask, what, and how much. Everything else is refused.

Written by hand because `http.server` and `asyncio` cost half the memory and all of the time that a server may take.
Strict where RFC 9112 lets a server be: no chunks (the client sends a length), no folded lines, no header twice, so that
nobody can hide one request in another.
"""

import _operator

HEAD_LIMIT = 16 << 10
BODY_LIMIT = 16 << 20
ROUTES = {b"/hook": b"POST", b"/status": b"GET"}
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_REASONS = {
    200: "OK",
    204: "No Content",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    411: "Length Required",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}
_NAME = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CONTROL = bytes(number for number in (*range(32), 127) if number != 9)


class Refused(Exception):
    """A request that is not let in, with the status that says why."""

    def __init__(self, status: int) -> None:
        super().__init__(_REASONS[status])
        self.status = status


class Request:
    """One whole request of somebody who has the token."""

    __slots__ = ("body", "keep_open", "path")

    def __init__(self, path: bytes, body: bytes, keep_open: bool) -> None:
        self.path = path
        self.body = body
        self.keep_open = keep_open


class Reader:
    """Bytes of one connection -> requests. Who has no token is refused before a byte of a body is kept."""

    __slots__ = ("_continue", "_head", "_held", "_length", "_port", "_token")

    def __init__(self, port: int, token: str) -> None:
        self._port = b"127.0.0.1:%d" % port
        self._token = b"Bearer " + token.encode()
        self._held = bytearray()
        self._head: tuple[bytes, bool] | None = None  # path, and whether the connection stays open
        self._length = 0
        self._continue = False

    @property
    def waiting(self) -> bool:
        """Whether a request has begun and is not whole."""
        return bool(self._held) or self._head is not None

    @property
    def full(self) -> bool:
        """Whether more must not be read before what is here has been taken."""
        return len(self._held) > self._length + HEAD_LIMIT

    def feed(self, piece: bytes) -> None:
        """Take what has come."""
        self._held += piece

    def next(self) -> Request | None:
        """The next whole request, None while there is none. Raises Refused, after which the connection is over."""
        if self._head is None:
            end = self._held.find(b"\r\n\r\n", 0, HEAD_LIMIT + 4)
            if end < 0:
                if len(self._held) > HEAD_LIMIT:
                    raise Refused(431)
                return None
            head = bytes(self._held[:end])
            del self._held[: end + 4]
            self._head = self._let_in(head)
        if len(self._held) < self._length:
            return None
        path, keep_open = self._head
        body = bytes(self._held[: self._length])
        del self._held[: self._length]
        self._head, self._length, self._continue = None, 0, False
        return Request(path, body, keep_open)

    def wants_to_be_told(self) -> bool:
        """Whether the sender waits for a word before it sends its body; asked once."""
        asked, self._continue = self._continue and self._head is not None, False
        return asked

    def _let_in(self, head: bytes) -> tuple[bytes, bool]:
        first, *lines = head.split(b"\r\n")
        words = first.split(b" ")
        if len(words) != 3 or not all(words) or first.translate(None, _CONTROL + b"\t") != first:
            raise Refused(400)
        method, path, version = words
        if version != b"HTTP/1.1":
            raise Refused(505 if version.startswith(b"HTTP/") else 400)
        headers = _headers(lines)
        # A page in a browser says where it comes from; one that had its name resolved to us says that name.
        if headers.get(b"host") != self._port or b"origin" in headers:
            raise Refused(403)
        if not _operator._compare_digest(headers.get(b"authorization", b""), self._token):
            raise Refused(401)
        if path not in ROUTES:
            raise Refused(404)
        if method != ROUTES[path]:
            raise Refused(405)
        self._length = _length(headers, method)
        self._continue = headers.get(b"expect", b"").lower() == b"100-continue"
        return path, headers.get(b"connection", b"").lower() != b"close"


def _headers(lines: list[bytes]) -> dict[bytes, bytes]:
    headers: dict[bytes, bytes] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not name or name.translate(None, _NAME) or value.translate(None, _CONTROL) != value:
            raise Refused(400)
        name = name.lower()
        if name in headers:
            raise Refused(400)
        headers[name] = value.strip(b" \t")
    return headers


def _length(headers: dict[bytes, bytes], method: bytes) -> int:
    if b"transfer-encoding" in headers:
        raise Refused(501)
    length = headers.get(b"content-length")
    if method == b"GET" and length is None:
        return 0
    if length is None:
        raise Refused(411)
    if not length.isdigit():
        raise Refused(400)
    if len(length) > 10 or int(length) > BODY_LIMIT:
        raise Refused(413)
    if (
        method == b"POST"
        and headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json"
    ):
        raise Refused(415)  # a form of a web page can send anything else without asking first
    return int(length)


def response(status: int, body: bytes = b"", keep_open: bool = False) -> bytes:
    """One whole answer."""
    kind = b"Content-Type: application/json\r\n" if body else b""
    length = b"" if status == 204 else b"Content-Length: %d\r\n" % len(body)
    end = b"\r\n" if keep_open else b"Connection: close\r\n\r\n"
    return b"HTTP/1.1 %d %b\r\n%b%b%b%b" % (status, _REASONS[status].encode(), kind, length, end, body)
