"""One run at a time per project, also when its owner was killed; of those waiting only the newest runs."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from hookwright.affected.turns import turn


def test_alone(tmp_path):
    with turn(str(tmp_path), ["a.py"], 1) as files:
        assert files == ["a.py"]


def test_nobody_waits_for_ever(tmp_path):
    with turn(str(tmp_path), ["a.py"], 1), turn(str(tmp_path), ["b.py"], 0.05) as files:
        assert files is None


def test_newest_takes_over(tmp_path):
    """Two edits wait: the older gives way, the newer runs for the files of both."""
    state, got = str(tmp_path), {}

    def wait(name):
        with turn(state, [name], 30) as files:
            got[name] = files

    threads = [threading.Thread(target=wait, args=(name,)) for name in ("older.py", "newer.py")]
    with turn(state, ["running.py"], 1):
        for thread in threads:
            thread.start()
            while thread is threads[0] and '"older.py"' not in (tmp_path / "queue.json").read_text():
                time.sleep(0.01)
        threads[0].join()
        assert got == {"older.py": None}
    threads[1].join()
    assert got["newer.py"] == ["older.py", "newer.py"]


def test_killed_owner_leaves_no_lock(tmp_path):
    """The lock is the system's: it is gone with the process."""
    code = f"from hookwright.affected.turns import turn\nimport time\nwith turn({str(tmp_path)!r}, [], 1):\n    print('in', flush=True)\n    time.sleep(60)"
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    owner.stdout.readline()
    with turn(str(tmp_path), ["a.py"], 0.05) as files:
        assert files is None
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    with turn(str(tmp_path), ["b.py"], 5) as files:
        assert files == ["a.py", "b.py"]


def _count(state, numbers, results):
    for number in numbers:
        with turn(state, [f"{number}.py"], 30) as files:
            results.extend(files or [])


def test_no_file_is_lost(tmp_path):
    """Whoever gives way, each file is in some run."""
    with multiprocessing.get_context("spawn").Manager() as manager:
        results = manager.list()
        processes = [
            multiprocessing.get_context("spawn").Process(target=_count, args=(str(tmp_path), range(n, 20, 2), results))
            for n in range(2)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        assert set(results) == {f"{number}.py" for number in range(20)}


def test_run_of_a_killed_owner_ends(make):
    """Nobody can stop it at its deadline any more: it ends by itself, after the test it is at."""
    bench = make(
        {
            "pyproject.toml": "",
            "a.py": "A = 1\n",
            "test_a.py": "import a, os, pytest, time\n@pytest.mark.parametrize('n', range(400))\ndef test_a(n):\n    open('pid', 'w').write(f'{os.getpid()} {n}')\n    time.sleep(0.1)\n",
        }
    )
    code = "import sys; from hookwright.cli import main; sys.exit(main())"
    owner = subprocess.Popen([sys.executable, "-c", code, "test", "a.py"], cwd=bench.root, stdout=subprocess.DEVNULL)
    file = bench.root / "pid"
    for _ in range(1200):
        if file.exists() and file.read_text():
            break
        time.sleep(0.05)
    owner.kill()
    owner.wait()
    pid = int(file.read_text().split()[0])
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    assert int(file.read_text().split()[1]) < 390
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
