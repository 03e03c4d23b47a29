"""A shell's command line as its simple commands, told by its words; nothing is expanded but braces.

`shlex` is no shell: to it a "#" in a word begins a comment and an apostrophe in a here-document opens a quote, so that
what follows is not seen; and a long word takes a time that grows with its square.
"""

from __future__ import annotations

import re

from hookwright.globs import BadGlob, expanded

DEEPEST = 50  # brackets within brackets that are told apart
MOST = 2_000  # commands in one line; nobody types more, and to look at them takes time


class TooMuch(Exception):
    """A line that takes too long to look at."""


_PIECE = re.compile(
    r"""(?P<joined>\\\n)
    | (?P<blank>[ \t\r]+)
    | (?P<newline>\n)
    | (?P<here><<-?(?!<))
    | (?P<inside>[$<>]\()
    | (?P<output>&>>?|>[>|&]?|<>)
    | (?P<input><<<|<&?)
    | (?P<pipe>\|&?(?!\|))
    | (?P<between>;|&&?|\|\||[()])
    | '(?P<single>[^']*)'
    | \$'(?P<ansi>(?:[^'\\]|\\.)*)'
    | \$?"(?P<double>(?:[^"\\]|\\.)*)"
    | \\(?P<escaped>.)
    | (?P<bare>[^\s'"\\;&|()<>$]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_REST_OF_LINE = re.compile(r"[^\n]*\n?")
_ESCAPED_IN_QUOTES = re.compile(r"\\(?:\n|([\\\"$`]))")


class Simple:
    """One simple command: its words, the files it writes to, and the commands it has inside."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.targets: list[str] = []
        self.inside: list[str] = []  # the words of what it takes words from, `$(...)`, or writes to, `>(...)`

    def texts(self) -> list[str]:
        """Its words, and those of what runs inside it."""
        return [*self.words, *self.targets, *self.inside]


def pipelines(line: str) -> list[list[Simple]]:
    """The simple commands of a line in the order of their ends, those that are piped together. Raises TooMuch."""
    return _Reader(line).found


class _Reader:
    def __init__(self, line: str) -> None:
        self.line, self.at = line, 0
        self.found: list[list[Simple]] = []
        self.pipeline: list[Simple] = []
        self.command = Simple()
        self.word: list[str] = []
        self.begun = False  # a word, which may be empty
        self.may_expand = False
        self.goes_to = ""  # what the next word is to the command: "here", "output", "input", or a word of it
        self.around: list[tuple[list[Simple], Simple, int] | None] = []  # what brackets stand in; None: in no command
        self.here: list[tuple[str, Simple]] = []  # here-documents whose text begins with the next line
        while self.at < len(line):
            self._step()
        self._end_pipeline()
        while self.around:
            self._leave()

    def _step(self) -> None:
        if not self.begun and self.line[self.at] == "#":
            end = self.line.find("\n", self.at)
            self.at = end if end >= 0 else len(self.line)
            return
        piece = _PIECE.match(self.line, self.at)
        assert piece is not None  # its last branch takes any character
        self.at = piece.end()
        kind = piece.lastgroup or ""
        text = piece[kind]
        if kind in ("single", "escaped"):
            self._add(text)
        elif kind == "double":
            self._add(_ESCAPED_IN_QUOTES.sub(lambda match: match[1] or "", text))
        elif kind == "ansi":
            self._add(_decoded(text))
        elif kind == "bare":
            self.may_expand = self.may_expand or "{" in text
            self._add(text)
        elif kind == "inside":
            if text == "$(":
                self._add(text)
            self._end_word()
            self._enter((self.pipeline, self.command, len(self.found)))
        elif kind != "joined":
            self._end_word()
            self._sign(kind, text)

    def _sign(self, kind: str, text: str) -> None:
        if kind in ("here", "output", "input"):
            self.goes_to = kind
        elif kind == "pipe":
            self._end_command()
        elif kind == "newline":
            self._end_pipeline()
            self._take_here_documents()
        elif kind == "between":
            self._end_pipeline()
            if text == "(":
                self._enter(None)
            elif text == ")" and self.around:
                self._leave()

    def _add(self, text: str) -> None:
        self.word.append(text)
        self.begun = True

    def _end_word(self) -> None:
        if not self.begun:
            return
        text = "".join(self.word)
        for word in _expanded(text) if self.may_expand else [text]:
            if self.goes_to == "here":
                self.here.append((word, self.command))
            else:
                (self.command.targets if self.goes_to == "output" else self.command.words).append(word)
        self.word, self.begun, self.may_expand, self.goes_to = [], False, False, ""

    def _end_command(self) -> None:
        self._end_word()
        self.goes_to = ""
        self.pipeline.append(self.command)
        self.command = Simple()

    def _end_pipeline(self) -> None:
        self._end_command()
        if len(self.found) >= MOST:
            raise TooMuch
        self.found.append(self.pipeline)
        self.pipeline = []

    def _enter(self, place: tuple[list[Simple], Simple, int] | None) -> None:
        if len(self.around) >= DEEPEST:
            self._end_pipeline()
            return
        self.around.append(place)
        self.pipeline, self.command, self.goes_to = [], Simple(), ""

    def _leave(self) -> None:
        """Back to the command that has the last commands inside it."""
        place = self.around.pop()
        if place is not None:
            self.pipeline, self.command, begin = place
            for pipeline in self.found[begin:]:
                for inner in pipeline:
                    self.command.inside += [*inner.words, *inner.targets]

    def _take_here_documents(self) -> None:
        """A text that a command is fed is a word of it, whatever is in it."""
        for end, command in self.here:
            text: list[str] = []
            while self.at < len(self.line):
                line = _REST_OF_LINE.match(self.line, self.at)
                assert line is not None
                self.at = line.end()
                if line[0].rstrip("\n").lstrip("\t") == end:
                    break
                text.append(line[0])
            command.words.append("".join(text))
        self.here = []


def _expanded(word: str) -> list[str]:
    """`{a,b}c` as `ac` and `bc`; the word itself where it is none of that kind."""
    try:
        return expanded(word)
    except BadGlob:
        return [word]


def _decoded(text: str) -> str:
    """What stands in $'...'."""
    try:
        return text.encode("latin-1", "backslashreplace").decode("unicode_escape")
    except UnicodeDecodeError:
        return text
