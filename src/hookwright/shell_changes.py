"""Which of some files a shell command names and does not merely look at."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from hookwright.shell_words import MOST, Simple, TooMuch, pipelines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Commands that only look -> options with which they write, or run something, all the same.
READERS = {
    **dict.fromkeys(("[", "[[", "basename", "bat", "cat", "cmp", "cut", "diff", "dirname", "du", "echo", "egrep"), ""),
    **dict.fromkeys(("fgrep", "grep", "head", "jq", "ls", "md5sum", "more", "nl", "printf", "pwd", "readlink"), ""),
    **dict.fromkeys(("realpath", "sha256sum", "stat", "tail", "test", "true", "wc"), ""),
    "file": "-[a-zA-Z]*C|--c",
    "find": "-(delete|exec|ok|fprint|fls)",
    "less": "-[a-zA-Z]*[oO]|--l",
    "rg": "--pre",
    "sed": "-[nErszul]*i|--i",
    "tree": "-o",
    "yq": "-[a-zA-Z]*i|--in|--split|-s",
}
# Commands that do something to all that is in a folder -> the options without which they do not.
_TAKE_AWAY = dict.fromkeys(["ln", "mv", "rm", "rmdir", "rsync", "shred", "tar", "trash", "unlink", "unzip"], "") | {
    "cp": "-[a-zA-Z]*[rRa]|--recursive|--archive",
    "find": READERS["find"],
}
GIT_READS = frozenset(("add", "blame", "commit", "diff", "log", "ls-files", "show", "status"))
_GIT_WRITES = re.compile(r"--ou|--ext-diff|--textconv|-c\b|--exec-path|--config-env")
# What does with its input as it says there.
_SHELLS = frozenset(
    (
        *(".", "ash", "bash", "dash", "eval", "ksh", "mapfile", "parallel", "read"),
        *("readarray", "sh", "source", "until", "while", "zsh"),
    )
)
_INTERPRETERS = re.compile(r"(python|perl|ruby|node|php)[\d.]*$")
_BEFORE_A_COMMAND = frozenset(("!", "{", "do", "elif", "else", "if", "then", "time"))
_LAST_WORD = re.compile(r"\$_(?!\w)|\$\{_\}")  # of the command before
_VARIABLE = re.compile(r"\$(?:\{[^}]*\}|\w+|[@*])")
_BETWEEN_NAMES = re.compile(r"""[\s='"`:,;(){}<>|&]+""")


def changed_by(command: str, names: tuple[str, ...], folders: tuple[str, ...] = ()) -> str:
    """The first word that names one of the files (or what lies in a folder of that name) in a command that may write.

    A name with a slash is met by its last parts: `.claude/settings.json`. A folder is met only by its own name, for
    other things lie in it too. Raises TooMuch.
    """
    remembers = _LAST_WORD.search(command) is not None
    look = _Look(names, folders)
    for pipeline in pipelines(command):
        runs_what_it_reads = remembers or any(map(_runs_its_input, pipeline))
        for simple in pipeline:
            texts = [(text, look.paths(text)) for text in simple.texts()]
            named = [text for text, paths in texts if any(map(look.names, paths))]
            if named and (runs_what_it_reads or not _only_looks(simple, named)):
                return named[0]
            whole = [text for text, paths in texts if any(map(look.is_folder, paths))]
            if whole and (runs_what_it_reads or _takes_away(simple)):
                return whole[0]
    return ""


class _Look:
    """Finds paths to some files in the words of a command."""

    def __init__(self, names: tuple[str, ...], folders: tuple[str, ...]) -> None:
        self._names = [name.lower().split("/") for name in names]
        self._folders = [name.lower().split("/") for name in folders]
        parts = {part for name in (*self._names, *self._folders) for part in name}
        literally = "|".join(map(re.escape, sorted(parts)))
        # What else may name one: a pattern that is hidden, or in a folder, or has our name.
        self._may_name = re.compile(rf"{literally}|(?=.*[*?\[])(?:\.|.*/|.*hookwright|.*conclaude)").search
        self._left = MOST

    def paths(self, word: str) -> list[list[str]]:
        """The parts of the paths that a word is, or contains as a script would, as far as they may be ours."""
        pieces = _BETWEEN_NAMES.split(_VARIABLE.sub("*", word).lower())
        found = [piece for piece in dict.fromkeys(pieces) if self._may_name(piece)]
        self._left -= len(found)
        if self._left < 0:
            raise TooMuch
        return [[part for part in piece.split("/") if part not in ("", ".")] for piece in found]

    def names(self, parts: list[str]) -> bool:
        """Whether a path leads to a file, or into a folder of its name."""
        for wanted in self._names:
            for at in range(len(parts) - len(wanted) + 1):
                if all(_fits(part, want, len(wanted) > 1) for part, want in zip(parts[at:], wanted, strict=False)):
                    return True
        return False

    def is_folder(self, parts: list[str]) -> bool:
        """Whether a path leads to a folder itself, or to all that is in it."""
        last = parts[:-1] if parts[-1:] == ["*"] else parts
        return any(last[-len(wanted) :] == wanted for wanted in self._folders)


def runs(command: str, program: str, verbs: Iterable[str]) -> bool:
    """Whether a command line runs one of these verbs of a program, or has another program take it away."""
    for simple in (simple for pipeline in pipelines(command) for simple in pipeline):
        words = [word.rpartition("/")[2] for word in simple.words]
        if _first(simple) in READERS or not any(word.partition("@")[0] == program for word in words):
            continue
        at = next(at for at, word in enumerate(words) if word.partition("@")[0] == program)
        if set(verbs) & set(words[at + 1 :]) or {"disable", "remove", "uninstall"} & set(words[:at]):
            return True
    return False


def _fits(part: str, name: str, in_a_folder: bool) -> bool:
    """`.hook*` names `.hookwright`; a mere `*` does not, for the shell leaves hidden files out of it."""
    if part == name:
        return True
    if not any(sign in part for sign in "*?[") or not fnmatchcase(name, part):
        return False
    if name[0] == ".":
        return part[0] == "." or "hookwright" in part or "conclaude" in part
    return in_a_folder


def _first(simple: Simple) -> str:
    """The name of the program that is run."""
    for word in simple.words:
        if word not in _BEFORE_A_COMMAND and "=" not in word:
            return word.rpartition("/")[2]
    return ""


def _runs_its_input(simple: Simple) -> bool:
    first = _first(simple)
    rest = [word for word in simple.words[1:] if not word.startswith("-") and word not in ("{}", first)]
    if first == "xargs":
        program = next((word for word in rest if not word.isdigit()), "echo").rpartition("/")[2]
        return program not in READERS
    if _INTERPRETERS.match(first):
        return not rest or "-" in simple.words
    return first in _SHELLS


def _takes_away(simple: Simple) -> bool:
    first = _first(simple)
    if first == "git":
        return not _only_looks(simple, []) and not {"fetch", "pull", "push"} & set(simple.words)
    options = [word for word in simple.words if word.startswith("-")]
    needed = _TAKE_AWAY.get(first)
    return needed is not None and (not needed or any(re.match(needed, option) for option in options))


def _only_looks(simple: Simple, named: list[str]) -> bool:
    if any("`" in word or ("$(" in word and word != "$(") for word in simple.words):
        return False  # what runs inside a quoted word cannot be seen
    if set(simple.targets) & set(named):
        return False
    first = _first(simple)
    options = [word for word in simple.words if word.startswith("-")]
    if first == "git":
        rest = _without_git_options(simple.words)
        return bool(GIT_READS & set(rest[:1])) and not any(map(_GIT_WRITES.match, options))
    if first == "sed" and any(" " in word for word in named):
        return False  # in its script: it can write too
    if first not in READERS:
        return False
    return not READERS[first] or not any(re.match(READERS[first], option) for option in options)


def _without_git_options(words: list[str]) -> list[str]:
    rest = iter(words)
    kept = []
    for word in rest:
        if word == "-C":
            next(rest, "")
        elif not word.startswith("-") and "=" not in word:
            kept.append(word)
    return kept[1:]
