"""Where the servers of a run come from, and what is wrong with them, told before it begins."""

import json

import pytest
from suite.unattended.bed import BAD_SERVER, call, echo

from hookwright.errors import Refusal


def test_unknown_servers_are_told_with_their_line(bed):
    """Before anything is started."""
    bed.file.with_suffix(".yaml").write_text(
        "servers: {demo: {command: x}}\ntests:\n  - id: a\n    call:\n      server: deno\n      tool: echo\n"
    )
    with pytest.raises(Refusal) as refused:
        bed.run(suite=str(bed.file.with_suffix(".yaml")))
    assert 'tests.yaml:5:15: tests[0].call.server: there is no server "deno"; did you mean "demo"?' in str(
        refused.value
    )
    assert not (bed.folder / ".hookwright").exists()


def test_where_servers_come_from(bed, monkeypatch):
    """--mcp-config goes before the suite, the suite before .mcp.json; ${NAME} is the environment's, or its default."""
    bed.suite({"id": "a", "call": call("env", "one", name="WHICH"), "expect": [{"contains": "is from the environment"}]},
              {"id": "b", "call": call("env", "two", name="WHICH"), "expect": [{"contains": "is suite-default"}]},
              {"id": "c", "call": call("env", "three", name="WHICH"), "expect": [{"contains": "is project"}]},
              servers={"one": {"command": "nothing"}, "two": {**BAD_SERVER, "env": {"WHICH": "${NOT_SET:-suite-default}"}}})  # fmt: skip
    project = {"two": {"command": "nothing"}, "three": {**BAD_SERVER, "env": {"WHICH": "project"}}}
    (bed.folder / ".mcp.json").write_text(json.dumps({"mcpServers": project}))
    given = bed.folder / "given.json"
    given.write_text(json.dumps({"mcpServers": {"one": {**BAD_SERVER, "env": {"WHICH": "${FROM_HERE}"}}}}))
    monkeypatch.setenv("FROM_HERE", "from the environment")
    assert bed.run(mcp_config=str(given)).statuses == {"a": "pass", "b": "pass", "c": "pass"}
    monkeypatch.delenv("FROM_HERE")
    with pytest.raises(
        Refusal, match=r"given.json: server one needs \$\{FROM_HERE\}, which the environment does not have"
    ):
        bed.run(mcp_config=str(given))


def test_secrets_of_servers_are_in_no_file(bed, monkeypatch):
    """Neither one that is named like a secret nor one that came from the environment; the verdict saw them."""
    monkeypatch.setenv("HW_LOGIN", "plain-but-private-1")
    env = {"DB_PASSWORD": "hunter2-literal", "LOGIN": "${HW_LOGIN}"}
    bed.suite(
        {
            "id": "a",
            "call": call("env", name="DB_PASSWORD"),
            "expect": [{"contains": "hunter2-literal"}],
            "save_as": "it",
        },
        {"id": "b", "call": call("env", name="LOGIN"), "expect": [{"regex": "never: plain-but-private-1"}]},
        servers={"bad": {**BAD_SERVER, "env": env}},
    )
    came = bed.run(html=str(bed.folder / "r.html"))
    assert came.statuses == {"a": "pass", "b": "fail"}
    assert "the value is ***" in came.row("b")["calls"][0]["result"]
    written = [path for path in (*came.path.iterdir(), bed.folder / "r.html", bed.file.parent / "report.md")]
    for path in written:
        if path.name != "plan.jsonl":  # the suite's own words
            assert "hunter2-literal" not in path.read_text() and "plain-but-private-1" not in path.read_text(), path


@pytest.mark.parametrize(
    ("server", "why"),
    [
        ({"command": "x", "args": "y"}, "its args must be a list"),
        ({"command": "x", "env": ["y"]}, "its env must be a mapping"),
        ({"type": "sse", "url": "http://x"}, 'has the type "sse"; direct runs speak stdio and http'),
        ({"type": "http"}, "has no url"),
        ({}, "has no command"),
        ("x", "is not a mapping"),
    ],
)
def test_a_server_that_is_written_wrong_is_told_before_the_run(bed, server, why):
    """With the file and its name."""
    bed.suite(echo("a"), servers={"demo": server})
    with pytest.raises(Refusal, match=f"tests.json: server demo:? {why}"):
        bed.run()
