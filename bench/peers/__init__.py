"""The same decision (deny a force-push) as others write it; each peer is one function of the table below.

What has to be built or fetched is kept in ~/.cache/hookwright-bench. A peer that this machine cannot have says why.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path.home() / ".cache/hookwright-bench"
BUILD_LIMIT_S = 300


class Missing(Exception):
    """This machine cannot run the peer; the text says why."""


def program(name: str) -> str:
    """The absolute path of a program, real and not a shim: shims cost more than what they start."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if found is None:
        raise Missing(f"{name} is not on this machine")
    return found


def true() -> list[str]:
    return [program("true")]


def c_program() -> list[str]:
    """Static where the C library allows it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    built = CACHE / "c-hook"
    for options in (["-static"], []):
        done = subprocess.run([program("cc"), "-O2", *options, str(HERE / "hook.c"), "-o", str(built)], check=False)
        if done.returncode == 0:
            return [str(built)]
    raise Missing("the C program does not build")


def rust_program() -> list[str]:
    """With clap, tokio and serde; built once."""
    target = CACHE / "rust/target"
    command = [program("cargo"), "build", "--release", "--quiet", "--target-dir", str(target)]
    command += ["--manifest-path", str(HERE / "rust/Cargo.toml")]
    try:
        done = subprocess.run(command, capture_output=True, timeout=BUILD_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Missing(f"cargo took more than {BUILD_LIMIT_S} s") from None
    if done.returncode:
        raise Missing(f"cargo: {done.stderr.decode().strip().splitlines()[-1]}")
    return [str(target / "release/rust-hook")]


def rust_without_crates() -> list[str]:
    """The standard library only."""
    CACHE.mkdir(parents=True, exist_ok=True)
    built = CACHE / "rust-std-hook"
    if subprocess.run([program("rustc"), "-O", str(HERE / "hook.rs"), "-o", str(built)], check=False).returncode:
        raise Missing("rustc cannot build it")
    return [str(built)]


def with_cchooks() -> list[str]:
    return _python_with("cchooks")


def with_cchooks_by_uv() -> list[str]:
    """As its README has it: the script says what it needs, and uv finds it (in its cache, after the first time)."""
    command = [program("uv"), "run", "--quiet", "--script", str(HERE / "cchooks_hook.py")]
    payload = b'{"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/", '
    payload += b'"tool_name": "Bash", "tool_input": {}}'
    if subprocess.run(command, input=payload, capture_output=True, check=False).returncode:
        raise Missing("uv cannot fetch cchooks")
    return [command[0], "run", "--offline", *command[2:]]


def with_fasthooks() -> list[str]:
    return _python_with("fasthooks")


def with_json() -> list[str]:
    """The least that a hook in Python does."""
    return [sys.executable, "-I", "-S", "-c", "import json, sys; json.load(sys.stdin)"]


def with_node() -> list[str]:
    return [program("node"), str(HERE / "hook.js")]


def with_bash_and_jq() -> list[str]:
    program("jq")
    return [program("bash"), str(HERE / "jq.sh")]


def with_moai() -> list[str]:
    """A Go program that knows this danger by itself."""
    return [program("moai"), "hook", "pre-tool"]


def with_conclaude() -> list[str]:
    """A Rust program; it has no rule for what a command says, so it reads the event and its own config."""
    conclaude, folder = program("conclaude"), CACHE / "conclaude"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".conclaude.yaml").write_text("stop: {}\nrules: {preventRootAdditions: true}\n")
    return [program("env"), "-C", str(folder), conclaude, "--disable-file-logging", "PreToolUse"]


def with_three_pythons() -> list[str]:
    """With this interpreter as python3: the shims of version managers would make it look ten times worse."""
    path = f"PATH={Path(sys.executable).parent}:{os.environ['PATH']}"
    return [program("env"), path, program("bash"), str(HERE / "three_pythons.sh")]


def _python_with(module: str) -> list[str]:
    if importlib.util.find_spec(module) is None:
        raise Missing(f"{module} is not installed; `make bench` installs it")
    return [sys.executable, str(HERE / f"{module}_hook.py")]


PEERS: dict[str, Callable[[], list[str]]] = {
    "true": true,
    "static C program": c_program,
    "Rust: clap, tokio, serde": rust_program,
    "conclaude (Rust)": with_conclaude,
    "moai (Go)": with_moai,
    "python -I -S with json": with_json,
    "node": with_node,
    "bash + jq": with_bash_and_jq,
    "cchooks": with_cchooks,
    "cchooks by uv run": with_cchooks_by_uv,
    "fasthooks": with_fasthooks,
    "bash wrapper, three python3": with_three_pythons,
}
