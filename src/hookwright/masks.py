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
MEMBERS_KEPT, ITEMS_KEPT = 40, 10
KEY_LIMIT = 100
# A part of every hint of the table, in lower case (tests/test_masks.py holds them together).
_SIGNS = (
    "-----begin sk- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- akia asia aiza xoxa- xoxb- xoxe- xoxo- "
    "xoxp- xoxr- xoxs- sk_live_ sk_test_ rk_live_ rk_test_ npm_ pypi- hf_ eyj bearer authorization :// "
    "hooks.slack.com curl pwd= putty-user-key-file password passwd passphrase secret token api_key apikey "
    "api-key access_key accesskey access-key account_key accountkey private_key privatekey private-key "
    "credential _pass"
)
SIGNS = _SIGNS.split(" ")
# A part of every sign, looked for first: they are half as many.
_PARTS = (
    "-----begin sk- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- akia asia aiza xox k_live_ k_test_ npm_ pypi- hf_ "
    "eyj bearer authorization :// hooks.slack.com curl pwd= key pass secret token credential"
)
PARTS = _PARTS.split(" ")


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
    for signs in (PARTS, SIGNS):
        for sign in signs:  # a generator would take as long as the search itself
            if sign in lower:
                break
        else:
            return False
    return True


def cut(text: str, limit: int, harmless: bool = False) -> str:
    """At most `limit` characters, masked unless it is known to be harmless; "…" stands for what was left out."""
    if len(text) <= limit:
        return text if harmless else masked(text)
    seen = text[: _looked_at(limit)]
    clean = seen if harmless else masked(seen)
    whole = len(seen) == len(text)
    kept = clean if whole else clean[:-MARGIN]
    return kept if whole and len(kept) <= limit else kept[: limit - 1] + "…"


def _looked_at(limit: int) -> int:
    """How much of a text is masked before it is cut: a mask may be shorter than what it hides."""
    return 4 * limit + MARGIN


def trimmed(value: "Any", limit: int, depth: int = 4, harmless: bool | None = None) -> "Any":
    """Any JSON value with its texts cut and masked, long lists shortened, and what has a secret's name hidden."""
    return _trimmed(value, limit, depth, is_harmless(value, limit, depth) if harmless is None else harmless)


def is_harmless(value: "Any", limit: int, depth: int) -> bool:
    """Whether no text that `trimmed` keeps can be a secret: all are looked through at once, for nearly always so."""
    texts: list[str] = []
    _collect(value, _looked_at(max(limit, KEY_LIMIT)), depth, texts)
    return not _shows_a_sign("\n".join(texts).lower())  # no sign has a line's end in it


def _collect(value: "Any", limit: int, depth: int, texts: list[str]) -> None:
    """All texts that may be kept of a value, keys too."""
    if isinstance(value, str):
        texts.append(value[:limit])
    elif depth and isinstance(value, dict):
        for key, member in list(value.items())[:MEMBERS_KEPT]:
            texts.append(str(key)[:limit])
            _collect(member, limit, depth - 1, texts)
    elif depth and isinstance(value, list | tuple):
        for member in value[:ITEMS_KEPT]:
            _collect(member, limit, depth - 1, texts)


def _trimmed(value: "Any", limit: int, depth: int, harmless: bool) -> "Any":
    if isinstance(value, str):
        return cut(value, limit, harmless)
    if isinstance(value, dict):
        members = list(value.items())[:MEMBERS_KEPT]
        return "…" if depth == 0 else dict(_member(str(key), member, limit, depth, harmless) for key, member in members)
    if isinstance(value, list | tuple):
        return "…" if depth == 0 else [_trimmed(member, limit, depth - 1, harmless) for member in value[:ITEMS_KEPT]]
    finite = isinstance(value, int) or (isinstance(value, float) and value - value == 0)
    return value if finite or value is None else str(value)[:limit]


def _member(key: str, value: "Any", limit: int, depth: int, harmless: bool) -> "tuple[str, Any]":
    named = False
    if not harmless and _shows_a_sign(lower := key.lower()):
        from hookwright.secret_kinds import has_a_secrets_name

        named = has_a_secrets_name(lower)
    hidden = named and value is not None and not isinstance(value, bool)
    return cut(key, KEY_LIMIT, harmless), MASK if hidden else _trimmed(value, limit, depth - 1, harmless)
