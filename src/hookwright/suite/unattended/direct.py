"""`--via direct`: a test's call made by the official MCP SDK, without a model. One event loop serves every lane."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from hookwright.errors import Refusal
from hookwright.suite.evidence import Call, Evidence
from hookwright.suite.unattended.children import Children, Ended
from hookwright.suite.unattended.connection import Broken, Connection, Deadline
from hookwright.suite.unattended.options import Options
from hookwright.suite.unattended.plain import call_in, typed
from hookwright.suite.unattended.seen import Seen
from hookwright.suite.unattended.servers import Servers

Json = dict[str, Any]
T = TypeVar("T")
PROSE = "Has only a prose action; a direct run needs `call`, or the plain form 'Call TOOL with key: value, ...'"
OF_THE_ANSWER = "Expects something of the agent's answer; a direct run has no agent"
LOOK_EVERY_S = 0.5  # for the end of the run, while a call is under way
STARTING_S = 30.0  # for a server to answer its first message


class Direct:
    """Calls the tools of MCP servers."""

    name = "direct"

    def __init__(self, servers: Servers, folder: str, children: Children) -> None:
        _need_sdk()
        self._servers = servers
        self._folder = folder
        self._children = children
        self._open: dict[tuple[int, str], Connection] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mcp", daemon=True)
        self._thread.start()

    def why_not(self, case: Json) -> str | None:
        """The reason for which a test cannot be tried this way."""
        if call_in(case) is None:
            return PROSE
        return OF_THE_ANSWER if _asks_answer(case.get("expect")) else None

    def attempt(self, lane: int, case: Json, timeout_s: float) -> Seen:
        """Make the call of a test."""
        call = call_in(case) or {}
        began = time.monotonic()
        future = asyncio.run_coroutine_threadsafe(self._attempt(lane, call, timeout_s), self._loop)
        while not future.done():
            wait([future], LOOK_EVERY_S)
            if self._children.ended and not future.done():  # a server behind a URL is no child that could be ended
                future.cancel()
                raise Ended
        seen = future.result()
        seen.evidence.took_ms = (time.monotonic() - began) * 1000
        return seen

    def may_go_on(self) -> bool:
        """Direct calls cost nothing."""
        return True

    def fresh(self, lane: int) -> None:
        """The next test of this lane meets servers that have just been started."""
        mine = [key for key in list(self._open) if key[0] == lane]  # other lanes come and go meanwhile
        for connection in [self._open.pop(key) for key in mine]:
            self._wait(connection.close())

    def close(self) -> None:
        """End every server."""
        for lane in {lane for lane, _ in self._open}:
            self.fresh(lane)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result()

    async def _attempt(self, lane: int, call: Json, timeout_s: float) -> Seen:
        deadline = Deadline(timeout_s)
        name = call.get("server") or ""
        try:
            name = name or await self._server_with(lane, call["tool"], deadline)
            connection = await self._connection(lane, name, deadline)
            connection.forget_noise()
            arguments = call.get("arguments") or {}
            if call.get("spelled"):
                tools = await connection.tools(deadline)
                arguments = typed(call["spelled"], tools.get(call["tool"]) or {})
            seen = await _called(connection, name, call["tool"], arguments, deadline)
        except Broken as broken:
            noise = await self._drop(lane, broken.server or name)  # the next test meets a new one
            seen = Seen(Evidence(calls=broken.calls), fault=str(broken), noise=noise or broken.noise)
        return seen

    async def _drop(self, lane: int, name: str) -> str:
        """End a server that went wrong; what it said last."""
        stale = self._open.pop((lane, name), None)
        if stale is not None:
            await stale.close(at_once=True)
        return stale.noise if stale is not None else ""

    async def _server_with(self, lane: int, tool: str, deadline: Deadline) -> str:
        """The server that a call without one means."""
        names = list(self._servers.written)
        if len(names) == 1:
            return names[0]
        found = []
        for name in names:
            try:
                found += [name] if tool in await (await self._connection(lane, name, deadline)).tools(deadline) else []
            except Broken:  # it may be none of this test's business
                await self._drop(lane, name)
        if len(found) == 1:
            return found[0]
        have = f"{' and '.join(found)} have" if found else f"none of the servers ({', '.join(names) or 'none'}) has"
        raise Broken(f"{have} a tool {tool}; name the server in `call`")

    async def _connection(self, lane: int, name: str, deadline: Deadline) -> Connection:
        if (lane, name) not in self._open:
            try:
                server = self._servers.ready(name)
            except Refusal as refusal:  # one that no test names: nobody looked at it before the run
                raise Broken(str(refusal), name) from refusal
            connection = Connection(name, server, self._folder, self._children)
            self._open[lane, name] = connection
            await connection.open(deadline if deadline.left_s < STARTING_S else Deadline(STARTING_S))
        return self._open[lane, name]


def begin(_options: Options, servers: Servers, folder: str, children: Children) -> Direct:
    """Ready for tests."""
    return Direct(servers, folder, children)


async def _called(connection: Connection, name: str, tool: str, arguments: Json, deadline: Deadline) -> Seen:
    began = time.monotonic()
    call = Call(f"mcp__{name}__{tool}", arguments)
    try:
        call.result, call.error, refused = await connection.call(tool, arguments, deadline)
    except Broken as broken:
        call.ms = (time.monotonic() - began) * 1000
        call.error = str(broken)
        broken.calls = [call]
        raise
    call.ms = (time.monotonic() - began) * 1000
    how = "The server refused the call" if refused else "The tool failed"
    failed = None if call.error is None else f"{how}: {call.error}"
    return Seen(Evidence(calls=[call]), noise=connection.noise, call_failed=failed)


def _asks_answer(expect: Any) -> bool:
    if isinstance(expect, list):
        return any(map(_asks_answer, expect))
    if not isinstance(expect, dict):
        return False
    return expect.get("on") == "answer" or any(_asks_answer(expect.get(key)) for key in ("any_of", "all_of", "not"))


def _need_sdk() -> None:
    # What it logs is in our verdicts; without a handler, Python would print it, tracebacks and all.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    try:
        import mcp  # noqa: F401 - over a second to import, so only when a direct run begins
    except ModuleNotFoundError:
        raise Refusal(
            "a direct run speaks to servers with the mcp SDK; `pip install 'hookwright[mcp]'` brings it."
        ) from None
    except ImportError as error:  # an old one beside newer libraries
        raise Refusal(
            f"the installed mcp SDK cannot be imported ({error}); try `pip install --upgrade 'hookwright[mcp]'`."
        ) from error
