"""JSON edited as text: every byte that is not ours stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.setup import json_text
from hookwright.setup.json_text import NotJson

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t"])


def printed(value, layout, newline="\n", ascii_only=False):
    return json.dumps(value, indent=layout, ensure_ascii=ascii_only).replace("\n", newline)


@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), LAYOUTS, st.sampled_from(["\n", "\r\n"]), VALUES)
def test_what_is_put_in_can_be_taken_out_again(document, layout, newline, value):
    """A member appended and removed leaves the text as it was, to the byte."""
    text = printed(document, layout, newline)
    key = "new" + max(document)
    more = json_text.appended(text, 0, key, value, json_text.style(text))
    assert json_text.parsed(more) == {**document, key: value}
    assert json_text.removed(more, 0, json_text.member(more, 0, key)) == text


@given(st.dictionaries(st.text(), VALUES, min_size=2, max_size=5), LAYOUTS, st.data())
def test_any_member_can_be_taken_out(document, layout, data):
    """First, middle or last: the others stay."""
    text = printed(document, layout)
    key = data.draw(st.sampled_from(list(document)))
    left = json_text.removed(text, 0, json_text.member(text, 0, key))
    assert list(json_text.parsed(left).items()) == [(k, v) for k, v in document.items() if k != key]


def test_spans_see_through_strings_that_look_like_json():
    """Braces, commas and quotes inside strings are text."""
    text = r'{ "a{,": "}\",[" , "b" : [ "]", {"c":1} ] }'
    assert [span.key for span in json_text.spans(text, 0)] == ["a{,", "b"]
    b = json_text.member(text, 0, "b")
    assert [text[span.start : span.end] for span in json_text.spans(text, b.value)] == ['"]"', '{"c":1}']


def test_of_two_members_with_one_name_the_last_counts():
    """As it does for the client."""
    text = '{"a": 1, "a": 2}'
    span = json_text.member(text, 0, "a")
    assert text[span.value : span.end] == "2"


@pytest.mark.parametrize(
    "text, line, column, said",
    [
        ('{\n  // hooks\n  "a": 1}', 2, 3, "not valid JSON: a comment"),
        ('{"a": 1} # mine', 1, 10, "not valid JSON: a comment"),
        ('{"a": 1,}', 1, 8, "not valid JSON: a comma before the closing }"),
        ('{"a": [1 ,\n ] }', 1, 10, "not valid JSON: a comma before the closing ]"),
        ('{"a": 1', 1, 8, "not valid JSON: Expecting ',' delimiter"),
        ('{"a": 1}\n}', 2, 1, "not valid JSON: Extra data"),
        ("", 1, 1, "not valid JSON: Expecting value"),
        ("[" * 100_000, 1, 1, "it is nested too deep"),
        ('{"NaN": "\\"NaN",\n "a": [1, NaN]}', 2, 11, "not valid JSON: NaN"),
        ('{"a": -Infinity}', 1, 7, "not valid JSON: -Infinity"),
    ],
)
def test_what_is_not_json_is_told_with_its_place(text, line, column, said):
    """Comments, trailing commas, torn and absurd files; in the same words whichever Python reads them."""
    with pytest.raises(NotJson) as told:
        json_text.parsed(text)
    assert (told.value.line, told.value.column, str(told.value)) == (line, column, said)
