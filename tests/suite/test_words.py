"""Words: what a prompt asks of a run."""

from hypothesis import given
from hypothesis import strategies as st

from hookwright.suite import words

BLANKS = st.text(" \t\n\r", max_size=5)
SPELLED = st.sampled_from(sorted(words.ALONE))


@given(SPELLED, BLANKS, BLANKS, st.randoms())
def test_case_and_blanks_do_not_count(word, before, after, random):
    """NEXT, " n " and "Next" are the same word."""
    typed = "".join(random.choice((char.lower(), char.upper())) for char in word)
    assert words.read(before + typed + after) == (words.ALONE[word], "")


@given(st.sampled_from(["validate", "V", "/run-tests", "/HOOKWRIGHT:run-tests"]), st.text(min_size=1))
def test_a_text_after_the_word_is_only_text(word, text):
    """Quotes, newlines and $(...) reach the run as they were typed."""
    name, rest = words.read(f"{word} {text}")
    assert name == words.WITH_TEXT[word.lower()]
    assert rest == text.strip()


@given(st.text())
def test_any_other_prompt_is_nobodys_business(prompt):
    """Only a whole word counts, or a word with its text."""
    first = prompt.split()[:1]
    if prompt.strip().lower() not in words.ALONE and (not first or first[0].lower() not in words.WITH_TEXT):
        assert words.read(prompt) == ("", "")


def test_sentences_with_a_word_in_them_are_no_words():
    """A person who talks about the next step is not taken at a word."""
    for prompt in ("next step?", "what is the status", "skip this file", "validated", "nn", "/run-testsx", "reports"):
        assert words.read(prompt) == ("", "")
