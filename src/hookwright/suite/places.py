"""Where a suite's run keeps its files. The state is the documents' file; all else is in `.hookwright/runs/<id>/`."""

import posix

from hookwright.errors import Refusal
from hookwright.paths import make_folders, our_folder, state_folder

SUITE_NAMES = ("tests/functional/tests.json", "tests/functional/tests.yaml", "tests/functional/tests.yml")
RUNS_KEPT = 20
_KIND, _LINK = 0o170000, 0o120000  # of a file's mode


def state_file(folder: str) -> str:
    """The state, in the documents' place and schema."""
    return f"{folder}/.claude/test-state.json"


def lock_file(folder: str) -> str:
    """Held by whoever changes the run; among our own files, which git does not see."""
    return f"{state_folder(_config(folder))}/suite.lock"


def mark_file(folder: str) -> str:
    """By which the state that we wrote last is known again."""
    return f"{state_folder(_config(folder))}/suite.mark"


def runs_folder(folder: str) -> str:
    """All runs of a project, each in a folder of its own."""
    return f"{_ours(folder)}/runs"


def run_folder(folder: str, started_at: str) -> str:
    """The folder of one run. Its name is the start of the run, the one fact about it that the state's schema keeps."""
    name = "".join(char if char.isalnum() else "-" for char in started_at)  # a state may be anybody's
    return f"{runs_folder(folder)}/{name}"


def plan_file(run: str) -> str:
    """The selected tests in the order of the run, a line each: what the suite said when the run began."""
    return f"{run}/plan.jsonl"


def evidence_file(run: str, index: int) -> str:
    """What was seen of one test. A file for each, so that the five hundredth costs what the first did."""
    return f"{run}/{index + 1:04}.jsonl"


def driver_file(run: str) -> str:
    """Which conversation has the current test."""
    return f"{run}/driver.json"


def make_claude_folder(folder: str) -> None:
    """The place of the state. Raises Refusal where a link leads out of the project."""
    claude = f"{folder}/.claude"
    try:
        posix.mkdir(claude, 0o755)
    except FileExistsError:
        if _is_link(claude) and not _is_inside(claude, folder):  # `.claude -> .agents` is common, and harmless
            raise Refusal(f"{claude} leads out of the project; a run's state is not written there.") from None


def make_our_folder(folder: str) -> None:
    """`.hookwright/`, with or without a config beside it. Raises Refusal where somebody points us elsewhere."""
    for ours in (_ours(folder), state_folder(_config(folder)), runs_folder(folder), *_links_in(runs_folder(folder))):
        if _is_link(ours):  # runs are made and forgotten there
            raise Refusal(f"{ours} is a symbolic link; a run is kept only in a folder of the project itself.")
    make_folders(_config(folder))


def make_run_folder(folder: str, started_at: str) -> str:
    """A new run's folder. Raises FileExistsError where another run has this name."""
    make_our_folder(folder)
    try:
        posix.mkdir(runs_folder(folder), 0o700)
    except FileExistsError:
        pass
    run = run_folder(folder, started_at)
    posix.mkdir(run, 0o700)
    return run


def is_run_name(name: str) -> bool:
    """Whether a folder's name is one that a run of ours gave it."""
    return "".join("0" if char in "0123456789" else char for char in name) == "0000-00-00T00-00-00Z"


def _is_link(path: str) -> bool:
    try:
        return posix.lstat(path).st_mode & _KIND == _LINK
    except OSError:
        return False


def _is_inside(path: str, folder: str) -> bool:
    from os.path import realpath

    return realpath(path).startswith(f"{realpath(folder)}/")


def _links_in(folder: str) -> list[str]:
    try:
        with posix.scandir(folder) as found:
            return [entry.path for entry in found if entry.is_symlink()]
    except OSError:
        return []


def _ours(folder: str) -> str:
    return our_folder(_config(folder))


def _config(folder: str) -> str:
    return f"{folder}/.hookwright.yaml"  # whether that file exists does not matter: its folder does
