"""The kinds of secrets: one table of what they look like. Read when a text shows one of the signs in `masks`."""

# Names whose value is a secret: one list for the patterns, their hints and the fields of a payload.
SECRET_NAMES = (
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "access-key",
    "account_key",
    "accountkey",
    "private_key",
    "privatekey",
    "private-key",
    "credential",
)
_NAME = rf"(?:{'|'.join(SECRET_NAMES)})[\w.-]*|_pass"
_HINTS = " ".join(SECRET_NAMES) + " _pass"


class Secret:
    """One kind of secret: hints (lower case; one must occur, with `&` all of its parts), and the pattern.

    The pattern's first group is kept, everything else of the match is masked.
    """

    def __init__(self, name: str, hints: str, pattern: str) -> None:
        self.name = name
        self.hints = hints.split()
        self.pattern = pattern

    def may_be_in(self, lower: str) -> bool:
        """Whether it is worth looking."""
        return any(all(part in lower for part in hint.split("&")) for hint in self.hints)


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
        "authorization",
        "authorization",
        r"(?i)(authorization\\?[\"']?\s*[:=]\s*\\?[\"']?(?!\w+ +\*)(?:\w+ +)?)[^\s\"',;]{4,}",
    ),
    # Up to the last "@", but not beyond where another begins: else a text of many beginnings takes its square in time.
    Secret("password in a URL", "://&@", r"(://[^\s/:@]*:)(?:(?!://[^\s/:@]*:)\S)+(?=@)"),
    Secret("token in a URL", "://&@", r"(://)[^\s/:@]{16,}(?=@)"),
    Secret("webhook", "hooks.slack.com", r"(hooks\.slack\.com/\w+/)\S+"),
    Secret("password of curl", "curl&-u", r"(\s-u\s*[^\s:]+:)\S+"),
    Secret("password of a connection", "pwd=", r"(?i)(\bpwd=)[^\s;\"']+"),
    Secret("PuTTY key", "putty-user-key-file", r"PuTTY-User-Key-File[\s\S]*"),
    Secret(
        "named secret in quotes",
        _HINTS,
        # A parser's "Unexpected token '*'" is no secret: without it nobody can mend the code.
        rf"(?i)((?:{_NAME})\\?[\"']?(?:\s*[:=]\s*|(?<!expected token)\s+)\\?([\"']))(?:(?!\2)[^\\])+",
    ),
    Secret("named secret in a block", _HINTS, rf"(?i)((?:{_NAME}):\s*[|>][-+]?[ \t]*\n)[^\n]+"),
    Secret(
        "named secret",
        _HINTS,
        rf"(?i)((?:{_NAME})\\?[\"']?\s*[:=]\s*|--?[\w.-]*(?:{_NAME})\s+)(?!\\?[\"'*|>])[^\s\"',;&|\\]{{4,}}",
    ),
)


def has_a_secrets_name(key: str) -> bool:
    """Whether a field's value is a secret, by the field's name in lower case."""
    return key.endswith(("_pass", "authorization")) or any(name in key for name in SECRET_NAMES)
