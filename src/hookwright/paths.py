"""Where the config is looked for and where our own files live. Text only: `os.path` costs 15% of a start."""

import posix

from hookwright.wire import read_all, write_all

CONFIG_NAMES = (".hookwright.yaml", ".hookwright.yml", ".conclaude.yaml", ".conclaude.yml")
OURS = ".hookwright"
DECISIONS = "hookwright/trust.json"  # the user's own approvals, in the folder of their configuration

# The user's handlers are theirs to commit; everything else in the folder is ours and stays out of git.
GITIGNORE = b"*\n!handlers.py\n!handlers/\n!handlers/**\n__pycache__/\n"
_KIND, _REGULAR, _FOLDER = 0o170000, 0o100000, 0o040000  # of a file's mode
LONGEST = 4096  # no system takes a longer path


def folder_of(path: str) -> str:
    """The folder a path is in; the root is its own."""
    return path.rpartition("/")[0] or "/"


def find_config(start: str) -> str:
    """The nearest config file at or above `start`, or ""."""
    folder = start.rstrip("/")
    while True:
        for name in CONFIG_NAMES:
            candidate = f"{folder}/{name}"
            try:
                if posix.stat(candidate).st_mode & _KIND == _REGULAR:
                    return candidate
            except (OSError, ValueError):
                continue
        if not folder:
            return ""
        folder = folder.rpartition("/")[0]


def start_folder(cwd: object) -> str:
    """Where the search for a config begins: the payload's cwd, else the agent's project, else here."""
    if isinstance(cwd, str) and cwd.startswith("/") and len(cwd) <= LONGEST:
        return cwd if "/." not in cwd else _normal(cwd)
    project = posix.environ.get(b"CLAUDE_PROJECT_DIR", b"").decode("utf-8", "surrogateescape")
    if project.startswith("/"):
        return project
    try:
        return posix.getcwd()
    except OSError:  # somebody deleted the folder under us
        return "/"


def _normal(path: str) -> str:
    import os.path

    return os.path.normpath(path)


def our_folder(config: str) -> str:
    """`.hookwright/` beside the config."""
    return f"{folder_of(config).rstrip('/')}/{OURS}"


def state_folder(config: str) -> str:
    """The private part of `.hookwright/`: what we compiled and remember."""
    return f"{our_folder(config)}/state"


def make_folders(config: str) -> None:
    """Create `.hookwright/state`, kept out of git, closed to other users. Raises OSError where that cannot be."""
    ours = our_folder(config)
    make_own(ours)
    make_own(state_folder(config))
    try:
        ignore = posix.open(f"{ours}/.gitignore", posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL, 0o600)
    except FileExistsError:
        return
    try:
        posix.write(ignore, GITIGNORE)
    finally:
        posix.close(ignore)


def make_own(folder: str) -> None:
    """Create a folder closed to other users. Raises OSError where that cannot be, a link in its place included."""
    try:
        posix.mkdir(folder, 0o700)
    except FileExistsError:
        refuse_link(folder)


def refuse_link(folder: str) -> None:
    """Raises OSError where a repository brings a link in the place of a folder of ours: we would write elsewhere."""
    if posix.lstat(folder).st_mode & _KIND != _FOLDER:
        raise NotADirectoryError(20, "a link or a file is in the place of hookwright's own folder", folder)


def read_file(path: str) -> bytes:
    """A whole file; OSError where it cannot be."""
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)  # a FIFO would keep us waiting
    try:
        if posix.fstat(fd).st_mode & _KIND != _REGULAR:
            raise OSError(22, "not a regular file", path)
        return read_all(fd)
    finally:
        posix.close(fd)


def replace_file(path: str, data: bytes) -> None:
    """Write a private file so that a reader sees the old one or the new one, never half of it."""
    draft = f"{path}.{posix.urandom(6).hex()}.new"
    fd = posix.open(draft, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
    try:
        try:
            write_all(fd, data)
        finally:
            posix.close(fd)
        posix.replace(draft, path)
    except BaseException:
        posix.unlink(draft)
        raise
