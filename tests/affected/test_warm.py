"""A pytest that was started ahead: used once, never with code or settings of another time, never left behind."""

import os
import time

import pytest

from hookwright.affected.message import message

PRICE = "src/shop/price.py"


def waiting(bench):
    """The pipes of the workers that are ready."""
    return sorted(str(path) for path in bench.root.glob(".hookwright/state/*/warm-*-*"))


def ready(bench):
    for _ in range(600):
        if found := waiting(bench):
            return found[0], int(found[0].rpartition("-")[2])
        time.sleep(0.05)
    raise AssertionError("no worker came")


def ran_by(bench):
    return int((bench.root / "ran-by").read_text())


def gone(pid):
    """Whether a process has ended; as its parent here we also see its remains."""
    for _ in range(600):
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return True
        except ChildProcessError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def warm(shop):
    """A recorded project with a worker that waits; whoever is left at the end is sent away."""
    shop.options["warm"] = True
    shop.write("tests/conftest.py", "import os\nopen('ran-by', 'w').write(str(os.getpid()))\n")
    assert shop.record().word == "passed"
    yield shop
    for _ in range(100):
        for pipe in waiting(shop):
            pid = int(pipe.rpartition("-")[2])
            os.kill(pid, 9)
            os.unlink(pipe)
            gone(pid)
            return
        time.sleep(0.05)


def test_it_runs_once_and_the_next_one_comes(warm):
    """Its run says what an ordinary one says, of the code as it is now; then another worker waits."""
    _, first = ready(warm)
    warm.replace(PRICE, "weight + 1", "weight + 2")
    verdict = warm.edited(PRICE)
    assert ran_by(warm) == first
    assert (verdict.word, verdict.report.passed) == ("failed", 0)
    assert "assert 3 == 2" in message(verdict)
    assert gone(first)
    _, second = ready(warm)
    warm.replace(PRICE, "weight + 2", "weight + 1")
    verdict = warm.edited(PRICE)
    assert (verdict.word, ran_by(warm)) == ("passed", second)
    assert second != first


def test_another_environment_sends_it_away(warm, monkeypatch):
    """A variable, pytest's config or what is installed has changed: an ordinary run, and a worker that fits."""
    _, first = ready(warm)
    monkeypatch.setenv("SHOP_MODE", "test")
    warm.replace(PRICE, "weight + 1", "weight + 2")
    verdict = warm.edited(PRICE)
    assert (verdict.word, ran_by(warm) != first) == ("failed", True)
    assert gone(first)


def test_killed_worker_costs_an_ordinary_start(warm):
    pipe, first = ready(warm)
    os.kill(first, 9)
    assert gone(first)
    warm.replace(PRICE, "weight + 1", "weight + 2")
    assert warm.edited(PRICE).word == "failed"
    assert not os.path.exists(pipe)


def test_deadline_ends_its_group(warm):
    """As of any run: a test that hangs, and what it started, is ended; the message says so."""
    warm.write(
        "tests/test_price.py", "import time\nfrom shop.price import shipping\ndef test_shipping(): time.sleep(90)\n"
    )
    _, first = ready(warm)
    warm.replace(PRICE, "weight + 1", "weight + 2")
    verdict = warm.edited(PRICE, budget=3)
    assert (verdict.word, verdict.cut_off) == ("timeout", True)
    assert gone(first)


def test_worker_goes_with_its_pipe(warm):
    """Whoever takes the state away takes the worker away."""
    pipe, first = ready(warm)
    with open(pipe, "w") as file:
        file.write("leave\n")
    assert gone(first)


def test_not_for_a_project_that_pytest_itself_imports(make):
    """Its code would be that of another time: no worker waits, and runs are ordinary ones."""
    bench = make(
        {
            "pyproject.toml": "",
            "pdb.py": "X = 1\nset_trace = None\nclass Pdb: pass\n",
            "test_pdb.py": "import pdb\ndef test_x(): assert pdb.X == 1\n",
        },
        warm=True,
    )
    assert bench.edited("pdb.py").word == "passed"
    for _ in range(600):
        if list(bench.root.glob(".hookwright/state/*/warm-unfit")):
            break
        time.sleep(0.05)
    else:
        raise AssertionError("it was not noticed")
    bench.write("pdb.py", "X = 2\nset_trace = None\nclass Pdb: pass\n")
    assert bench.edited("pdb.py").word == "failed"
    assert waiting(bench) == []
