"""What a child process printed: its beginning is kept, the rest counted, and a person sees only plain text of it."""

KEEP_BYTES = 4 << 20
_PARAMETERS = "0123456789:;<=>?"
_INTERMEDIATES = " !\"#$%&'()*+,-./"
_CONTROL = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)])


class Captured:
    """One stream: its beginning as it came, the rest only counted."""

    __slots__ = ("_ends_open", "_newlines", "bytes", "keep_bytes", "kept")

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
        lines = plain(self.text()).removesuffix("\n").split("\n") if self.kept else []
        if not self.whole and not self.kept.endswith(b"\n"):
            # The last line is only a piece of one: it is left out too, unless there is no other.
            lines[-1:] = [f"{lines[-1]}…"] if len(lines) == 1 else []
        lines = lines[:limit]
        omitted = self.lines - len(lines)
        return "\n".join([*lines, f"... ({omitted} lines omitted)"] if omitted else lines)


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
