"""What is let in, and what is not: strangers, browsers, and whatever is not exactly one request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.resident import http

TOKEN = "a" * 64
PLAIN = {
    "Host": "127.0.0.1:4000",
    "Authorization": f"Bearer {TOKEN}",
    "Content-Type": "application/json",
    "Content-Length": "2",
}


def head(first="POST /hook HTTP/1.1", **changed):
    lines = PLAIN | {name.replace("_", "-"): value for name, value in changed.items()}
    fields = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
    return f"{first}\r\n{fields}\r\n".encode()


def reader():
    return http.Reader(4000, TOKEN)


def refused(data):
    """The status a request is refused with; 0 where it is let in or not whole."""
    fed = reader()
    fed.feed(data)
    try:
        fed.next()
    except http.Refused as no:
        return no.status
    return 0


def test_the_clients_request_is_let_in():
    """As it was captured from Claude Code 2.1.325."""
    fed = reader()
    fed.feed(
        b"POST /hook HTTP/1.1\r\nAccept: application/json, text/plain, */*\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer " + TOKEN.encode() + b"\r\nUser-Agent: axios/1.15.2\r\nContent-Length: 4\r\n"
        b"Accept-Encoding: gzip, compress, deflate, br\r\nHost: 127.0.0.1:4000\r\nConnection: keep-alive\r\n\r\n{  }"
    )
    request = fed.next()
    assert (request.path, request.body, request.keep_open) == (b"/hook", b"{  }", True)
    assert fed.next() is None


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (head(Authorization=None), 401),
        (head(Authorization="Bearer " + "b" * 64), 401),
        (head(Authorization=TOKEN), 401),
        (head(Authorization=f"Bearer {TOKEN[:-1]}"), 401),
        (head(Host="evil.example:4000"), 403),  # a name that was made to lead here
        (head(Host="localhost:4000"), 403),
        (head(Host="127.0.0.1"), 403),
        (head(Host=None), 403),
        (head(Origin="http://127.0.0.1:4000"), 403),
        (head(Origin="null"), 403),
        (head("GET /hook HTTP/1.1"), 405),
        (head("POST /status HTTP/1.1"), 405),
        (head("POST / HTTP/1.1"), 404),
        (head("POST /hook?x HTTP/1.1"), 404),
        (head("POST http://127.0.0.1:4000/hook HTTP/1.1"), 404),
        (head("POST /hook HTTP/1.0"), 505),
        (head("POST /hook HTTP/2"), 505),
        (head("POST  /hook HTTP/1.1"), 400),
        (head("POST /hook"), 400),
        (head("\x16\x03\x01"), 400),
        (head(Content_Length=None), 411),
        (head(Content_Length="-1"), 400),
        (head(Content_Length="+2"), 400),
        (head(Content_Length="2, 2"), 400),
        (head(Content_Length="0x2"), 400),
        (head(Content_Length=str(http.BODY_LIMIT + 1)), 413),
        (head(Content_Length="9" * 5000), 413),
        (head(Transfer_Encoding="chunked"), 501),
        (head(Content_Type="text/plain"), 415),
        (head(Content_Type="application/x-www-form-urlencoded"), 415),
        (head().replace(b"\r\n\r\n", b"\r\nHost: 127.0.0.1:4000\r\n\r\n"), 400),
        (head().replace(b"\r\n\r\n", b"\r\ncontent-length: 3\r\n\r\n"), 400),
        (head().replace(b"\r\n\r\n", b"\r\n folded\r\n\r\n"), 400),
        (head().replace(b"\r\n\r\n", b"\r\nA : b\r\n\r\n"), 400),
        (head().replace(b"\r\n\r\n", b"\r\nA: b\nC: d\r\n\r\n"), 400),
        (head().replace(b"\r\n\r\n", b"\r\nA: b\0\r\n\r\n"), 400),
        (b"A" * (http.HEAD_LIMIT + 1), 431),
        (head(A="b" * http.HEAD_LIMIT), 431),
    ],
)
def test_everything_else_is_refused(data, status):
    """Each with the status that says why, before a body is looked at."""
    assert refused(data) == status


def test_who_has_no_token_learns_nothing_of_the_routes():
    """A wrong path and a wrong method are told only to those who may ask."""
    assert refused(head("GET /secret HTTP/1.1", Authorization=None)) == 401


@given(st.lists(st.binary(max_size=300), max_size=5), st.data())
def test_requests_are_found_however_they_are_cut(bodies, data):
    """Several in one piece, one in many pieces: the same bodies in the same order, and nothing left."""
    stream = b"".join(head(Content_Length=str(len(body))) + body for body in bodies)
    fed, found, at = reader(), [], 0
    while at < len(stream):
        step = data.draw(st.integers(1, 400))
        fed.feed(stream[at : at + step])
        at += step
        while request := fed.next():
            found.append(request.body)
    assert found == bodies
    assert not fed.waiting


@given(st.binary(max_size=600))
def test_noise_is_never_a_request(noise):
    """Whatever a stranger sends: it waits or is refused."""
    fed = reader()
    fed.feed(noise)
    try:
        assert fed.next() is None
    except http.Refused:
        pass


@given(st.integers(0, len(head()) - 1), st.integers(0, 255))
def test_one_changed_byte_never_becomes_another_request(at, byte):
    """A request with one byte changed is refused, waits, or is the same request with a different detail."""
    data = bytearray(head() + b"{}")
    data[at] = byte
    fed = reader()
    fed.feed(bytes(data))
    try:
        request = fed.next()
    except http.Refused:
        return
    assert request is None or (request.path == b"/hook" and request.body == b"{}"[: len(request.body)])


def test_a_sender_that_asks_first_is_told_to_go_on_once():
    """`Expect: 100-continue`, as curl sends it with a large body."""
    fed = reader()
    fed.feed(head(Expect="100-continue"))
    assert fed.next() is None
    assert fed.wants_to_be_told()
    assert not fed.wants_to_be_told()
    fed.feed(b"{}")
    assert fed.next().body == b"{}"


@pytest.mark.parametrize(("status", "body"), [(200, b"{}"), (204, b""), (401, b""), (500, b"")])
def test_an_answer_says_how_long_it_is_and_whether_the_connection_stays(status, body):
    """204 has no length by definition."""
    text = http.response(status, body, keep_open=status < 300)
    assert text.startswith(b"HTTP/1.1 %d " % status)
    assert (b"Content-Length: %d\r\n" % len(body) in text) == (status != 204)
    assert (b"Connection: close" in text) == (status >= 300)
    assert text.endswith(b"\r\n\r\n" + body)
