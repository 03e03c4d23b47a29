"""What `cargo test --message-format=json` prints: the compiler's messages as JSON, then what each test binary says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from hookwright.affected.contract import Failure
from hookwright.affected.toolchain import documents, line_of
from hookwright.output import plain

MOST_LINES = 6
RUNNING = re.compile(r"^running (\d+) tests?$")
ENDED = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
DETAIL = re.compile(r"^---- (.+) (?:stdout|stderr) ----$")
PANIC = re.compile(r"panicked at (?:.*, )?([^\s,']+\.rs):(\d+)(?::\d+)?:?$")
PRINTED = re.compile(r"^error(?:\[\w+\])?: (.+)\n +--> (.+?):(\d+):\d+$", re.MULTILINE)
STARTED = re.compile(r"^\s+(?:Running .*\((.+)\)|Doc-tests (.+))$", re.MULTILINE)


@dataclass
class Binary:
    """One test binary's part of the output."""

    name: str = ""
    tests: int = 0
    is_whole: bool = False  # it came to its last line
    ended: dict[str, str] = field(default_factory=dict)  # test -> ok | FAILED | ignored
    details: dict[str, list[str]] = field(default_factory=dict)


class Output:
    """The whole run, told by stdout; stderr names the binaries in the same order."""

    def __init__(self, stdout: str, stderr: str) -> None:
        lines = stdout.splitlines()
        self.messages = [each for line in lines if line.startswith("{") for each in documents(line)]
        self.binaries = list(_binaries(line for line in lines if not line.startswith('{"reason"')))
        packages = {os.path.basename(path): name for path, name in self._executables()}
        started = [os.path.basename(path) or name for path, name in STARTED.findall(stderr)]
        for binary, name in zip(self.binaries, started, strict=False):
            binary.name = packages.get(name, name)

    def _executables(self) -> Iterator[tuple[str, str]]:
        """(test binary, the crate it tests)."""
        for message in self.messages:
            if message.get("executable"):
                yield str(message["executable"]), _crate(str(message.get("package_id")))

    @property
    def was_built(self) -> bool | None:
        """None when the build did not come to its end. The first counts: after it tests may print what they like."""
        ends = [message.get("success") for message in self.messages if message.get("reason") == "build-finished"]
        return bool(ends[0]) if ends else None

    def errors(self, root: str) -> list[Failure]:
        """What did not compile, by crate."""
        found = []
        for message in self.messages:
            said, target = message.get("message"), message.get("target")
            if isinstance(said, dict) and said.get("level") == "error" and said.get("spans"):
                crate = str(target.get("name")) if isinstance(target, dict) else ""
                found.append(_compile_error(crate, said, root))
        return found


def _crate(package_id: str) -> str:
    """The name in `path+file:///folder/name#0.1.0` or `path+file:///folder#name@0.1.0`."""
    folder, _, version = package_id.partition("#")
    return version.partition("@")[0] if "@" in version else unquote(folder.rpartition("/")[2])


def _compile_error(crate: str, said: dict[str, Any], root: str) -> Failure:
    spans = [span for span in said["spans"] if isinstance(span, dict)] if isinstance(said["spans"], list) else []
    span = next((each for each in spans if each.get("is_primary")), {})
    where = f"{span.get('file_name')}:{span.get('line_start')}" if span else ""
    labels = [str(each["label"]) for each in spans if each.get("label")]
    return Failure(crate, (str(said.get("message") or ""), *labels)[:MOST_LINES], where, line_of(root, where))


def _binaries(lines: Iterator[str]) -> Iterator[Binary]:
    binary: Binary | None = None
    detail: list[str] | None = None
    for line in lines:
        begun = RUNNING.match(line)
        if begun:
            if binary:
                yield binary
            binary, detail = Binary(tests=int(begun[1])), None
        elif binary is None:
            continue
        elif named := DETAIL.match(line):
            detail = binary.details.setdefault(named[1], [])
        elif line in ("failures:", "successes:"):
            detail = None
        elif line.startswith("test result: "):
            binary.is_whole, detail = True, None
        elif detail is not None:
            detail.append(line)
        elif ended := ENDED.match(line):
            binary.ended[ended[1]] = ended[2]
    if binary:
        yield binary


def failure(name: str, detail: list[str], root: str) -> Failure:
    """The panic's words and its place, without the stack."""
    where = ""
    text: list[str] = []
    for line in detail:
        panic = PANIC.search(line)
        if panic and not where:
            where, text = f"{panic[1]}:{panic[2]}", []
        elif line.startswith(("stack backtrace:", "note: ")):
            break
        elif line.strip():
            text.append(line.strip())
    return Failure(name, tuple(text[:MOST_LINES]), where, line_of(root, where))


def printed_errors(text: str, root: str) -> list[Failure]:
    """What did not compile, as rustc tells people."""
    found = []
    for words, path, number in dict.fromkeys(PRINTED.findall(plain(text))):
        where = f"{path}:{number}"
        found.append(Failure("", (words,), where, line_of(root, where)))
    return found
