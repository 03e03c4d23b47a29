"""A server on standard input and output: our own pipes under the official SDK's session.

The SDK's transport would do for a server that behaves. Ours also tells why one did not: its exit code, the end of what
it wrote to stderr, the reply that was none. Nothing it writes can fill the memory.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import IO, Any

from hookwright.suite.unattended.children import Children

Json = dict[str, Any]
LONGEST_LINE = 16_000_000  # bytes of one message
STRAY_LINES = 1_000  # lines on stdout that are no message; more is a flood
KEPT_STRAY = 5
KEPT_STDERR = 4_000  # bytes, from the end
SHOWN = 300  # characters of a line that was no message
PIECE = 1 << 16
CLOSING_S = 2.0  # for a server whose input has ended, as the protocol wants it to be told
LOOK_EVERY_S = 0.01


class Pipes:
    """One started server; `broken` is told, with the reason, when it can no longer be talked to."""

    def __init__(self, server: Json, folder: str, children: Children, broken: Callable[[str], None]) -> None:
        self._broken = broken
        self._children = children
        self._closing = False
        self._stderr = bytearray()
        self._stray_lines = 0
        self.stray: list[str] = []
        self.process = children.start(
            [server["command"], *map(str, server.get("args") or ())],
            cwd=server.get("cwd") or folder,
            env={**os.environ, **{key: str(value) for key, value in (server.get("env") or {}).items()}},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    async def open(self) -> None:
        """Begin to listen."""
        loop = asyncio.get_running_loop()
        self._stdout, heard = await _reader(self.process.stdout)
        self._errors, complained = await _reader(self.process.stderr)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, self.process.stdin)
        self._transports = [heard, complained, transport]
        self._stdin = asyncio.StreamWriter(transport, protocol, None, loop)
        self._drain = asyncio.create_task(self._drain_stderr())

    @property
    def noise(self) -> str:
        """The end of what it wrote to stderr, and the first lines on stdout that were no messages."""
        parts = [f"stdout: {line}" for line in self.stray]
        parts += [f"stderr: {self._stderr.decode('utf-8', 'replace').strip()}"] if self._stderr.strip() else []
        return "\n".join(parts)

    def forget_noise(self) -> None:
        """A new test begins: what was written until now is none of its business."""
        self._stderr.clear()
        self.stray.clear()
        self._stray_lines = 0

    async def messages(self) -> AsyncIterator[Any]:
        """Message after message until the server is silent."""
        rest = bytearray()
        while piece := await self._stdout.read(PIECE):
            rest += piece
            if b"\n" in piece:
                *lines, tail = rest.split(b"\n")
                rest = bytearray(tail)
                for line in lines:
                    if (message := self._message(bytes(line))) is not None:
                        yield message
            if len(rest) > LONGEST_LINE:
                self._broken(f"The server wrote a line of over {LONGEST_LINE // 1_000_000} MB")
            if len(rest) > LONGEST_LINE or self._stray_lines > STRAY_LINES:
                self._closing = True
                return
        await self._tell_end()

    def _message(self, line: bytes) -> Any:
        if not line.strip():
            return None
        try:
            return _read(line)
        except ValueError:
            pass
        shown = line[:SHOWN].decode("utf-8", "replace").strip()
        if line.lstrip().startswith(b"{"):  # meant as a message: somebody waits for it in vain
            self._broken(f"The server's reply is not valid JSON-RPC: {shown}")
            return None
        self._stray_lines += 1
        if len(self.stray) < KEPT_STRAY:
            self.stray.append(shown)
        if self._stray_lines == STRAY_LINES + 1:
            self._broken(f"The server wrote over {STRAY_LINES:,} lines to stdout that are no messages")
        return None

    async def _tell_end(self) -> None:
        if self._closing:
            return
        if not await self._has_ended(CLOSING_S):
            self._broken("The server closed its standard output")
            return
        await asyncio.wait([self._drain], timeout=CLOSING_S)  # what it said last is the best of the evidence
        code = self.process.returncode or 0
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._broken(f"The server {how} before it answered")

    async def _has_ended(self, within_s: float) -> bool:
        until = asyncio.get_running_loop().time() + within_s
        while self.process.poll() is None:
            if asyncio.get_running_loop().time() > until:
                return False
            await asyncio.sleep(LOOK_EVERY_S)
        return True

    async def send(self, text: str) -> None:
        """Send one message. Raises OSError when the server is gone."""
        self._stdin.write(text.encode() + b"\n")
        await self._stdin.drain()

    async def close(self, grace_s: float = CLOSING_S) -> None:
        """End the server: its input first, then the whole group."""
        self._closing = True
        self._stdin.close()
        await self._has_ended(grace_s)
        await asyncio.to_thread(self._children.stop, self.process, 0 if self.process.poll() is not None else grace_s)
        await asyncio.wait([self._drain], timeout=CLOSING_S)
        self._drain.cancel()
        for transport in self._transports:
            transport.close()
        await asyncio.sleep(0)  # they close when the loop comes by

    async def _drain_stderr(self) -> None:
        while piece := await self._errors.read(PIECE):
            self._stderr += piece
            del self._stderr[:-KEPT_STDERR]


async def _reader(stream: IO[bytes] | None) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
    reader = asyncio.StreamReader(limit=PIECE)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, stream)
    return reader, transport


@asynccontextmanager
async def streams(pipes: Pipes) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams on which an SDK session speaks."""
    import anyio
    from mcp.shared.message import SessionMessage

    heard, reads = anyio.create_memory_object_stream[Any](0)
    writes, to_send = anyio.create_memory_object_stream[Any](0)

    async def listen() -> None:
        try:
            async for message in pipes.messages():
                await heard.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session is over
        finally:
            await heard.aclose()

    async def speak() -> None:
        async for sent in to_send:
            try:
                await pipes.send(sent.message.model_dump_json(by_alias=True, exclude_unset=True))
            except OSError:
                return  # who listens learns why

    async with heard, reads, writes, to_send, anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        tasks.start_soon(speak)
        try:
            yield reads, writes
        finally:
            tasks.cancel_scope.cancel()


def _read(line: bytes) -> Any:
    """One message as the SDK wants it. Raises ValueError."""
    from mcp import types

    library: Any = types
    if hasattr(library, "jsonrpc_message_adapter"):
        return library.jsonrpc_message_adapter.validate_json(line, by_name=False)
    return library.JSONRPCMessage.model_validate_json(line)  # the SDK before its version 2
