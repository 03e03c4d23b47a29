"""Secrets never reach a file or a report: one table of what they look like.

`re` costs most of a Python start, so it is imported only when one of a row's `hints` occurs in the text at all.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MASK = "***"
# A cut text is masked before this many of its last characters are dropped: no pattern needs more to recognise the
# beginning of a secret, so none can survive by having been cut.
MARGIN = 64

_NAMES = "password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential"
SECRET_NAMES = ("password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "access_key", "credential")


class Secret:
    """One kind of secret: hints of which one must occur (lower case), and the pattern; its groups are kept."""

    __slots__ = ("hints", "name", "pattern")

    def __init__(self, name: str, hints: str, pattern: str) -> None:
        self.name = name
        self.hints = hints.split()
        self.pattern = pattern


SECRETS = (
    Secret("private key", "-----begin", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*KEY-----|\Z)"),
    Secret("API key (sk-)", "sk-", r"\bsk-[A-Za-z0-9_-]{8,}"),
    Secret("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{10,}"),
    Secret("GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{8,}"),
    Secret("AWS key id", "akia asia", r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}"),
    Secret("Google key", "aiza", r"\bAIza[0-9A-Za-z_-]{20,}"),
    Secret("Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", r"\bxox[abeoprs]-[A-Za-z0-9-]{8,}"),
    Secret("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{8,}"),
    Secret("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{20,}"),
    Secret("PyPI token", "pypi-", r"\bpypi-[A-Za-z0-9_-]{16,}"),
    Secret("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{16,}"),
    Secret("JSON web token", "eyj", r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*"),
    Secret("bearer token", "bearer", r"(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}"),
    Secret(
        "basic authorization", "authorization", r"(?i)(\bauthorization[\"']?\s*[:=]\s*[\"']?basic\s+)[A-Za-z0-9+/=]+"
    ),
    Secret("password in a URL", "://", r"(://[^\s/:@]*:)[^\s/@]+(?=@)"),
    Secret(
        "named secret",
        " ".join(SECRET_NAMES) + " access-key accesskey private_key private-key privatekey",
        rf"(?i)((?:{_NAMES})[\w.-]*\\?[\"']?(?:\s*[:=]\s*|\s+(?=\S))\\?[\"']?)(?<=[:=\"'\s])[^\s\"',;&\\]{{4,}}",
    ),
)


def masked(text: str) -> str:
    """The text without its secrets."""
    lower = text.lower()
    found = [secret for secret in SECRETS if any(hint in lower for hint in secret.hints)]
    if not found:
        return text
    import re

    for secret in found:
        text = re.sub(secret.pattern, lambda match: "".join(match.groups("")) + MASK, text)
    return text


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, masked; "…" stands for what was left out."""
    if len(text) <= limit:
        return masked(text)
    seen = text[: 4 * limit + MARGIN]
    clean = masked(seen)
    kept = clean if len(seen) == len(text) else clean[:-MARGIN]
    return kept if len(kept) <= limit and len(seen) == len(text) else kept[: limit - 1] + "…"


def trimmed(value: "Any", limit: int, depth: int = 4) -> "Any":
    """Any JSON value with its texts cut and masked, long lists shortened, and the values of secret names hidden."""
    if isinstance(value, str):
        return cut(value, limit)
    if isinstance(value, dict):
        if depth == 0:
            return "…"
        items = list(value.items())[:30]
        return {str(key)[:100]: _member(str(key), member, limit, depth - 1) for key, member in items}
    if isinstance(value, list | tuple):
        return "…" if depth == 0 else [trimmed(member, limit, depth - 1) for member in value[:10]]
    return value if isinstance(value, int | float) or value is None else str(value)[:limit]


def _member(key: str, value: "Any", limit: int, depth: int) -> "Any":
    if isinstance(value, str) and any(name in key.lower() for name in SECRET_NAMES):
        return MASK
    return trimmed(value, limit, depth)
