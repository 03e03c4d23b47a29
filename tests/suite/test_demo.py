"""The demo server, and a suite made from its tools: a real MCP server, asked with the official SDK."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

import hookwright
from hookwright.demo.notes import TOOLS
from hookwright.errors import Refusal
from hookwright.suite import scaffold
from hookwright.suite.suites import Suite

SERVER = {
    "command": sys.executable,
    "args": ["-m", "hookwright.demo"],
    "env": {"PYTHONPATH": str(Path(hookwright.__file__).parent.parent)},
}


def raw(*lines):
    """What the server answers to these lines."""
    done = subprocess.run(
        [SERVER["command"], *SERVER["args"]],
        input="\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n",
        capture_output=True,
        text=True,
        env=SERVER["env"],
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_official_sdk_can_talk_to_it():
    """Initialise, list, call, and an error of a tool."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk():
        parameters = StdioServerParameters(**SERVER)
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            created = await session.call_tool("create_note", {"title": "Milk"})
            found = await session.call_tool("search_notes", {"query": "milk"})
            gone = await session.call_tool("get_note", {"id": "x"})
            return tools, created, found, gone

    tools, created, found, gone = asyncio.run(talk())
    assert tools == list(TOOLS)
    assert created.content[0].text == "Created the note. ID: note-0001"
    assert json.loads(found.content[0].text)["count"] == 1
    assert gone.content[0].text == "There is no note x."


def test_it_answers_wrong_lines_in_the_protocols_words():
    """Nothing that is sent ends the server."""
    ask = {"jsonrpc": "2.0", "id": 1}
    answers = raw(
        "not json",
        "[]",
        ask | {"method": "nope"},
        ask | {"method": "tools/call", "params": {"name": 3}},
        ask | {"method": "tools/call", "params": {"name": "add", "arguments": {"a": True, "b": 1}}},
        ask | {"method": "tools/call", "params": {"name": "add"}},
        ask | {"method": "tools/call", "params": {"name": "nope"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        ask | {"method": "ping"},
    )
    assert [answer.get("error", {}).get("code") for answer in answers[:4]] == [-32700, -32600, -32601, -32602]
    texts = [answer["result"]["content"][0]["text"] for answer in answers[4:7]]
    assert texts == ["a must be a number.", "add needs a.", "There is no tool nope."]
    assert answers[7]["result"] == {}


def test_every_tool_answers():
    """Each with what it requires."""
    calls = {
        "create_note": {"title": "t", "body": "b"},
        "get_note": {"id": "note-0001"},
        "list_notes": {},
        "search_notes": {"query": "B"},
        "add": {"a": 1, "b": 2.5},
        "echo": {"text": "x"},
        "wait": {"ms": 1},
        "delete_note": {"id": "note-0001"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": name, "arguments": given}}
        for name, given in calls.items()
    ]
    results = {answer["id"]: answer["result"] for answer in raw(*lines)}
    assert not any(result["isError"] for result in results.values())
    assert results["add"]["content"][0]["text"] == "3.5"


def test_a_suite_from_a_servers_tools(tmp_path):
    """A test for each tool, with examples for what it requires, and without a problem."""
    text, count = scaffold.suite_for("demo", SERVER, str(tmp_path))
    path = tmp_path / "tests.yaml"
    path.write_text(text)
    suite = Suite(str(path))
    assert (suite.problems, count, [case["id"] for case in suite.cases]) == ([], len(TOOLS), list(TOOLS))
    assert suite.cases[5]["call"] == {"server": "demo", "tool": "add", "arguments": {"a": 1, "b": 1}}
    assert suite.cases[5]["action"] == "Call add with a: 1, b: 1"


def test_servers_by_name(tmp_path):
    """From .mcp.json; what cannot be had is one sentence."""
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"demo": SERVER}}))
    assert scaffold.server_of(None, [], str(tmp_path)) == ("demo", SERVER)
    with pytest.raises(Refusal, match='no server "dmo"; did you mean "demo"'):
        scaffold.server_of("dmo", [], str(tmp_path))
    with pytest.raises(Refusal, match="which server"):
        scaffold.server_of(None, [], str(tmp_path / "elsewhere"))
    with pytest.raises(Refusal, match="could not be asked"):
        scaffold.tools_of({"command": sys.executable, "args": ["-c", "pass"]}, str(tmp_path))


def test_the_environment_of_a_server_is_not_copied(tmp_path):
    """A server of .mcp.json is named, and stays there with its secrets; one that was given by its command is written."""
    server = {**SERVER, "env": {**SERVER.get("env", {}), "API_KEY": "sk-1234567890abcdef"}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"demo": server}}))
    text, _ = scaffold.suite_for(*scaffold.server_of("demo", [], str(tmp_path)), str(tmp_path))
    assert "sk-1234567890abcdef" not in text and "server: demo" in text and "servers:" not in text
    assert "servers:" in scaffold.suite_for("demo", SERVER, str(tmp_path))[0]


PAGED = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}}
    elif asked["method"] == "tools/list":
        page = int((asked.get("params") or {}).get("cursor") or 0)
        result = {"tools": [{"name": f"tool_{page}", "inputSchema": {"type": "object"}}]}
        result |= {"nextCursor": str(page + 1)} if page < 2 else {}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_all_pages_of_a_long_list(tmp_path):
    """A server may hand its tools over in pieces."""
    (tmp_path / "paged.py").write_text(PAGED)
    tools = scaffold.tools_of({"command": sys.executable, "args": ["paged.py"]}, str(tmp_path))
    assert [tool["name"] for tool in tools] == ["tool_0", "tool_1", "tool_2"]


def test_a_command_of_options_has_a_name(tmp_path):
    """`suite new -- -x` is one sentence, as every command that does not start."""
    name, server = scaffold.server_of(None, ["-x"], str(tmp_path))
    assert name == "server"
    with pytest.raises(Refusal, match="could not be asked"):
        scaffold.tools_of(server, str(tmp_path))
