"""Gitignore-style patterns as regular expressions that cannot run away.

`pathspec` writes `(?:.+/)?` and `[^/]*`, which a pattern with a dozen stars multiplies: a hostile config could hold up
every edit. Here each star takes the first fit and never comes back (an atomic group), which for globs loses nothing.
"""

from __future__ import annotations

import re

from hookwright.globs import BadGlob, expanded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ANY_FOLDERS = "(?:[^/]+/)*?"


def path_regexes(pattern: str) -> list[tuple[bool, str]]:
    """(includes, regular expression) of a pattern; braces work in it too. Raises BadGlob."""
    including = not pattern.startswith("!")
    return [(including, _regex(line)) for line in expanded(pattern.removeprefix("!"))]


def _regex(pattern: str) -> str:
    """Matches from the beginning of a path, as gitignore would: a folder stands for all that is in it."""
    line = _without_trailing_spaces(pattern)
    folders_only = line.endswith("/")
    parts = line.strip("/").split("/")
    if line.startswith("#") or not line.strip("/"):
        raise BadGlob("no path fits it; to gitignore it is a comment or nothing")
    if set(parts) == {"**"}:
        return "^[^/]+/" if folders_only else "^"
    if "/" not in line.rstrip("/"):
        parts = ["**", *parts]  # a bare name is looked for in every folder
    everything_inside = parts[-1] == "**" and len(parts) > 1
    runs = list(_runs(parts[:-1] if everything_inside else parts))
    end = "/" if folders_only or everything_inside else r"(?:/|\Z)"
    found = "^"
    for number, (anywhere, run) in enumerate(runs):
        text = "/".join(map(_segment, run))
        last = number == len(runs) - 1
        follows = f"(?={end})" if last else "(?=/)"
        found += ("/" if number else "") + (f"(?>{ANY_FOLDERS}{text}{follows})" if anywhere else f"{text}{follows}")
    return found


def _runs(parts: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """The segments between `**`s, each with whether folders may come before it."""
    anywhere = False
    run: list[str] = []
    for part in parts:
        if part == "**":
            if run:
                yield anywhere, run
            anywhere, run = True, []
        else:
            run.append(part)
    if run or anywhere:
        yield anywhere, run or ["*"]


def _segment(glob: str) -> str:
    """One name: `*`, `?`, `[a-z]`, and `\\` before a sign that stands for itself."""
    first, *others = _pieces(glob)
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>[^/]*?{piece})" for piece in middle if piece) + f"[^/]*{last}"


def _pieces(glob: str) -> list[str]:
    """The regular expressions of what lies between the stars."""
    pieces, at = [""], 0
    while at < len(glob):
        char = glob[at]
        if char == "*":
            pieces.append("")
        elif char == "?":
            pieces[-1] += "[^/]"
        elif char == "[" and (end := _class_end(glob, at)):
            pieces[-1] += _class(glob[at + 1 : end])
            at = end
        elif char == "\\":
            if at + 1 == len(glob):
                raise BadGlob('it ends in a "\\" that stands before nothing')
            at += 1
            pieces[-1] += re.escape(glob[at])
        else:
            pieces[-1] += re.escape(char)
        at += 1
    return pieces


def _class_end(glob: str, at: int) -> int:
    """Where a class ends; a "]" right at its beginning stands for itself. 0: it is none."""
    begin = at + (3 if glob[at + 1 : at + 2] in ("!", "^") else 2)
    return glob.find("]", begin) + 1 and glob.find("]", begin)


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    chars = inside[1:] if negated else inside
    safe = re.sub(r"[\\\[\]^&~|]|(?<!\w)-|-(?!\w)", r"\\\g<0>", chars)
    text = f"[{'^/' if negated else ''}{safe}]"
    try:
        re.compile(text)
    except re.error as error:
        raise BadGlob(f'"[{inside}]" is no class of characters') from error
    return text if negated else f"(?!/){text}"


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    return stripped + " " if stripped.endswith("\\") and len(stripped) < len(line) else stripped
