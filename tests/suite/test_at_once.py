"""Many processes at one run, and processes that are killed: the state is always a whole one, and nothing counts twice."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import hookwright

SOURCE = str(Path(hookwright.__file__).parent.parent)
MANY = {"tests": [{"id": f"t{n}", "action": f"Say {n}", "expect": [{"contains": "x"}]} for n in range(200)]}
WORKER = """
import sys
from hookwright.errors import Refusal
from hookwright.suite import actions
folder = sys.argv[1]
while True:
    try:
        actions.do(folder, "next")
        actions.do(folder, "validate", "x")
    except Refusal as refusal:
        if "is completed" in str(refusal):
            break
"""


def start(folder):
    command = [sys.executable, "-c", WORKER, str(folder)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": SOURCE}, stderr=subprocess.PIPE)


def whole(bed):
    """The state, which must be readable at any moment, with each test at most once and in order."""
    state = bed.state
    ids = [result["id"] for result in state["results"]]
    assert ids == [f"t{n}" for n in range(len(ids))] and state["current_index"] == len(ids)
    return state


def test_eight_processes_at_once(bed):
    """Each test is judged exactly once, whoever gets to it."""
    bed.suite(MANY).init()
    workers = [start(bed.folder) for _ in range(8)]
    errors = [worker.communicate(timeout=120)[1] for worker in workers]
    assert errors == [b""] * 8
    assert (whole(bed)["mode"], len(bed.state["results"])) == ("completed", 200)


KILLED = """
import posix, signal, sys
left = int(sys.argv[2])
def counted(call):
    def instead(*args, **options):
        global left
        left -= 1
        if left == 0:
            posix.kill(posix.getpid(), signal.SIGKILL)
        return call(*args, **options)
    return instead
for name in ("open", "write", "close", "replace", "mkdir", "unlink"):
    setattr(posix, name, counted(getattr(posix, name)))
from hookwright.errors import Refusal
from hookwright.suite import actions
for word, text in (("next", ""), ("validate", "x"), ("next", ""), ("validate", "x")):
    actions.do(sys.argv[1], word, text)
"""


def test_killed_at_any_moment(bed):
    """At every single call that touches a file: the state is whole, the lock is free, nothing counts twice or is lost."""
    killed = 0
    while True:
        bed.suite({"tests": MANY["tests"][:2]}).init(reset=True)
        command = [sys.executable, "-c", KILLED, str(bed.folder), str(killed + 1)]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": SOURCE}, capture_output=True, timeout=60)
        whole(bed)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        killed += 1
        while bed.state["mode"] == "running":
            bed.do("next")
            bed.do("validate", "x")
        assert set(bed.statuses.values()) == {"pass"} and len(whole(bed)["results"]) == 2
        report = json.loads((bed.run_folder / "report.json").read_text())
        assert [row["answer"] for row in report["results"]] == ["x", "x"]
    assert killed > 30
    assert [file.name for file in (bed.folder / ".claude").iterdir()] == ["test-state.json"]
    assert not list((bed.folder / ".hookwright/state").glob("*.new"))
