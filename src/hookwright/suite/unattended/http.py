"""A server behind a URL: the SDK's own streamable HTTP transport, whichever name its version has for it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any


async def streams(server: dict[str, Any], stack: AsyncExitStack) -> tuple[Any, Any]:
    """The two streams on which an SDK session speaks."""
    from mcp.client import streamable_http

    library: Any = streamable_http
    headers = {str(name): str(value) for name, value in (server.get("headers") or {}).items()}
    opens: Any = getattr(library, "streamable_http_client", None)
    if opens is None:  # before 1.24
        opened = await stack.enter_async_context(library.streamablehttp_client(server["url"], headers=headers))
    else:
        from mcp.shared._httpx_utils import create_mcp_http_client

        client = await stack.enter_async_context(create_mcp_http_client(headers=headers))
        opened = await stack.enter_async_context(opens(server["url"], http_client=client))
    return opened[0], opened[1]
