"""What an event costs with a resident server: alone, as a Node parent sees it beside commands, and in memory.

One command: `python bench/resident.py [--rounds N] [--events N]`; `--events 100000` is the long run for memory.
The Rust peer (clap, tokio, serde) is built into .build/ once; without crates a std-only one stands in, and says so.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from measure import WALL, Row, interleave, machine, ratio, table
from startup import BOOT, HANDLERS, payload

from hookwright.resident import ask, start

HERE = Path(__file__).parent
BUILD = HERE.parent / ".build/rust_peer"
STD_ONLY = """use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    if text.contains("push --force") { print!("{{\\"decision\\":\\"deny\\"}}"); }
}
"""
CONCURRENT = (1, 8, 64)
PAUSE_S = 0.02  # between two events of one conversation, which is still far more than any conversation has


def project(folder: Path) -> Path:
    """One Python handler, and the payload it denies."""
    (folder / ".hookwright").mkdir()
    (folder / ".hookwright/handlers.py").write_text(HANDLERS)
    (folder / ".hookwright.yaml").write_text('handlers: [".hookwright/handlers.py"]\n')
    return Path(payload(folder, "PreToolUse"))


def rust_peer() -> tuple[str, str]:
    """(what it is, its program); ("", "") where nothing can be compiled."""
    program = BUILD / "release/rust_peer"
    if not program.exists() and shutil.which("cargo"):
        words = ["cargo", "build", "--release", "--quiet", "--target-dir", str(BUILD)]
        subprocess.run(words, cwd=HERE / "rust_peer", check=False)
    if program.exists():
        return "Rust hook (clap, tokio, serde) by sh -c", str(program)
    if not shutil.which("rustc"):
        return "", ""
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "std_only.rs").write_text(STD_ONLY)
    subprocess.run(["rustc", "-O", "-o", str(BUILD / "std_only"), str(BUILD / "std_only.rs")], check=True)
    return "Rust hook (std only: no crates to be had) by sh -c", str(BUILD / "std_only")


class Load:
    """Somebody with several connections, who sends the next event when the last one is answered, or a while after."""

    def __init__(self, started: start.Started, body: bytes) -> None:
        self.port = started.port
        head = (
            f"POST /hook HTTP/1.1\r\nHost: 127.0.0.1:{started.port}\r\nAuthorization: Bearer {started.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.request = head.encode() + body

    def run(self, concurrent: int, events: int, pause_s: float = 0.0) -> tuple[list[float], float]:
        """How long each took in ms, and how many there were in a second."""
        took: list[float] = []
        with selectors.DefaultSelector() as selector:
            due: dict[socket.socket, float] = {}
            began = time.perf_counter()
            for number in range(concurrent):
                connection = socket.create_connection(("127.0.0.1", self.port))
                selector.register(connection, selectors.EVENT_READ, [0.0])
                due[connection] = began + pause_s * number / concurrent
            while len(took) < events:
                now = time.perf_counter()
                for connection in [each for each, at in due.items() if at <= now]:
                    del due[connection]
                    selector.get_key(connection).data[0] = time.perf_counter()
                    connection.sendall(self.request)
                wait = max(0.0, min(due.values()) - time.perf_counter()) if due else None
                for key, _ in selector.select(wait):
                    answer = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    assert answer.startswith(b"HTTP/1.1 200"), answer
                    took.append((time.perf_counter() - key.data[0]) * 1000)
                    due[key.fileobj] = time.perf_counter() + pause_s  # type: ignore[index]
            seconds = time.perf_counter() - began
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]
        return took, events / seconds


def cpu_ms(folder: Path) -> float:
    """What the server and all its workers, gone ones too, have used."""
    status, ticks = ask.status(str(folder)), 0
    for pid, figures in [*((pid, 2) for pid in status["workers"]), (status["pid"], 4)]:
        with suppress(FileNotFoundError), open(f"/proc/{pid}/stat") as file:  # a worker may just have gone
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11 : 11 + figures]))
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def alone(load: Load, folder: Path, events: int) -> str:
    """The server's own figures; conversations that pause are what a server really meets."""
    title = "server alone, one Python handler"
    lines = [f"{title:<44} {'p50 ms':>8} {'p99 ms':>8} {'events/s':>9} {'CPU ms/event':>13}"]
    for pause_s, how in ((0.0, "back to back"), (PAUSE_S, f"{PAUSE_S * 1000:.0f} ms between events")):
        for concurrent in CONCURRENT:
            load.run(concurrent, concurrent * 5)
            used = cpu_ms(folder)
            took, rate = load.run(concurrent, max(events, concurrent * 20), pause_s)
            each = (cpu_ms(folder) - used) / len(took)
            p50, p99 = statistics.median(took), statistics.quantiles(took, n=100)[98]
            lines.append(f"{f'{concurrent} at once, {how}':<44} {p50:>8.2f} {p99:>8.2f} {rate:>9.0f} {each:>13.2f}")
    return "\n".join(lines)


