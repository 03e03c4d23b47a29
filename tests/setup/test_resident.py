"""`init --resident` and `resident`: settings that lead to a server while it runs, and to commands while it does not."""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from setup.running import Said, verb

from hookwright.agents.over_http import BY_COMMAND
from hookwright.resident import start, state
from hookwright.setup.resident_check import may_be_sent_to, proxy_in_between

CONFIG = """\
handlers: [".hookwright/handlers.py"]
postToolUse: {commands: [{run: "true"}]}
cwdChanged: {commands: [{run: "true"}]}
"""
HANDLERS = """\
from hookwright import deny, on
@on.PreToolUse(tool='Bash', on_error='block')
def never(event): return deny('never')
"""


class House:
    """A project with a home, and whatever server it gets."""

    def __init__(self, folder: Path) -> None:
        self.path, self.home = folder / "it's a $pro ject", folder / "home"
        (self.path / ".hookwright").mkdir(parents=True)
        self.home.mkdir()
        (self.path / ".hookwright/handlers.py").write_text(HANDLERS)
        (self.path / ".hookwright.yaml").write_text(CONFIG)
        self.settings = self.path / ".claude/settings.local.json"

    def run(self, *words: str) -> Said:
        return verb(*words, cwd=self.path, home=self.home)

    def entries(self) -> dict[str, dict[str, object]]:
        hooks = json.loads(self.settings.read_text())["hooks"]
        return {event: groups[0]["hooks"][0] for event, groups in hooks.items()}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    start.stop(str(made.path))


