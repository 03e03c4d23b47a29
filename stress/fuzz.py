"""Coverage-guided fuzzing of every decoder with atheris, each in a process of its own.

    python -m stress.fuzz [--inputs 10000000] [--only NAME] [--corpus DIR]

The inputs are shared out by speed: each decoder gets the same time first, and what is left goes round again.
A crash stops its decoder, and the input that did it is kept in the corpus folder.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from stress.decoders import BY_NAME, DECODERS, Decoder

ROUND_S = 20
RUNS = re.compile(rb"#(\d+)\s+DONE|stat::number_of_executed_units: (\d+)")


def fuzz_one(name: str, folder: Path, seconds: int, most: int) -> None:
    """What a child does: never returns."""
    import atheris

    with atheris.instrument_imports(include=["hookwright"]):
        for module in [each for each in sys.modules if each.startswith("hookwright")]:
            del sys.modules[module]  # imported for the table, without instruments
        sys.modules.pop("stress.decoders", None)
        from stress.decoders import BY_NAME as INSTRUMENTED
    flags = [f"-max_total_time={seconds}", f"-runs={most}", "-print_final_stats=1", "-rss_limit_mb=2048", "-timeout=10"]
    atheris.Setup([sys.argv[0], *flags, f"-artifact_prefix={folder}/crash-", str(folder)], INSTRUMENTED[name].take)
    atheris.Fuzz()


class Round:
    """How one decoder stands."""

    def __init__(self, decoder: Decoder, corpus: Path) -> None:
        self.decoder = decoder
        self.folder = corpus / decoder.name.replace(" ", "-")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.inputs = 0
        self.crash = ""
        for number, seed in enumerate(decoder.seeds()):
            (self.folder / f"seed-{number}").write_bytes(seed)

    def go_on(self, seconds: int, most: int) -> None:
        """One round of it in a process of its own."""
        child = [sys.executable, "-m", "stress.fuzz", "--child", self.decoder.name, "--corpus", str(self.folder)]
        child += ["--seconds", str(seconds), "--inputs", str(most)]
        done = subprocess.run(child, capture_output=True, check=False)
        ran = [int(a or b) for a, b in RUNS.findall(done.stderr)]
        self.inputs += max(ran, default=0)
        if done.returncode:
            self.crash = done.stderr.decode("utf-8", "replace")[-2000:]


def main(argv: list[str] | None = None) -> int:
    """Print a line for each decoder; 1 where one crashed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=10_000_000, help="overall; default: ten million")
    parser.add_argument("--only", default="", help="decoders with this in their name")
    parser.add_argument("--corpus", default="", metavar="DIR", help="kept from night to night; default: thrown away")
    parser.add_argument("--seconds", type=int, default=ROUND_S, help=argparse.SUPPRESS)
    parser.add_argument("--child", default="", choices=["", *BY_NAME], help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.child:
        fuzz_one(args.child, Path(args.corpus), args.seconds, args.inputs)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(args.corpus or scratch)
        rounds = [Round(decoder, corpus) for decoder in DECODERS if args.only in decoder.name]
        _go_round(rounds, args.inputs)
    for each in rounds:
        print(f"{each.decoder.name:<20} {each.inputs:>12,} inputs  {'CRASH' if each.crash else 'no crash'}")
        if each.crash:
            print(each.crash)
    print(f"{'all':<20} {sum(each.inputs for each in rounds):>12,} inputs")
    return 1 if any(each.crash for each in rounds) else 0


def _go_round(rounds: list[Round], wanted: int) -> None:
    """Until the inputs are reached; a decoder that crashed has told what it had to."""
    while (left := wanted - sum(each.inputs for each in rounds)) > 0:
        standing = [each for each in rounds if not each.crash]
        if not standing:
            return
        for each in standing:
            each.go_on(ROUND_S, min(left, max(1, wanted // len(rounds))))
            print(f"  {each.decoder.name}: {each.inputs:,}", file=sys.stderr, flush=True)
            left = wanted - sum(one.inputs for one in rounds)
            if left <= 0:
                return


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
