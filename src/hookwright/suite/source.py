"""A suite file, JSON or YAML, as nodes that know their line."""

from __future__ import annotations

import json
import re

from yaml.nodes import Node

from hookwright.yaml_nodes import NotYaml, root

# Both halves of a character beyond U+FFFF, as JSON escapes them; YAML wants one escape. Others are kept whole.
_ESCAPES = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|.)", re.DOTALL)


def nodes_of(data: bytes, name: str) -> Node | None:
    """The top node; None for an empty file. Raises NotYaml with the line."""
    return root(_yaml_of_json(data) if name.endswith(".json") else data)


def _yaml_of_json(data: bytes) -> bytes:
    """The same document where every value keeps its line. JSON is YAML, but for tabs and for halved characters."""
    try:
        text = data.decode("utf-8-sig")
        json.loads(text)
    except UnicodeDecodeError:
        return data  # the next reader says where
    except json.JSONDecodeError as error:
        raise NotYaml(f"not valid JSON: {error.msg}", error.lineno, error.colno) from error
    except RecursionError as error:
        raise NotYaml("nested too deep") from error
    return _ESCAPES.sub(_whole, text.replace("\t", " ")).encode()


def _whole(match: re.Match[str]) -> str:
    if not match[1]:
        return "/" if match[0] == "\\/" else match[0]
    return f"\\U{ord(bytes.fromhex(match[1] + match[2]).decode('utf-16-be')):08x}"
