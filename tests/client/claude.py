"""The real Claude Code client: installed once at a pinned version, run headless against a scripted model."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal, Self

from client.scripted_model import ScriptedModel

Json = dict[str, Any]

PACKAGE, VERSION = "@anthropic-ai/claude-code", "2.1.325"
CACHE = Path(__file__).resolve().parent / ".npm"
HEADLESS = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
UNATTENDED = ("--permission-mode", "bypassPermissions")


class NpmMissing(Exception):
    """This machine has no npm, so the client cannot be had."""


class ClientTimeout(Exception):
    """The client did not end in time; the message has what it wrote until then."""


def client_path() -> Path:
    """The client's native program, installed on first use."""
    link = CACHE / VERSION / "claude"
    if not link.exists():
        with _install_lock():
            if not link.exists():
                _install(link.parent)
    return link.resolve()


@contextmanager
def _install_lock() -> Iterator[None]:
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(target: Path) -> None:
    """Fill a directory beside `target` and rename it, so that a broken install is never taken for a whole one."""
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="installing-") as staging:
        filled = Path(staging, "filled")
        filled.mkdir()
        _npm_install(filled)
        program = _native_program(filled)
        (filled / "claude").symlink_to(program.relative_to(filled))
        filled.rename(target)


def _npm_install(prefix: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NpmMissing("not on this machine: npm and node, which install the Claude Code client")
    quiet = ("--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
    command = [npm, "install", "--prefix", str(prefix), *quiet, f"{PACKAGE}@{VERSION}"]
    done = subprocess.run(command, cwd=prefix, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"npm install of {PACKAGE}@{VERSION} failed:\n{done.stderr}")


def _native_program(prefix: Path) -> Path:
    """The program of the platform package npm chose; the main package has but a stub until its install script ran."""
    programs = sorted(prefix.glob(f"node_modules/{PACKAGE}-*/claude*"))
    for program in programs:
        if _version(program, home=prefix).startswith(VERSION):
            return program
    raise RuntimeError(f"npm installed no {PACKAGE} {VERSION} that runs on this platform, only: {programs}")


def _version(program: Path, home: Path) -> str:
    """What a program says of its version; nothing when it cannot run here, as one for another C library."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    with suppress(OSError):
        done = subprocess.run([program, "--version"], env=environment, stdin=subprocess.DEVNULL, capture_output=True)
        return done.stdout.decode()
    return ""


@dataclass(frozen=True)
class ClientRun:
    """What one run of the client wrote."""

    events: list[Json]
    exit_code: int
    stderr: str

    @property
    def hook_responses(self) -> list[Json]:
        return [event for event in self.events if event.get("subtype") == "hook_response"]

    @property
    def ending(self) -> Json:
        """The last event, of type `result`; a run without one is an error."""
        return next(event for event in reversed(self.events) if event["type"] == "result")

    @property
    def result(self) -> str:
        """The text the run ended with."""
        return str(self.ending["result"])


def run_claude(
    prompt: str,
    *,
    model: ScriptedModel,
    project: Path,
    home: Path,
    settings: Json | None = None,
    settings_by: Literal["project", "flag"] = "project",
    extra_args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    timeout_s: float = 60,
) -> ClientRun:
    """Run one headless conversation; `settings` go to the project's settings file, or by --settings with "flag"."""
    settings_file = project / ".claude/settings.json" if settings_by == "project" else home / "settings.json"
    if settings is not None:
        settings_file.parent.mkdir(parents=True, exist_ok=True)
        settings_file.write_text(json.dumps(settings, indent=2))
    by_flag = ("--settings", str(settings_file)) if settings is not None and settings_by == "flag" else ()
    command = [str(client_path()), "-p", prompt, *HEADLESS, *UNATTENDED, *by_flag, *extra_args]
    return _run(command, project, {**isolated_environment(model, home), **(env or {})}, timeout_s)


def isolated_environment(model: ScriptedModel, home: Path) -> dict[str, str]:
    """All the client gets to see: nothing of the developer's own set-up, and no address but the scripted model's."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-dummy-test",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
        # The client's own 1.5 s would let a busy machine decide whether a SessionEnd hook is heard.
        "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS": "30000",
    }


def _run(command: list[str], cwd: Path, env: dict[str, str], timeout_s: float) -> ClientRun:
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            stdout, stderr = _stop(process)
            raise ClientTimeout(f"not done after {timeout_s} s\n{stdout}\n{stderr}") from None
        finally:
            _signal_group(process, signal.SIGKILL)
    return ClientRun([json.loads(line) for line in stdout.split("\n") if line], process.returncode, stderr)


def _stop(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ask first: tool shells have process groups of their own, and only the client can end those."""
    _signal_group(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        return process.communicate(timeout=5)
    _signal_group(process, signal.SIGKILL)
    return process.communicate()


def _signal_group(process: subprocess.Popen[str], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
        os.killpg(process.pid, number)


def hooks_settings(command: str, events: Iterable[str]) -> Json:
    """Client settings that run one command on each of the events."""
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}] for event in events}}


@dataclass(frozen=True)
class ClaudeProject:
    """An empty project with a home of its own, in which hookwright can be configured and the client run."""

    path: Path
    home: Path
    hook_command: str

    @classmethod
    def create(cls, directory: Path, hook_command: str) -> Self:
        project = cls(directory / "project", directory / "home", hook_command)
        project.path.mkdir(parents=True)
        project.home.mkdir()
        return project

    def configure(self, yaml: str) -> None:
        (self.path / ".hookwright.yaml").write_text(dedent(yaml), encoding="utf-8")

    def write_handlers(self, source: str) -> None:
        """Give the project Python handlers, and a configuration that loads them."""
        self.configure('handlers: [".hookwright/handlers.py"]\n')
        file = self.path / ".hookwright/handlers.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(dedent(source), encoding="utf-8")

    def run(self, model: ScriptedModel, *, hooks: Iterable[str] = (), prompt: str = "Go.", **options: Any) -> ClientRun:
        """Run the client with hookwright on the named events; further options are those of `run_claude`."""
        settings = hooks_settings(self.hook_command, hooks)
        return run_claude(prompt, model=model, project=self.path, home=self.home, settings=settings, **options)
