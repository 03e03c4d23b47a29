"""`suite new`: a suite file from an MCP server's own list of tools, asked over stdio with the official SDK."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import shlex
from typing import Any

from hookwright.errors import Refusal, did_you_mean
from hookwright.suite.messages import to_do

Json = dict[str, Any]
PATIENCE_S = 30.0
EXAMPLES: dict[str, Any] = {"string": "text", "number": 1, "integer": 1, "boolean": True, "array": [], "object": {}}
HEAD = """\
# Made by `hookwright suite new` from the tools of {name}.
# Fill in what each test must answer; `hookwright suite check` says what is wrong, docs/suites.md what is possible.
"""


def server_of(name: str | None, command: list[str], folder: str) -> tuple[str, Json]:
    """(name, server in the form of .mcp.json): from a command, or by its name in the project. Raises Refusal."""
    if command:
        return name or _name_of(command), {"command": command[0], "args": command[1:]}
    servers = _project_servers(folder)
    if name is None and len(servers) == 1:
        name = next(iter(servers))
    if name is None:
        raise Refusal("which server? Name one of .mcp.json with --server, or give its command: `suite new -- COMMAND`.")
    if name not in servers:
        raise Refusal(f'.mcp.json has no server "{name}"{did_you_mean(name, servers)}')
    return name, servers[name]


def _name_of(command: list[str]) -> str:
    plain = [word for word in command if not word.startswith("-")]
    return os.path.basename(plain[-1]).rpartition(".")[2] or "server" if plain else "server"


def _project_servers(folder: str) -> Json:
    try:
        with open(f"{folder}/.mcp.json", encoding="utf-8") as file:
            servers = json.load(file).get("mcpServers")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise Refusal(f".mcp.json cannot be read: {error}.") from error
    return servers if isinstance(servers, dict) else {}


def suite_for(name: str, server: Json, folder: str) -> tuple[str, int]:
    """(the suite file, how many tests it has) for a server. Raises Refusal where it does not answer."""
    tools = tools_of(server, folder)
    if not tools:
        raise Refusal(f"the server {name} has no tools.")
    is_projects = _project_servers(folder).get(name) == server
    return written(name, None if is_projects else server, tools), len(tools)


def written(name: str, server: Json | None, tools: list[Json]) -> str:
    """The suite file: a test for each tool, with an example for every argument it requires.

    A server of .mcp.json is known by its name; its environment, which may hold secrets, is not written again.
    """
    import yaml

    suite = {
        "version": "1.0",
        "description": f"{name} functional tests",
        **({"servers": {name: server}} if server else {}),
        "tests": [_test(name, tool) for tool in tools],
    }
    return HEAD.format(name=name) + yaml.safe_dump(suite, sort_keys=False, allow_unicode=True, width=100)


def _test(server: str, tool: Json) -> Json:
    arguments = {key: _example(kind) for key, kind in _required(tool.get("inputSchema") or {}).items()}
    call = {"server": server, "tool": tool["name"], "arguments": arguments}
    return {
        "id": tool["name"],
        "description": str(tool.get("description") or tool["name"]).strip().split("\n")[0],
        "category": server,
        "action": to_do({"call": call}),
        "call": call,
        "expect": [{"tool_called": tool["name"]}, {"tool_error": False}],
        "tags": ["smoke"],
    }


def _required(schema: Json) -> Json:
    properties = schema.get("properties") or {}
    return {key: properties.get(key) or {} for key in schema.get("required") or ()}


def _example(kind: Json) -> Any:
    for key in ("default", "const"):
        if key in kind:
            return kind[key]
    if kind.get("examples") or kind.get("enum"):
        return (kind.get("examples") or kind["enum"])[0]
    named = kind.get("type")
    return EXAMPLES.get(named[0] if isinstance(named, list) and named else str(named), "text")


def tools_of(server: Json, folder: str) -> list[Json]:
    """The server's tools, as it lists them. Raises Refusal."""
    try:
        import mcp  # noqa: F401 - a second to import, so only when it is wanted
    except ModuleNotFoundError:
        raise Refusal(
            "`suite new` speaks to the server with the mcp SDK; `pip install hookwright[mcp]` brings it."
        ) from None
    if not server.get("command"):
        raise Refusal("`suite new` starts a server by its command; this one has none.")
    try:
        return asyncio.run(asyncio.wait_for(_asked(server, folder), PATIENCE_S))
    except TimeoutError:
        raise Refusal(f"the server did not list its tools within {PATIENCE_S:g} s.") from None
    except Exception as error:  # the SDK wraps what went wrong in groups of its own
        command = shlex.join([server["command"], *server.get("args", ())])
        raise Refusal(f"the server could not be asked ({_innermost(error)}): {command}") from error


async def _asked(server: Json, folder: str) -> list[Json]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=server["command"],
        args=list(server.get("args") or ()),
        env={**os.environ, **(server.get("env") or {})},
        cwd=folder,
    )
    tools: list[Json] = []
    with open(os.devnull, "w") as silent:
        async with stdio_client(parameters, errlog=silent) as streams, ClientSession(*streams) as session:
            await session.initialize()
            page: Json = {"nextCursor": ""}
            while page.get("nextCursor") is not None:
                page = await _listed(session, page["nextCursor"])
                tools += page["tools"]
    return tools


async def _listed(session: Any, cursor: str) -> Json:
    """One page of the tools, asked for as this version of the SDK wants it."""
    from mcp.types import PaginatedRequestParams

    if not cursor:
        listed = await session.list_tools()
    elif "params" in inspect.signature(session.list_tools).parameters:
        listed = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
    else:
        listed = await session.list_tools(cursor)
    page: Json = listed.model_dump(mode="json", by_alias=True)
    return page


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
