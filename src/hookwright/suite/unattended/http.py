"""A server behind a URL: the SDK's own streamable HTTP transport."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any


async def streams(server: dict[str, Any], stack: AsyncExitStack) -> tuple[Any, Any]:
    """The two streams on which an SDK session speaks."""
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    headers = {str(name): str(value) for name, value in (server.get("headers") or {}).items()}
    client = await stack.enter_async_context(create_mcp_http_client(headers=headers))
    opened = await stack.enter_async_context(streamable_http_client(server["url"], http_client=client))
    return opened[0], opened[1]
