"""A server behind a URL: the SDK's own streamable HTTP transport, and the ways in which a web server answers for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

MESSAGES = ("application/json", "text/event-stream")


async def streams(server: dict[str, Any], stack: AsyncExitStack, broken: Callable[[str], None]) -> tuple[Any, Any]:
    """The two streams on which an SDK session speaks; `broken` is told why an answer is no message."""
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async def look(response: Any) -> None:
        if response.request.method == "POST" and (why := _no_message(response)) is not None:
            broken(f"The server answered {why}")  # the SDK would make it look like a tool's own error

    headers = {str(name): str(value) for name, value in (server.get("headers") or {}).items()}
    client = await stack.enter_async_context(create_mcp_http_client(headers=headers))
    client.event_hooks = {**client.event_hooks, "response": [look]}
    opened = await stack.enter_async_context(streamable_http_client(server["url"], http_client=client))
    return opened[0], opened[1]


def _no_message(response: Any) -> str | None:
    if response.status_code >= 400:
        return f"with HTTP status {response.status_code} {response.reason_phrase}".rstrip()
    if response.status_code != 200:
        return None
    kind = str(response.headers.get("content-type") or "no content type")
    what = "nothing" if response.headers.get("content-length") == "0" else kind
    return None if what.startswith(MESSAGES) else f"with {what}, not with a message"
