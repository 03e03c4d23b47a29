"""One MCP server with an SDK session open on it. Whatever it does wrong comes out as one `Broken`, with a reason."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from typing import Any

from hookwright.suite.evidence import Call, text_of
from hookwright.suite.unattended.children import Children, Ended
from hookwright.suite.unattended.stdio import CLOSING_S, Pipes, streams

Json = dict[str, Any]
UNREADABLE = -32700  # the SDK's word for an answer that it could not read: what we send is never that
CLOSED = -32000  # its word for a connection that broke, and many a server's for an error of its own
LEARNING_S = 1.0


class Broken(Exception):
    """A server could not be asked, or did not answer as the protocol has it."""

    def __init__(self, text: str, server: str = "", noise: str = "") -> None:
        super().__init__(text)
        self.server = server
        self.noise = noise
        self.calls: list[Call] = []


class Deadline:
    """When an answer is too late, and how long that was from the beginning."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._until = time.monotonic() + limit_s

    @property
    def left_s(self) -> float:
        return max(self._until - time.monotonic(), 0)


class Connection:
    """A server, from its start to its end; lives in a task of its own, as the SDK's scopes demand."""

    def __init__(self, name: str, server: Json, folder: str, children: Children) -> None:
        self.name = name
        self._server = server
        self._folder = folder
        self._children = children
        self._pipes: Pipes | None = None
        self._session: Any = None
        self._fault: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()
        self._tools: dict[str, Json] | None = None
        self._life: asyncio.Task[None] | None = None

    @property
    def noise(self) -> str:
        return self._pipes.noise if self._pipes else ""

    def forget_noise(self) -> None:
        """A new test begins."""
        if self._pipes:
            self._pipes.forget_noise()

    async def open(self, deadline: Deadline) -> None:
        """Start the server and shake hands. Raises Broken."""
        ready = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live(ready))
        await self._answer(ready, deadline, "did not shake hands")

    async def call(self, tool: str, arguments: Json, deadline: Deadline) -> tuple[Any, str | None, bool]:
        """(result, error, whether the protocol itself refused) of one call. Raises Broken."""
        task = asyncio.ensure_future(self._session.call_tool(tool, arguments))
        try:
            answer = await self._answer(task, deadline, f"did not answer the call of {tool}")
        except Exception as error:
            code = getattr(getattr(error, "error", None), "code", None)  # MCPError, whatever the SDK's version calls it
            if isinstance(error, Broken) or code is None:
                raise self._broken(error) from error
            if code == CLOSED:  # pipes have told why; a URL's transport is about to
                await asyncio.wait([self._fault], timeout=0 if self._pipes else LEARNING_S)
            if self._fault.done() or code == UNREADABLE:
                raise self._broken(error) from error
            return None, str(error), True
        result = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        return result, (text_of(result) or "the tool failed without a word") if result.get("isError") else None, False

    async def tools(self, deadline: Deadline) -> dict[str, Json]:
        """The schema of each tool's arguments. Raises Broken."""
        if self._tools is None:
            found: dict[str, Json] = {}
            cursor: str | None = None
            while True:
                params = {} if cursor is None else {"cursor": cursor}
                task = asyncio.ensure_future(self._session.list_tools(**params))
                try:
                    page = await self._answer(task, deadline, "did not list its tools")
                except Exception as error:
                    raise self._broken(error) from error
                shown = page.model_dump(mode="json", by_alias=True)
                found.update({tool["name"]: tool.get("inputSchema") or {} for tool in shown["tools"]})
                cursor = shown.get("nextCursor")
                if not cursor:
                    break
            self._tools = found
        return self._tools

    async def close(self, at_once: bool = False) -> None:
        """End the server."""
        self._leave.set()
        if self._life is not None:
            done, _ = await asyncio.wait([self._life], timeout=0.2 if at_once else CLOSING_S)
            if not done:
                self._life.cancel()
                await asyncio.wait([self._life], timeout=CLOSING_S)
        if self._pipes is not None:
            await self._pipes.close(0.1 if at_once else CLOSING_S)

    async def _live(self, ready: asyncio.Future[None]) -> None:
        from mcp import ClientSession

        try:
            async with AsyncExitStack() as stack:
                reads, writes = await self._streams(stack)
                session = await stack.enter_async_context(ClientSession(reads, writes))
                await session.initialize()
                self._session = session
                ready.set_result(None)
                await self._leave.wait()
        except (Exception, asyncio.CancelledError) as error:  # the SDK wraps what went wrong in groups of its own
            reason = (
                error if isinstance(error, Broken) else Broken(f"The server cannot be talked to: {_innermost(error)}")
            )
            if not ready.done():
                ready.set_exception(reason)
            else:
                self._set_fault(str(reason))

    async def _streams(self, stack: AsyncExitStack) -> tuple[Any, Any]:
        if self._server["type"] == "http":
            from hookwright.suite.unattended.http import streams as http_streams

            return await http_streams(self._server, stack, self._set_fault)
        try:
            self._pipes = Pipes(self._server, self._folder, self._children, self._set_fault)
        except OSError as error:
            raise Broken(f"The server cannot be started: {error.strerror}: {self._server['command']}") from error
        except Ended:
            raise Broken("The run was ended") from None
        await self._pipes.open()
        return await stack.enter_async_context(streams(self._pipes))

    def _set_fault(self, text: str) -> None:
        if not self._fault.done():
            self._fault.set_result(text)

    async def _answer(self, work: asyncio.Future[Any], deadline: Deadline, late: str) -> Any:
        """What the server answers; or why it will not. Raises Broken and whatever the SDK raises."""
        work.add_done_callback(_heard)
        try:
            await asyncio.wait([work, self._fault], timeout=deadline.left_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # the run is being ended
            work.cancel()
            raise
        if work.done() and not (work.exception() and self._fault.done()):
            return work.result()
        if not work.done() and not self._fault.done():
            work.cancel()
            raise Broken(f"The server {self.name} {late} within {deadline.limit_s:g} s", self.name, self.noise)
        work.cancel()
        raise Broken(self._fault.result(), self.name, self.noise)

    def _broken(self, error: Exception) -> Broken:
        if isinstance(error, Broken):
            return error
        text = (
            self._fault.result()
            if self._fault.done()
            else f"The server's answer is not as it should be: {_innermost(error)}"
        )
        return Broken(text, self.name, self.noise)


def _heard(work: asyncio.Future[Any]) -> None:
    """What comes of a request that nobody waits for any more is of no interest; asyncio would complain about it."""
    if not work.cancelled():
        work.exception()


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:1000]
