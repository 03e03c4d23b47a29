"""The folders of a project's runs: a new one is named by its start, old ones are forgotten."""

import time

from hookwright.suite import places, state


def new(folder: str) -> tuple[str, str]:
    """(when it began, its folder): where two begin in one second, the later one is dated a second later."""
    moment = time.time()
    while True:
        started_at = state.iso(moment)
        try:
            return started_at, places.make_run_folder(folder, started_at)
        except FileExistsError:
            moment += 1


def all_of(runs: str) -> list[str]:
    """The names of the runs that are kept, oldest first."""
    import os

    try:
        with os.scandir(runs) as found:
            folders = [one.name for one in found if one.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    return sorted(name for name in folders if places.is_run_name(name))


def forget_before(run: str, runs: str, spared: str = "") -> None:
    """Keep this run and the newest others, and one that is spared."""
    import shutil

    others = [name for name in all_of(runs) if f"{runs}/{name}" not in (run, spared)]
    for name in others[: -(places.RUNS_KEPT - 1)]:
        shutil.rmtree(f"{runs}/{name}", ignore_errors=True)
