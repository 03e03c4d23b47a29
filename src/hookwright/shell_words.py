"""Which of some files a shell command names and does not merely look at, told by its words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import pairwise

# Words that begin a command which only looks.
READERS = frozenset(
    (
        "[",
        "cat",
        "diff",
        "echo",
        "file",
        "grep",
        "head",
        "jq",
        "less",
        "ls",
        "more",
        "nl",
        "rg",
        "stat",
        "tail",
        "test",
        "wc",
        "yq",
    )
)
GIT_READS = frozenset(("add", "blame", "commit", "diff", "log", "ls-files", "show", "status"))


def changed_by(command: str, names: tuple[str, ...]) -> str:
    """The first word that names one of the files (or what lies in a folder of that name) in a command that may write.

    A name with a slash is met by its last parts: `.claude/settings.json`.
    """
    for words in _commands(command):
        named = [word for word in words if any(_names(word, name) for name in names)]
        if named and not _only_looks(words, named):
            return named[0]
    return ""


def _commands(line: str) -> Iterator[list[str]]:
    """The words of each simple command; a line that cannot be split is one command of its words."""
    lexer = shlex.shlex(line.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set(";&|()") or "<(" in word:
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:  # an open quote
        yield line.split()
        return
    yield words


def _names(word: str, name: str) -> bool:
    """Whether a word is, or contains as a script would, a path to this file or into this folder."""
    wanted = name.split("/")
    for piece in word.replace("=", " ").replace('"', " ").replace("'", " ").replace(":", " ").split():
        parts = [part for part in piece.split("/") if part not in ("", ".")]
        for at in range(len(parts) - len(wanted) + 1):
            if all(part == want or _by_pattern(part, want) for part, want in zip(parts[at:], wanted, strict=False)):
                return True
    return False


def _by_pattern(part: str, name: str) -> bool:
    """`.hook*` names `.hookwright`; a mere `*` does not, for the shell leaves hidden files out of it."""
    return any(sign in part for sign in "*?[") and part[0] == "." and fnmatchcase(name, part)


def _only_looks(words: list[str], named: list[str]) -> bool:
    if any("$(" in word or "`" in word for word in words):
        return False  # what runs inside cannot be seen
    targets = {after for word, after in pairwise(words) if ">" in word and set(word) <= set("<>&|")}
    if targets & set(named):
        return False
    command = [word for word in words if "=" not in word]
    first = command[0].rpartition("/")[2] if command else ""
    rest = [word for word in command[1:] if not word.startswith("-")]
    if first == "git":
        return bool(GIT_READS & set(rest[:1]))
    if first == "sed":
        return not any(word.startswith(("-i", "--in-place")) for word in words)
    return first in READERS
