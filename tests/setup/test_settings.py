"""Our entries in a settings file: in, out, and nothing else touched."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.events import BY_NAME
from hookwright.setup import settings
from hookwright.setup.json_text import NotJson
from hookwright.setup.registration import group

from .test_json_text import LAYOUTS, VALUES, printed

FOREIGN = st.sampled_from(
    [
        {"type": "command", "command": "echo ü", "timeout": 5},
        {"type": "http", "url": "http://127.0.0.1/", "headers": {"a": "b"}},
        {"type": "prompt", "prompt": "hookwright?"},
        {"type": "agent", "prompt": "x", "unknown": 1.5},
        {"type": "mcp_tool", "server": "s", "tool": "t"},
    ]
)
GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(FOREIGN, max_size=3)}, optional={"matcher": st.sampled_from(["", "Bash", "mcp__.*"])}
)
HOOKS = st.dictionaries(st.sampled_from(sorted(BY_NAME)), st.lists(GROUPS, max_size=3), max_size=4)
DOCUMENTS = st.builds(
    lambda rest, hooks, first: {**hooks, **rest} if first else {**rest, **hooks},
    st.dictionaries(st.text().filter(lambda key: key != "hooks"), VALUES, max_size=4),
    HOOKS.map(lambda hooks: {"hooks": hooks}) | st.just({}),
    st.booleans(),
)
WANTED = st.dictionaries(st.sampled_from(sorted(BY_NAME)), st.sampled_from([group("x"), group("x", "Bash|Edit")]))


@given(DOCUMENTS, WANTED, WANTED, LAYOUTS, st.booleans())
def test_in_and_out_is_as_before(document, wanted, later, layout, ascii_only):
    """Any valid settings: in twice is in once, another set replaces the first, out leaves the same meaning."""
    text = printed(document, layout, ascii_only=ascii_only)
    once = settings.with_ours(text, wanted)
    assert settings.with_ours(once, wanted) == once
    assert {entry.event for entry in settings.entries(json.loads(once))} == set(wanted)
    changed = settings.with_ours(once, later)
    assert {entry.event for entry in settings.entries(json.loads(changed))} == set(later)
    for full in (once, changed):
        left = settings.without_ours(full)
        assert settings.meaning(json.loads(left)) == settings.meaning(document)
        assert not settings.entries(json.loads(left))
    if document and all((document.get("hooks") or {"": 1}).values()) and document.get("hooks") != {}:
        assert settings.without_ours(once) == text


def oddly_printed(value, blank):
    """JSON as only a person would write it: blanks anywhere, of any kind."""
    if isinstance(value, dict):
        inside = [
            f"{blank()}{json.dumps(key)}{blank()}:{blank()}{oddly_printed(v, blank)}{blank()}"
            for key, v in value.items()
        ]
        return "{" + (",".join(inside) or blank()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(f"{blank()}{oddly_printed(item, blank)}{blank()}" for item in value) or blank()) + "]"
    return json.dumps(value)


@given(DOCUMENTS, WANTED, st.randoms())
def test_any_layout_will_do(document, wanted, random):
    """However a file is laid out, what was there stays to the byte, in its order."""
    text = oddly_printed(document, lambda: random.choice(["", " ", "\n", "\t", "\r\n  ", " \n\n "])) + "\n"
    once = settings.with_ours(text, wanted)
    assert settings.with_ours(once, wanted) == once
    assert settings.meaning(json.loads(once)) == settings.meaning(document)
    assert settings.meaning(json.loads(settings.without_ours(once))) == settings.meaning(document)
    rest = iter(once)
    assert all(char in rest for char in text if not char.isspace())  # nothing of it is gone, nothing has moved


def test_numbers_keep_their_spelling():
    """1.0, 1e5 and integers beyond any machine's stay as they were typed."""
    text = '{"a": 1.0, "b": 1e5, "c": 123456789012345678901234567890, "d": -0}'
    assert settings.with_ours(text, {"Stop": group("x")}).startswith(text[:-1])


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_the_files_own_indentation_is_used(indent):
    """Two blanks, four, or tabs."""
    text = json.dumps({"a": {"b": 1}, "hooks": {"Stop": [group("theirs")]}}, indent=indent) + "\n"
    wanted = {"Stop": group("theirs"), "Setup": group("ours")}
    document = {"a": {"b": 1}, "hooks": {"Stop": [group("theirs")], "Setup": [group("ours")]}}
    assert settings.with_ours(text, wanted) == json.dumps(document, indent=indent) + "\n"


def test_an_entry_of_ours_that_somebody_moved_or_joined_is_still_ours():
    """The mark decides, not the place: a foreign hook put into our group stays, ours goes."""
    text = settings.with_ours("{}", {"Stop": group("ours")})
    document = json.loads(text)
    theirs = {"type": "command", "command": "theirs"}
    document["hooks"]["Stop"][0]["hooks"].append(theirs)
    left = settings.without_ours(json.dumps(document))
    assert json.loads(left) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


def test_a_hook_added_after_ours_does_not_make_us_move():
    """What is right is not touched."""
    document = {"hooks": {"Stop": [group("ours"), {"hooks": [{"type": "command", "command": "theirs"}]}]}}
    text = json.dumps(document)
    assert settings.with_ours(text, {"Stop": group("ours")}) == text


def test_text_that_names_us_is_not_ours():
    """Ownership is not guessed: a command with our name in it belongs to its author."""
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "hookwright hook"}]}]}})
    assert settings.without_ours(text) == text


@pytest.mark.parametrize(
    "text, place",
    [("[]", (1, 1)), ('{\n "hooks": []}', (2, 11)), ('{"hooks": {\n"Stop": {}}}', (2, 9)), ("3", (1, 1))],
)
def test_hooks_of_another_shape_are_refused_with_their_place(text, place):
    """Nothing is put where the client would not look."""
    with pytest.raises(NotJson) as told:
        settings.with_ours(text, {"Stop": group("x")})
    assert (told.value.line, told.value.column) == place
