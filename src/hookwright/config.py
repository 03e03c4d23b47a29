"""YAML -> checked -> bindings. PLACEHOLDER until the checker lands."""

from __future__ import annotations

import yaml

from hookwright import bindings
from hookwright.bindings import Table
from hookwright.handlers import bindings_in
from hookwright.paths import folder_of, make_folders


def compile_config(path: str) -> Table:
    with open(path, "rb") as f:
        data = yaml.load(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    rows, sources, code = {}, {}, {}
    for name in data.get("handlers") or []:
        file = f"{folder_of(path)}/{name}"
        sources[file] = bindings.identity(file)
        found, code[file] = bindings_in(file, name)
        for event, binding in found:
            rows.setdefault(event, []).append(binding.row())
    table = Table(rows, sources, code)
    try:
        make_folders(path)
        bindings.store(path, table)
    except OSError:
        pass
    return table
