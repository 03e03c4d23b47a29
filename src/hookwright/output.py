"""What a child process printed: its beginning is kept, the rest counted, and a person sees only plain text of it."""

KEEP_BYTES = 2 << 20
_PARAMETERS = "0123456789:;<=>?"
_INTERMEDIATES = " !\"#$%&'()*+,-./"
# Also those that turn the direction of writing: with them a command reads otherwise than it runs.
_CONTROL = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])


class Captured:
    """One stream: its beginning as it came, the rest only counted."""

    def __init__(self, keep_bytes: int = KEEP_BYTES) -> None:
        self.keep_bytes = keep_bytes
        self.kept = bytearray()
        self.bytes = 0
        self._newlines = 0
        self._ends_open = False

    def take(self, piece: bytes) -> None:
        """Count a piece, keep what there is room for."""
        self.kept += piece[: self.keep_bytes - len(self.kept)]
        self.bytes += len(piece)
        self._newlines += piece.count(b"\n")
        if piece:
            self._ends_open = not piece.endswith(b"\n")

    @property
    def lines(self) -> int:
        """All lines that came, kept or not."""
        return self._newlines + self._ends_open

    @property
    def whole(self) -> bool:
        """Whether nothing had to be left out."""
        return self.bytes == len(self.kept)

    def text(self) -> str:
        """What was kept, with a mark for each byte that is no text."""
        return self.kept.decode("utf-8", "replace")

    def first_lines(self, limit: int | None = None) -> str:
        """At most `limit` lines for a person to read, and how many are missing."""
        text = self._whole_lines()
        if limit is not None:
            text = _head(text, limit)
        omitted = self.lines - text.count("\n") - (text != "" and not text.endswith("\n"))
        shown = [plain(text.removesuffix("\n"))] if text else []
        return "\n".join([*shown, f"... ({omitted} lines omitted)"] if omitted else shown)

    def _whole_lines(self) -> str:
        """What was kept, without a last line of which only a piece was; that is shown if there is no other."""
        text = self.text()
        if self.whole or text.endswith("\n") or not text:
            return text
        lines, newline, piece = text.rpartition("\n")
        return lines + newline if newline else f"{piece}…"


def _head(text: str, limit: int) -> str:
    """The first lines. Found one by one: a list of all of them would take many times the memory of the text."""
    at = -1
    for _ in range(limit):
        at = text.find("\n", at + 1)
        if at < 0:
            return text
    return text[: at + 1]


def plain(text: str) -> str:
    """Without terminal sequences and control characters, so that no output can play tricks on a terminal."""
    first, *others = text.split("\x1b")
    return "".join([first, *map(_after_sequence, others)]).translate(_CONTROL)


def _after_sequence(piece: str) -> str:
    """What follows the escape sequence that a piece begins with."""
    kind, rest = piece[:1], piece[1:]
    if kind == "[":
        return rest.lstrip(_PARAMETERS).lstrip(_INTERMEDIATES)[1:]
    if kind and kind in "]PX^_":  # runs to a bell, or to an escape, where the next piece begins
        return rest.partition("\x07")[2]
    if kind and kind in _INTERMEDIATES:
        return rest[1:]
    return rest
