"""Secrets never reach a file or a report.

What they look like is in `secret_kinds`, which is read only where one of these signs occurs in a text at all: `re`
costs most of a Python start, and the table a part of every event.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MASK = "***"
# A cut text is masked before this many of its last characters are dropped: no pattern needs more to recognise the
# beginning of a secret, so none can survive by having been cut.
MARGIN = 64
MEMBERS_KEPT = 40
# A part of every hint of the table, in lower case (tests/test_masks.py holds them together).
_SIGNS = (
    "-----begin sk- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- akia asia aiza xoxa- xoxb- xoxe- xoxo- "
    "xoxp- xoxr- xoxs- sk_live_ sk_test_ rk_live_ rk_test_ npm_ pypi- hf_ eyj bearer authorization :// "
    "hooks.slack.com curl pwd= putty-user-key-file password passwd passphrase secret token api_key apikey "
    "api-key access_key accesskey access-key account_key accountkey private_key privatekey private-key "
    "credential _pass"
)
SIGNS = _SIGNS.split(" ")


def masked(text: str) -> str:
    """The text without its secrets."""
    lower = text.lower()
    if not _shows_a_sign(lower):
        return text
    from hookwright.secret_kinds import SECRETS

    found = [secret for secret in SECRETS if secret.may_be_in(lower)]
    if not found:
        return text
    import re

    for secret in found:
        text = re.sub(secret.pattern, lambda match: (match[1] if match.re.groups else "") + MASK, text)
    return text


def _shows_a_sign(lower: str) -> bool:
    for sign in SIGNS:  # noqa: SIM110 - a generator takes as long as the search itself
        if sign in lower:
            return True
    return False


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, masked; "…" stands for what was left out."""
    if len(text) <= limit:
        return masked(text)
    seen = text[: 4 * limit + MARGIN]
    clean = masked(seen)
    whole = len(seen) == len(text)
    kept = clean if whole else clean[:-MARGIN]
    return kept if whole and len(kept) <= limit else kept[: limit - 1] + "…"


def trimmed(value: "Any", limit: int, depth: int = 4) -> "Any":
    """Any JSON value with its texts cut and masked, long lists shortened, and what has a secret's name hidden."""
    if isinstance(value, str):
        return cut(value, limit)
    if isinstance(value, dict):
        members = list(value.items())[:MEMBERS_KEPT]
        return "…" if depth == 0 else dict(_member(str(key), member, limit, depth) for key, member in members)
    if isinstance(value, list | tuple):
        return "…" if depth == 0 else [trimmed(member, limit, depth - 1) for member in value[:10]]
    finite = isinstance(value, int) or (isinstance(value, float) and value - value == 0)
    return value if finite or value is None else str(value)[:limit]


def _member(key: str, value: "Any", limit: int, depth: int) -> "tuple[str, Any]":
    lower = key.lower()
    named = False
    if _shows_a_sign(lower):
        from hookwright.secret_kinds import has_a_secrets_name

        named = has_a_secrets_name(lower)
    hidden = named and value is not None and not isinstance(value, bool)
    return cut(key, 100), MASK if hidden else trimmed(value, limit, depth - 1)
