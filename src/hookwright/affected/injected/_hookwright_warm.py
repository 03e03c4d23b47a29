# mypy: ignore-errors
# ruff: noqa: UP031, UP038, I001 - it must also run on Python 3.8, in an environment that we know nothing of
"""A pytest that was started ahead: it has imported pytest and its plugins, none of the project's code, and runs once.

`python _hookwright_warm.py STATE KEY MODULE...`, in the project's folder. When it is ready it makes a pipe with a name
in STATE and waits there for a job. It goes when it is told to, when nobody comes, and when its pipe or project is gone.
"""

import fcntl
import gc
import importlib
import json
import os
import select
import sys
import time

IDLE_S = 900
LOOK_EVERY_S = 10
# what a run needs besides pytest's own plugins
LIBRARY = ("gc", "importlib.metadata", "json", "linecache", "pdb", "re", "unittest", "_hookwright_recorder")


def main():
    state, key = sys.argv[1:3]
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.getcwd()  # as `python -m pytest` has it
    lock = os.open("%s/warm.lock" % state, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return 0  # another one is waiting already
    import_all(sys.argv[3:])
    if has_theirs(os.getcwd()):
        with open("%s/warm-unfit" % state, "w") as file:
            file.write(key)
        return 0
    gc.collect()
    getattr(gc, "freeze", gc.collect)()
    pipe = "%s/warm-%s-%d" % (state, key, os.getpid())
    job = waited(pipe)
    os.close(lock)
    return run(job) if job else 0


def import_all(plugins):
    """What pytest imports at its start. Plugins can not be rewritten any more, which is said in a docstring."""
    import pytest  # noqa: F401
    from _pytest.config import default_plugins

    for name in ["_pytest.%s" % name for name in default_plugins] + list(LIBRARY):
        _imported(name)
    before = set(sys.modules)
    for name in plugins:
        _imported(name)
    tops = {name.partition(".")[0] for name in plugins}
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in tops:
            module = sys.modules[name]
            module.__doc__ = (module.__doc__ or "") + "\nPYTEST_DONT_REWRITE"


def _imported(name):
    try:
        importlib.import_module(name)
    except Exception:  # whatever a plugin does: the run itself will say so
        pass


def has_theirs(root):
    """Whether code of the project was imported: pytest may use the very package that is being worked on."""
    root = os.path.realpath(root) + os.sep
    environment = os.path.realpath(sys.prefix) + os.sep
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        path = os.path.realpath(file) if isinstance(file, str) else ""
        if path.startswith(root) and not path.startswith(environment):
            return True
    return False


def waited(pipe):
    """The job, or None when it is time to go."""
    os.mkfifo(pipe, 0o600)
    fd = os.open(pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # also for writing: so it never ends
    known, until = os.fstat(fd), time.monotonic() + IDLE_S
    try:
        while time.monotonic() < until:
            if select.select([fd], [], [], LOOK_EVERY_S)[0]:
                return _job(os.read(fd, 4096).decode("utf-8", "surrogateescape").strip())
            if not _is_there(pipe, known) or not os.path.exists(os.getcwd()):
                return None
        return None
    finally:
        if _is_there(pipe, known):
            os.unlink(pipe)


def _is_there(pipe, known):
    try:
        now = os.stat(pipe)
    except OSError:
        return False
    return (now.st_ino, now.st_dev) == (known.st_ino, known.st_dev)


def _job(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):  # "leave", among others
        return None


def run(job):
    """The run, as if it had been started now: its variables, its streams, its arguments; then its exit code."""
    os.environ.clear()
    os.environ.update(job["environment"])
    os.umask(job["umask"])
    for fd, path in ((1, job["stdout"]), (2, job["stderr"])):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.dup2(file, fd)
        os.close(file)
    importlib.invalidate_caches()
    import pytest

    sys.argv = [os.path.join(os.path.dirname(pytest.__file__), "__main__.py")] + job["arguments"]
    code = int(pytest.console_main())
    sys.stdout.flush()
    with open(job["exit"] + ".part", "w") as file:
        file.write(str(code))
    os.rename(job["exit"] + ".part", job["exit"])
    return code


if __name__ == "__main__":
    sys.exit(main())
