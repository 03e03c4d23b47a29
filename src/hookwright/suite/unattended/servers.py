"""The MCP servers of a run: from the suite's `servers`, from `--mcp-config`, from the project's `.mcp.json`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hookwright.errors import Refusal, did_you_mean
from hookwright.masks import MASK, masked
from hookwright.secret_kinds import SECRET_NAMES
from hookwright.shapes import Problem
from hookwright.suite.suites import Suite

Json = dict[str, Any]
PROJECT_FILE = ".mcp.json"
HTTP = ("http", "streamable-http", "streamable_http", "streamableHttp")
SHORTEST = 4  # a secret of fewer characters would mask half of every report
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}")
_SECRET_WORDS = (*SECRET_NAMES, "_key", "_pass", "_pwd", "_auth", "cookie")


class Servers:
    """Servers by name, as they are written, and where each stands."""

    def __init__(self, suite: Suite, project: str, mcp_config: str | None = None) -> None:
        self.suite = suite
        self.written: dict[str, Json] = {}
        self._file: dict[str, str] = {}
        self._add(_in_file(f"{project}/{PROJECT_FILE}", may_be_missing=True), PROJECT_FILE)
        self._add(suite.servers, suite.report.file)
        if mcp_config is not None:  # who names a file on the command line means it
            self._add(_in_file(mcp_config), mcp_config)

    def _add(self, servers: Json, file: str) -> None:
        for name, server in servers.items():
            self.written[name] = server
            self._file[name] = file

    def check(self, cases: Sequence[Json], directly: bool) -> None:
        """Every server that a call names is there, and can be started by us. Raises Refusal with the line."""
        problems = []
        for case in cases:
            name = (case.get("call") or {}).get("server")
            if name is not None and name not in self.written:
                at = self.suite.keys[id(case)]
                marks = self.suite.report.marks
                mark = marks.get(f"{at}.call.server") or marks.get(f"{at}.call") or marks.get(at) or (1, 1)
                text = f'there is no server "{name}"{did_you_mean(name, self.written)}'.rstrip(".")
                problems.append(str(Problem(self.suite.report.file, *mark, f"{at}.call.server", text)))
        if not problems and directly:
            for name in dict.fromkeys((case.get("call") or {}).get("server") for case in cases):
                if name is not None:
                    self.ready(name)
        if problems:
            listed = "\n".join(problems)
            raise Refusal(
                f"no run was begun:\n{listed}\n"
                "A server is named in the suite's `servers`, in --mcp-config FILE or in the project's .mcp.json."
            )

    def ready(self, name: str) -> Json:
        """A server with its `${NAME}` taken from the environment. Raises Refusal."""
        server = self.written[name]
        where = f"{self._file[name]}: server {name}"
        if not isinstance(server, dict):
            raise Refusal(f"{where} is not a mapping; it needs a command or a url.")
        try:
            filled: Json = _expanded(server, where)
        except RecursionError:
            raise Refusal(f"{where} is nested too deeply.") from None
        kind = filled.get("type") or ("http" if filled.get("url") else "stdio")
        if kind == "stdio" and not isinstance(filled.get("command"), str):
            raise Refusal(f"{where} has no command.")
        for key, shape, words in (("args", list, "a list"), ("env", dict, "a mapping"), ("headers", dict, "a mapping")):
            if not isinstance(filled.get(key) or shape(), shape):
                raise Refusal(f"{where}: its {key} must be {words}.")
        if kind != "stdio" and kind not in HTTP:
            raise Refusal(f'{where} has the type "{kind}"; direct runs speak stdio and http (streamable).')
        if kind != "stdio" and not isinstance(filled.get("url"), str):
            raise Refusal(f"{where} has no url.")
        return {**filled, "type": "stdio" if kind == "stdio" else "http"}

    def secrets(self) -> list[str]:
        """What must be in no report: headers, what came from the environment by name, what is named like a secret."""
        found = {value for name, value in os.environ.items() if _is_secret(name) and len(value) >= 2 * SHORTEST}
        for server in self.written.values():
            for section in ("env", "headers"):
                values = server.get(section) if isinstance(server, dict) else None
                for name, value in values.items() if isinstance(values, dict) else ():
                    text = str(value)
                    found.update(os.environ.get(match[1], "") for match in _REFERENCE.finditer(text))
                    if section == "headers" or _is_secret(str(name)):
                        found.update((text, text.rpartition(" ")[2]))
        return sorted((value for value in found if len(value) >= SHORTEST), key=len, reverse=True)


def masked_with(secrets: Sequence[str], value: Any) -> Any:
    """Any JSON value without these texts, and without what looks like a secret."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASK)
        return masked(value)
    if isinstance(value, Mapping):
        return {key: masked_with(secrets, member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [masked_with(secrets, member) for member in value]
    return value


def _is_secret(name: str) -> bool:
    lower = name.lower()
    return any(word in lower for word in _SECRET_WORDS)


def _in_file(path: str, may_be_missing: bool = False) -> Json:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except FileNotFoundError:
        if may_be_missing:
            return {}
        raise Refusal(f"there is no {path}.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise Refusal(f"{path} cannot be read: {error}.") from error
    servers = document.get("mcpServers") if isinstance(document, dict) else None
    if servers is None and may_be_missing:
        return {}
    if not isinstance(servers, dict):
        raise Refusal(f'{path} has no "mcpServers".')
    return servers


def _expanded(value: Any, where: str) -> Any:
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: _from_environment(match, where), value)
    if isinstance(value, dict):
        return {key: _expanded(member, where) for key, member in value.items()}
    if isinstance(value, list):
        return [_expanded(member, where) for member in value]
    return value


def _from_environment(match: re.Match[str], where: str) -> str:
    value = os.environ.get(match[1]) or match[2]
    if value is None:
        raise Refusal(f"{where} needs ${{{match[1]}}}, which the environment does not have.")
    return value