def memory(folder: Path) -> tuple[float, float, int]:
    """(all processes together as the system counts shared pages once, the server's own, how many processes) in MB."""
    status = ask.status(str(folder))
    shares, own = [], 0.0
    for pid in (status["pid"], *status["workers"]):
        with suppress(FileNotFoundError), open(f"/proc/{pid}/smaps_rollup") as file:  # a worker may just have gone
            kb = {line.split(":")[0]: int(line.split()[1]) for line in file if line.startswith(("Rss", "Pss:"))}
            shares.append(kb["Pss"] / 1024)
            own = own or kb["Rss"] / 1024
    return sum(shares), own, len(shares)


def growth(load: Load, folder: Path, events: int) -> str:
    """Memory while events go by."""
    lines = [f"{'memory':<44} {'all MB':>8} {'server':>8} {'processes':>9}"]
    done = 0
    for share in (0.01, 0.1, 0.25, 0.5, 1.0):
        load.run(8, max(1, int(events * share) - done))
        done = int(events * share)
        time.sleep(0.1)
        together, own, processes = memory(folder)
        lines.append(f"{f'after {done} events':<44} {together:>8.1f} {own:>8.1f} {processes:>9}")
    return "\n".join(lines)


def ready_ms(rounds: int) -> float:
    """From nothing to the first answer."""
    took = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            start.start(folder)
            while not ask.status(folder):
                pass
            took.append((time.perf_counter() - began) * 1000)
            start.stop(folder)
    return statistics.median(took)


def beside_commands(started: start.Started, event: Path, rounds: int) -> str:
    """The server and its peers from one Node parent, interleaved."""
    node = subprocess.Popen(
        ["node", str(HERE / "node_parent.mjs"), str(event)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert node.stdin and node.stdout

    def row(name: str, **wanted: str) -> Row:
        def once() -> dict[str, float]:
            node.stdin.write(json.dumps(wanted) + "\n")  # type: ignore[union-attr]
            node.stdin.flush()  # type: ignore[union-attr]
            told = json.loads(node.stdout.readline())  # type: ignore[union-attr]
            assert told["answered"] or "hook" not in name, name
            return {WALL: told["ms"]}

        return Row(name, once)

    python = f"'{sys.executable}' -I -S"
    rows = [row("hook: hookwright, resident by http", url=f"http://127.0.0.1:{started.port}/hook", token=started.token)]
    name, program = rust_peer()
    if name:
        rows.append(row(f"hook: {name}", command=f"'{program}'"))
    rows += [
        row("true by sh -c", command="true"),
        row("python -I -S with json by sh -c", command=f"{python} -c 'import json, sys; json.load(sys.stdin)'"),
        row("hook: hookwright, cold, by sh -c", command=f"exec {python} '{BOOT}'"),
    ]
    try:
        interleave(rows, rounds)
    finally:
        node.stdin.close()
        node.wait()
        node.stdout.close()
    told = [f"{ratio(rows[0], each, WALL)} of {each.name}" for each in rows[1:]]
    return "\n".join(["from a Node parent", table(rows, rows[0]), "", "resident is", *(f"  {line}" for line in told)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--events", type=int, default=5000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        event = project(folder)
        started = start.start(name)
        assert started
        try:
            load = Load(started, event.read_bytes())
            load.run(1, 1)  # compiles the config
            print(f"{machine()}\n\n{beside_commands(started, event, args.rounds)}\n")
            print(f"{alone(load, folder, 800)}\n\n{growth(load, folder, args.events)}\n")
        finally:
            start.stop(name)
    print(f"ready: {ready_ms(7):.0f} ms from nothing to the first answer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
