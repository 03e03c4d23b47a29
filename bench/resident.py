"""What an event costs with a resident server: alone, as a Node parent sees it beside commands, and in memory.

One command: `python bench/resident.py [--rounds N] [--events N]`; `--events 100000` is the long run for memory.
The Rust peer (clap, tokio, serde) is built once; without crates a std-only one stands in, and says so.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from load import Echo, Load
from measure import WALL, Row, interleave, machine, ratio, table
from peers import Missing, rust_program, rust_without_crates
from startup import BOOT, HANDLERS, payload

from hookwright.resident import ask, start

HERE = Path(__file__).parent
CONNECTIONS = (1, 8, 64)
JSON = "python -I -S with json by sh -c"
RATES = (0.0, 200.0, 1000.0)  # events a second from all conversations together; 0: each as soon as it has its answer


def project(folder: Path) -> Path:
    """One Python handler, and the payload it denies."""
    (folder / ".hookwright").mkdir()
    (folder / ".hookwright/handlers.py").write_text(HANDLERS)
    (folder / ".hookwright.yaml").write_text('handlers: [".hookwright/handlers.py"]\n')
    return Path(payload(folder, "PreToolUse"))


def rust_peer() -> tuple[str, str]:
    """(what it is, its program); ("", "") where nothing can be compiled."""
    for name, build in (("clap, tokio, serde", rust_program), ("std only: no crates to be had", rust_without_crates)):
        try:
            return f"Rust hook ({name}) by sh -c", build()[0]
        except Missing as missing:
            print(f"(not measured: Rust hook, {name}: {missing})")
    return "", ""


def cpu_ms(folder: Path) -> float:
    """What the server and all its workers, gone ones too, have used."""
    status, ticks = ask.status(str(folder)), 0
    for pid, figures in [*((pid, 2) for pid in status["workers"]), (status["pid"], 4)]:
        with suppress(FileNotFoundError), open(f"/proc/{pid}/stat") as file:  # a worker may just have gone
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11 : 11 + figures]))
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def alone(load: Load, echo: Load, folder: Path, events: int) -> str:
    """The server's own figures: as busy as it can be, and at rates that are met; beside what waking a process costs."""
    title = "server alone, one Python handler"
    head = f"{'p50 ms':>8} {'p99 ms':>8} {'events/s':>9} {'CPU ms/event':>13} {'echo p50':>9} {'echo p99':>9}"
    lines, goals = [f"{title:<44} {head}"], []
    for rate in RATES:
        for connections in CONNECTIONS:
            load.run(connections, connections * 5)
            used = cpu_ms(folder)
            took, reached = load.run(connections, max(events, connections * 20), rate)
            each = (cpu_ms(folder) - used) / len(took)
            p50, p99 = typical_and_worst(took)
            name = (
                f"{connections} client{'s' * (connections > 1)}, {f'{rate:.0f} events/s' if rate else 'back to back'}"
            )
            beside = " ".join(f"{ms:>9.2f}" for ms in typical_and_worst(echo.run(connections, len(took), rate)[0]))
            lines.append(f"{name:<44} {p50:>8.2f} {p99:>8.2f} {reached:>9.0f} {each:>13.2f} {beside}")
            if connections == 8:
                goals += [verdict(f"p50, {name}", p50, 1.0, "ms"), verdict(f"p99, {name}", p99, 5.0, "ms")]
    return "\n".join([*lines, "", *goals])


def typical_and_worst(took: list[float]) -> tuple[float, float]:
    return statistics.median(took), statistics.quantiles(took, n=100)[98]


def verdict(what: str, reached: float, most: float, unit: str) -> str:
    """One goal of issue 9, and whether it is met."""
    return f"{'met   ' if reached <= most else 'MISSED'} {what}: {reached:.2f} {unit} (goal {most:.2f})"


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
        row(JSON, command=f"{python} -c 'import json, sys; json.load(sys.stdin)'"),
        row("hook: hookwright, cold, by sh -c", command=f"exec {python} '{BOOT}'"),
    ]
    try:
        interleave(rows, rounds)
    finally:
        node.stdin.close()
        node.wait()
        node.stdout.close()
    goals = {name: most for name, most in ((rows[1].name, 0.4), (JSON, 0.2))}
    told = []
    for each in rows[1:]:
        reached = ratio(rows[0], each, WALL)
        mark = "" if each.name not in goals else f" (goal {goals[each.name]:.2f})"
        met = "      " if not mark else "met   " if reached.value <= goals[each.name] else "MISSED"
        told.append(f"{met} resident: {reached}x of `{each.name}`{mark}")
    return "\n".join([table(rows, rows[0]), "", *told])


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
            load = Load(started.port, started.token, event.read_bytes())
            load.run(1, 1)  # compiles the config
            print(f"A resident event from a Node parent. {machine()}; {args.rounds} interleaved rounds\n")
            print(f"{beside_commands(started, event, args.rounds)}\n", flush=True)
            with Echo() as port:
                print(f"{alone(load, Load(port, '', event.read_bytes()), folder, 800)}\n", flush=True)
            print(growth(load, folder, args.events), end="\n\n", flush=True)
            together, own, _ = memory(folder)
        finally:
            start.stop(name)
    print(verdict("memory of the server", own, 25.0, "MB"))
    print(verdict("memory of server and workers, shared pages counted once", together, 25.0, "MB"))
    print(verdict("from nothing to the first answer", ready_ms(7), 150.0, "ms"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
