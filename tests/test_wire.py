"""JSON without `import json` agrees with `json`, and bytes arrive whole."""

import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.wire import NotJson, decode, encode, read_all, write_all

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_what_json_writes_is_read_as_json_reads_it(value):
    """Any JSON document, in either spelling of its non-ASCII characters."""
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert decode(text.encode("utf-8", "surrogatepass")) == json.loads(text) or "\\ud" in json.dumps(value)


@given(json_values)
def test_what_we_write_json_reads_back(value):
    """One line of plain ASCII."""
    text = encode(value)
    assert text.isascii() and "\n" not in text
    assert json.loads(text) == value


@given(st.binary())
def test_any_bytes_are_json_or_refused(data):
    """Never another exception than NotJson."""
    try:
        decode(data)
    except NotJson:
        pass


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[1,]", b"{} {}", b"nul", b'{"a" 1}', b"[" * 100_000, b"\x00", b'"' + b"9" * 10 + b"\n", b"1" * 5000],
)
def test_what_is_no_document_is_refused(data):
    """Broken, doubled, nested without end, and numbers that no one can mean."""
    with pytest.raises(NotJson):
        decode(data)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('{"a": "ü"}'.encode("utf-16"), {"a": "ü"}),
        (b' \r\n{"a": "tab\there"}\n', {"a": "tab\there"}),
        (b'{"a": NaN, "b": [Infinity]}', {"a": None, "b": [None]}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        (b'{"a": "\\ud83d"}', {"a": "\ud83d"}),
    ],
)
def test_odd_but_readable_documents_are_read(data, value):
    """A byte order mark, UTF-16, raw tabs, NaN, bad bytes and half a character."""
    assert decode(data) == value


def test_what_json_has_no_word_for_is_written_as_text(tmp_path):
    """A path in an answer is its text; NaN is refused, for no client takes it."""
    assert encode({"path": tmp_path}) == json.dumps({"path": str(tmp_path)})
    with pytest.raises(ValueError, match="JSON compliant"):
        encode(float("nan"))
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="Circular"):
        encode(loop)


def test_a_slow_pipe_gets_and_gives_everything():
    """Partial reads and writes are continued."""
    reading, writing = os.pipe()
    data = os.urandom(3_000_000)
    thread = threading.Thread(target=lambda: (write_all(writing, data), os.close(writing)))
    thread.start()
    assert read_all(reading) == data
    thread.join()
    os.close(reading)
