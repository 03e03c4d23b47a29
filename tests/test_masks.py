"""Secrets do not survive; everything else does."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hookwright.masks import MASK, PARTS, SIGNS, cut, masked, trimmed
from hookwright.secret_kinds import SECRET_NAMES, SECRETS, has_a_secrets_name

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----"
EXAMPLES = [
    ("private key", f"x {KEY} y", f"x {MASK} y"),
    ("private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc", MASK),
    ("API key (sk-)", "use sk-ant-api03-abc_DEF-123 now", f"use {MASK} now"),
    ("GitHub token", "ghp_abcdefghij0123456789", MASK),
    ("GitHub token", "github_pat_11ABCDEFG0_abc", MASK),
    ("GitLab token", "glpat-abcdefgh1234", MASK),
    ("AWS key id", "AKIAIOSFODNN7EXAMPLE", MASK),
    ("Google key", "AIzaSyA-1234567890abcdefghijklmnopq", MASK),
    ("Slack token", "xoxb-123456789012-abc", MASK),
    ("Stripe key", "sk_live_abcdefgh1234", MASK),
    ("npm token", "npm_abcdefghijklmnopqrstuvwxyz0123456789", MASK),
    ("PyPI token", "pypi-AgEIcHlwaS5vcmcabcdef", MASK),
    ("Hugging Face token", "hf_abcdefghijklmnopqrst", MASK),
    ("JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", MASK),
    ("bearer token", "Authorization: Bearer abcdef123456", f"Authorization: Bearer {MASK}"),
    ("authorization", "Authorization: Basic dXNlcjpwYXNz", f"Authorization: Basic {MASK}"),
    ("authorization", "Authorization: abcdef", f"Authorization: {MASK}"),
    ("password in a URL", "postgres://user:hunter2@db/x", f"postgres://user:{MASK}@db/x"),
    ("password in a URL", "postgres://user:pa/s@s@db/x", f"postgres://user:{MASK}@db/x"),
    ("token in a URL", "https://abcdefghij0123456789@github.com/x", f"https://{MASK}@github.com/x"),
    ("webhook", "https://hooks.slack.com/services/T0/B0/xyz", f"https://hooks.slack.com/services/{MASK}"),
    ("password of curl", "curl -u user:hunter2 x", f"curl -u user:{MASK} x"),
    ("password of a connection", "Server=x;Pwd=hunter2;", f"Server=x;Pwd={MASK};"),
    ("PuTTY key", "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAAA", MASK),
    ("named secret in quotes", 'PASSWORD="abcd rest"', f'PASSWORD="{MASK}"'),
    ("named secret in quotes", "the token 'abcd1234'", f"the token '{MASK}'"),
    ("named secret in a block", "password: |\n  hunter2\nnext", f"password: |\n{MASK}\nnext"),
    ("named secret", "DB_PASS=hunter2", f"DB_PASS={MASK}"),
    ("named secret", "export API_KEY=abcd1234", f"export API_KEY={MASK}"),
    ("named secret in quotes", '{"password": "hunter2"}', f'{{"password": "{MASK}"}}'),
    ("named secret in quotes", '{\\"client_secret\\": \\"hunter2\\"}', f'{{\\"client_secret\\": \\"{MASK}\\"}}'),
    ("named secret", "curl --password hunter2 x", f"curl --password {MASK} x"),
    ("named secret", "aws_secret_access_key = wJalrXUtnFEMI", f"aws_secret_access_key = {MASK}"),
]


@pytest.mark.parametrize(("name", "text", "expected"), EXAMPLES)
def test_a_secret_is_masked_and_its_surroundings_stay(name, text, expected):
    """Every kind in the table, by an example."""
    assert masked(text) == expected


def test_every_kind_has_an_example_and_a_hint_that_it_needs():
    """A pattern can only match where one of its hints occurs; without that it would never be tried."""
    assert {secret.name for secret in SECRETS} == {name for name, _, _ in EXAMPLES}
    for name, text, _ in EXAMPLES:
        secret = next(secret for secret in SECRETS if secret.name == name)
        assert secret.may_be_in(text.lower())


def test_every_hint_and_every_name_shows_a_sign():
    """The table is read only where a sign occurs: what has none would never be found."""
    parts = [hint.split("&") for secret in SECRETS for hint in secret.hints]
    assert all(any(sign in part for sign in SIGNS for part in hint) for hint in parts)
    assert all(any(sign in name for sign in SIGNS) for name in (*SECRET_NAMES, "_pass", "authorization"))
    assert all(any(part in sign for part in PARTS) for sign in SIGNS)
    assert all(has_a_secrets_name(name) for name in SECRET_NAMES)


@given(st.text(alphabet=st.sampled_from("abkeysptr-_:= \"'./@0123456789AKIAB"), max_size=200))
@example("sk-" + "a" * 20)
def test_a_hint_is_never_missed(text):
    """If a pattern finds something, its hints were there: the short cut loses nothing."""
    for secret in SECRETS:
        if re.search(secret.pattern, text):
            assert secret.may_be_in(text.lower())


@pytest.mark.parametrize(
    "text",
    [
        "git commit -m 'fix'",
        "tokenize(x)",
        "a task-force",
        "https://example.com/a:b",
        "secret",
        "SyntaxError: Unexpected token '*'",
        "syntax error, unexpected token \"}\", expected token 'end'",
    ],
)
def test_plain_text_stays(text):
    """What only looks a little like a secret is not touched."""
    assert masked(text) == text


@given(st.text(), st.integers(2, 50))
def test_a_text_is_cut_to_its_limit_on_a_character_border(text, limit):
    """Never longer than the limit, and always text that can be written."""
    short = cut(text, limit)
    assert len(short) <= max(limit, len(masked(text))) if len(text) <= limit else len(short) <= limit
    if masked(text) == text:
        assert short == (text if len(text) <= limit else text[: limit - 1] + "…")


@given(st.integers(0, 600), st.integers(20, 100))
def test_a_secret_at_the_cut_does_not_survive_in_part(padding, limit):
    """Wherever the cut falls, no piece of the key is left that could be told from noise."""
    key = "sk-ant-" + "Z" * 40
    short = cut("a " * (padding // 2) + key + " b" * 400, limit)
    assert "ZZZ" not in short


def test_values_of_secret_names_are_hidden_and_structures_shortened():
    """Names tell a secret that its value does not; deep and long structures are cut short."""
    value = {
        "api_key": "x",
        "token": ["x"],
        "Authorization": 5,
        "n": 1,
        "inf": float("inf"),
        "sk-ant-abcdefgh": 2,
        "deep": {"a": {"b": {"c": {"d": 1}}}},
        "long": list(range(50)),
        "o": object,
    }
    short = trimmed(value, 20)
    assert (short["api_key"], short["token"], short["Authorization"]) == (MASK, MASK, MASK)
    assert short["inf"] == "inf" and MASK in short
    assert short["n"] == 1
    assert short["deep"]["a"]["b"]["c"] == "…"
    assert len(short["long"]) == 10
    assert isinstance(short["o"], str)


def test_a_text_of_many_beginnings_is_looked_through_once():
    """A hostile output of half a megabyte is masked all the same; a search anew from each beginning takes minutes."""
    beginnings = "://:" * 120_000
    assert masked(f"{beginnings} x@y postgres://user:hunter2@db") == f"{beginnings} x@y postgres://user:{MASK}@db"
    assert masked("postgres://user:a://b@db") == f"postgres://user:{MASK}@db"
