"""Whatever bytes come, no reader of ours falls over: a short run of what `make fuzz` does for hours."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stress.decoders import BY_NAME, DECODERS, Decoder

TOKENS = [
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\\",
    b"\n",
    b"\0",
    b"\xff",
    b"&a ",
    b"*a",
    b"null",
    b"1e999",
    b"<",
    b"${x}",
    b"-",
]

PATIENCE_S = 60  # no measure of speed: a pattern that tries every way takes far longer
DEEP = b"[" * 100_000
FOUND = [  # inputs at which a reader once fell over
    ("stream-json", b'{"type": "result", "result": ' + DEEP),
    ("stream-json", b'{"type": "result", "total_cost_usd": 1' + b"0" * 400 + b', "result": ""}'),
    ("MCP servers", DEEP),
    ("compilers' words", b"\n" * 200_000),
    ("compilers' words", b"Parse" + b" in /a" * 50_000),
    ("compilers' words", b"a.cs(1,1): error X: " + b" [a" * 100_000),
    ("MCP servers", b'{"mcpServers": {"a": {"command": "x", "k": ' + b"[" * 900 + b"]" * 900 + b"}}}"),
]


def changed(seed: bytes) -> st.SearchStrategy[bytes]:
    """A real input with some places cut out, doubled or replaced."""
    place = st.integers(0, len(seed))
    edit = st.tuples(place, place, st.one_of(st.sampled_from(TOKENS), st.binary(max_size=8), st.just(seed)))

    def edited(edits: list[tuple[int, int, bytes]]) -> bytes:
        data = seed
        for start, length, into in edits:
            data = data[:start] + into + data[start + length % 20 :]
        return data

    return st.lists(edit, min_size=1, max_size=4).map(edited)


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.name)
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_bytes_are_taken(decoder: Decoder, data: st.DataObject) -> None:
    """A reader answers or refuses, and never raises anything else."""
    decoder.take(data.draw(st.one_of(st.sampled_from(decoder.seeds()).flatmap(changed), st.binary(max_size=200))))


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda decoder: decoder.name)
def test_the_seeds_are_taken(decoder: Decoder) -> None:
    """What fuzzing begins from is itself readable."""
    for seed in decoder.seeds():
        decoder.take(seed)


@pytest.mark.parametrize("name, data", FOUND, ids=lambda value: value if isinstance(value, str) else "")
def test_what_was_found_stays_mended(name: str, data: bytes) -> None:
    """Every input that fuzzing found is tried again; those that took hours come to an end."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(PATIENCE_S)
    try:
        BY_NAME[name].take(data)
    finally:
        signal.alarm(0)