def test_a_life_with_a_server(house: House) -> None:
    """Chosen, used, stopped, started, left again: the settings say each time what is so, and in the end what they said."""
    house.settings.parent.mkdir()
    others = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "theirs"}]}]}, "model": "x"}
    house.settings.write_text(json.dumps(others, indent=2))
    said = house.run("init", "--resident")
    assert said.code == 0, said.err
    assert stat.S_IMODE(house.settings.stat().st_mode) == 0o600  # it holds the token
    token, server = state.token(str(house.path)), state.running(str(house.path))
    document = json.loads(house.settings.read_text())
    assert document["hooks"]["PreToolUse"][0] == others["hooks"]["PreToolUse"][0]
    assert document["hooks"]["PreToolUse"][1] == {
        "matcher": "Bash",
        "hooks": [
            {
                "type": "http",
                "url": f"http://127.0.0.1:{server['port']}/hook",
                "headers": {"Authorization": f"Bearer {token}"},
                "hookwright": "1",
                "onFailure": "block",  # its handler says on_error="block"
            }
        ],
    }
    entries = house.entries() | {"PreToolUse": document["hooks"]["PreToolUse"][1]["hooks"][0]}
    assert entries.keys() == {"PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "CwdChanged"}
    for event, handler in entries.items():
        assert handler["type"] == ("command" if event in BY_COMMAND else "http")
        assert ("onFailure" in handler) == (event == "PreToolUse")
    assert "nothing had to change\n" in house.run("sync").out
    assert "resident     the resident server runs" in house.run("doctor").out
    assert house.run("resident", "status").out.startswith(f"running     process {server['pid']}, port {server['port']}")

    assert house.run("resident", "stop").out == "stopped\n"
    assert token not in house.settings.read_text()
    assert state.running(str(house.path)) == {}
    assert "nothing had to change" in house.run("sync").out
    assert house.run("resident", "status").code == 1
    assert house.run("resident", "stop").out == "no resident server runs here\n"

    assert house.run("resident", "start").code == 0
    assert json.loads(house.settings.read_text()) == document  # same port, same token
    said = house.run("uninstall")
    assert "the resident server" in said.out
    assert json.loads(house.settings.read_text()) == others
    assert state.running(str(house.path)) == {}
    assert list((house.path / ".hookwright/state").glob("resident*")) == []


def test_a_dry_run_starts_nothing(house: House) -> None:
    """And shows no token."""
    said = house.run("init", "--resident", "--dry-run")
    assert said.code == 0
    assert "resident/boot.py" in said.out
    assert not (house.path / ".hookwright/state").exists()
    assert not house.settings.exists()


def test_it_is_refused_where_it_would_answer_twice_or_leak(house: House) -> None:
    """Beside a registration that others share; in a file that git would take; in another scope; where nothing is sent."""
    assert house.run("init", "--resident", "--scope", "user").code == 64
    house.settings.parent.mkdir()
    house.settings.write_text('{"allowedHttpHookUrls": ["https://*.example/*"]}')
    said = house.run("init", "--resident")
    assert (said.code, "allowedHttpHookUrls in your settings keeps events" in said.err) == (3, True)
    house.settings.unlink()
    subprocess.run(["git", "init", "--quiet", str(house.path)], check=True)
    said = house.run("init", "--resident")
    assert (said.code, "git does not ignore .claude/settings.local.json" in said.err) == (3, True)
    (house.path / ".gitignore").write_text(".claude/settings.local.json\n")
    house.run("init")
    said = house.run("init", "--resident")
    assert (said.code, "hookwright uninstall --scope project" in said.err) == (3, True)
    assert state.running(str(house.path)) == {}


def test_doctor_sees_what_is_wrong_with_a_server(house: House) -> None:
    """Settings that others can read; a server that is gone while settings lead to it. A start has them lead to it again."""
    assert house.run("init", "--resident").code == 0
    house.settings.chmod(0o644)
    said = house.run("doctor")
    assert "others can read it" in said.out
    assert said.code == 1
    (house.path / ".hookwright/state" / state.TOKEN).unlink()
    assert "its token is gone" in house.run("doctor").out
    start.stop(str(house.path), state.RUNNING)  # as if it had been killed
    assert "the resident server does not run and the settings lead to it" in house.run("doctor").out
    assert house.run("resident", "start").code == 0
    sent, port, token = house.entries()["PostToolUse"], start.start(str(house.path)).port, state.token(str(house.path))
    assert (sent["url"], sent["headers"]) == (f"http://127.0.0.1:{port}/hook", {"Authorization": f"Bearer {token}"})


def test_without_init_a_server_serves_nobody_and_says_so(house: House) -> None:
    """`resident start` alone changes no settings."""
    said = house.run("resident", "start")
    assert "no settings lead to it: run `hookwright init --resident`" in said.out
    assert not house.settings.exists()


def test_a_token_that_came_with_a_clone_is_not_used(house: House) -> None:
    """Whoever made the repository would know it."""
    folder = house.path / ".hookwright/state"
    folder.mkdir(mode=0o700)
    (folder / state.TOKEN).write_text("a" * 64)
    (folder / state.TOKEN).chmod(0o600)
    assert house.run("init", "--resident").code == 0
    assert state.token(str(house.path)) not in ("", "a" * 64)


def test_a_server_can_be_stopped_whatever_the_settings_say(house: House) -> None:
    """The file that cannot be read is named; the server is gone all the same."""
    assert house.run("init", "--resident").code == 0
    house.settings.write_text("{ broken")
    said = house.run("resident", "stop")
    assert (said.code, "settings.local.json:1:3" in said.err) == (3, True)
    assert state.running(str(house.path)) == {}


@pytest.mark.parametrize(
    ("allowed", "sent"),
    [
        ([{}], True),
        ([{"allowedHttpHookUrls": []}], False),
        ([{"allowedHttpHookUrls": ["http://127.0.0.1:*"]}], True),
        ([{"allowedHttpHookUrls": ["https://hooks.example/*"]}, {"allowedHttpHookUrls": ["*"]}], True),
        ([{"allowedHttpHookUrls": ["http://127x0x0x1:*"]}, {"allowedHttpHookUrls": "*"}, []], False),
    ],
)
def test_the_clients_list_of_addresses_is_heeded(allowed: list[object], sent: bool) -> None:
    """All settings together name where events may be sent; without a list anywhere it is everywhere."""
    facts = SimpleNamespace(documents=dict(enumerate(allowed)), managed={})
    assert may_be_sent_to(facts, "http://127.0.0.1:4000/hook") is sent


@pytest.mark.parametrize(
    ("variables", "settings", "proxy"),
    [
        ({"PATH": "/bin"}, {}, ""),
        ({"HTTPS_PROXY": "http://proxy:1"}, {}, "HTTPS_PROXY"),
        ({"http_proxy": "http://proxy:1", "NO_PROXY": "localhost, intern"}, {}, "http_proxy"),
        ({"HTTP_PROXY": "http://proxy:1", "no_proxy": "localhost,127.0.0.1"}, {}, ""),
        ({}, {"env": {"HTTP_PROXY": "http://proxy:1"}}, "HTTP_PROXY"),
        ({"HTTP_PROXY": "http://proxy:1"}, {"env": {"NO_PROXY": "*"}}, ""),
        ({"HTTP_PROXY": ""}, {"env": []}, ""),
    ],
)
def test_a_proxy_would_be_told_the_events(variables: dict[str, str], settings: object, proxy: str) -> None:
    """The client asks it for 127.0.0.1, too, unless it is told not to (seen with 2.1.325)."""
    facts = SimpleNamespace(documents={1: settings}, managed={})
    assert proxy_in_between(facts, variables) == proxy


def test_no_server_behind_a_proxy(house: House) -> None:
    """Events would go elsewhere, with the token."""
    said = verb("init", "--resident", cwd=house.path, home=house.home, HTTPS_PROXY="http://127.0.0.1:9")
    assert (said.code, "Add 127.0.0.1 to NO_PROXY first" in said.err) == (3, True)
    assert not house.settings.exists()
