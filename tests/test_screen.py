"""What a verb prints for a person: nothing in it can drive their terminal."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from hookwright.screen import Screen, bare, on_one_line

HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\x9b5n\x08\x7f\rgone"


def shown(text):
    stream = io.StringIO()
    Screen(stream).write(text)
    return stream.getvalue()


def test_no_sequence_reaches_the_terminal():
    """Titles, cursor movements, carriage returns, reports and colours are taken out, lines and tabs stay."""
    assert shown(HOSTILE) == "red5ngone"
    assert shown("a\tb\nc") == "a\tb\nc"
    assert shown("\x1b[8mhidden\x1b[30;40m") == "hidden"


def test_a_text_reads_as_it_runs():
    """Signs that turn the direction of writing are taken out, letters of any script stay."""
    assert shown("rm \u202eeman\u202c \u2066x\u2069 \u05d0\u200f") == "rm eman x \u05d0\u200f"


def test_a_name_keeps_to_its_line():
    """A file called "a<newline>approved" is shown on one line."""
    assert on_one_line("a\napproved\x1b[2J") == "a approved"


@given(st.text(st.sampled_from("\x1b[]m;0P\\\x07\x9bab\n"), max_size=30))
def test_no_piece_of_text_makes_a_sequence(text):
    """Nothing that is left begins a sequence."""
    assert not {"\x1b", "\x9b"} & set(shown(text))


def test_a_display_of_ours_gets_the_stream_itself():
    """A progress bar may move about, for it prints nothing that others wrote."""
    stream = io.StringIO()
    assert bare(Screen(stream)) is stream
    assert bare(stream) is stream


def test_a_verb_prints_no_sequence_of_others(project, run_cli):
    """A journal entry, a config's name and an error with sequences in them are shown without."""
    project.config(f"stop: {{commands: [{{run: 'true', message: {json.dumps(HOSTILE)}}}]}}\n")
    project.hook("Notification", message=HOSTILE)
    for words in (["journal", "show"], ["journal", "tail"], ["config"], ["fire", "Stop"], ["check", "\x1b[2Jno.yaml"]):
        answer = run_cli(*words, cwd=project.folder)
        assert "\x1b" not in answer.stdout + answer.stderr
