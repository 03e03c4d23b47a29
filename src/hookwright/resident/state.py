"""What is kept of a project's server: who it is (in the file whose lock it holds), and the token it asks for.

A lock dies with its owner, so a number left by a dead server is never mistaken for a living one.
"""

import posix

from hookwright import __version__, paths
from hookwright.wire import NotJson, decode, encode, read_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LOCK, TOKEN, LOG = "resident.lock", "resident.token", "resident.log"
RUNNING, STOPPED, IDLE = "running", "stopped", "idle"
_TOKEN_BYTES = 32
_RECORD_BYTES = 8192  # more than two paths can take


def file(project: str, name: str) -> str:
    """Where one of the files is."""
    return f"{paths.state_folder(project.rstrip('/') + '/.')}/{name}"


def open_own(path: str, flags: int) -> int:
    """Open a file of ours: no link is followed, no FIFO waited for, nobody else's is taken. Raises OSError."""
    fd = posix.open(path, flags | posix.O_NOFOLLOW | posix.O_CLOEXEC | posix.O_NONBLOCK, 0o600)
    stat = posix.fstat(fd)
    if stat.st_mode & 0o170000 != 0o100000 or stat.st_uid != posix.geteuid():
        posix.close(fd)
        raise PermissionError(1, "it is not a file of ours", path)
    if stat.st_mode & 0o077:
        posix.fchmod(fd, 0o600)
    return fd


def open_lock(project: str) -> int:
    """The file that a running server holds locked. Raises OSError where none can be."""
    paths.make_folders(project.rstrip("/") + "/.")
    return open_own(file(project, LOCK), posix.O_RDWR | posix.O_CREAT)


def take(fd: int) -> bool:
    """Become the one who may serve; False where somebody does."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def record(fd: int) -> "dict[str, Any]":
    """Who serves, or served last: pid, port, maker, state; {} where nobody ever did."""
    posix.lseek(fd, 0, 0)
    try:
        known = decode(read_all(fd))
    except NotJson:
        return {}
    return known if isinstance(known, dict) else {}


def write_record(fd: int, port: int, pid: int, state: str) -> None:
    """Say who serves. Only who holds the lock may."""
    data = encode({"pid": pid, "port": port, "maker": maker(), "state": state}).encode()
    posix.pwrite(fd, data.ljust(_RECORD_BYTES), 0)  # over the old one in one go: a reader never finds none


def running(project: str) -> "dict[str, Any]":
    """The record of a server that runs now; {} where none does."""
    import fcntl

    try:
        fd = open_own(file(project, LOCK), posix.O_RDONLY)
    except OSError:
        return {}
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return record(fd)
    finally:
        posix.close(fd)
    return {}


def maker() -> str:
    """Which installation: a server of another one is replaced."""
    return f"{__version__} {package_identity()}"


def is_ours(known: object) -> bool:
    """Whether a maker lies where we lie; after an upgrade it begins again by itself, when nothing is under way."""
    return str(known).partition(" ")[2].rsplit(" ", 3)[0] == package()


def package() -> str:
    """Where this installation lies."""
    return __file__.rpartition("/")[0].rpartition("/")[0]


def package_identity() -> str:
    """Changes when hookwright is installed anew; "" while it is not there."""
    try:
        stat = posix.stat(f"{package()}/__init__.py")
    except OSError:
        return ""
    return f"{package()} {stat.st_mtime_ns} {stat.st_size} {stat.st_ino}"


def token(project: str) -> str:
    """The token; "" where there is none that only we could have read."""
    path = file(project, TOKEN)
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_CLOEXEC | posix.O_NONBLOCK)
    except OSError:
        return ""
    try:
        stat = posix.fstat(fd)
        if stat.st_mode != 0o100600 or stat.st_uid != posix.geteuid():
            return ""
        known = read_all(fd).decode("ascii", "replace").strip()
    finally:
        posix.close(fd)
    return known if len(known) == 2 * _TOKEN_BYTES and known.isalnum() else ""


def new_token(project: str) -> str:
    """A token nobody can guess, kept for the next server too: the agent's settings need not change with each."""
    made = posix.urandom(_TOKEN_BYTES).hex()
    paths.replace_file(file(project, TOKEN), made.encode() + b"\n")
    return made


def forget(project: str) -> None:
    """Remove what was kept of a server that has ended."""
    for name in (TOKEN, LOCK, LOG):
        try:
            posix.unlink(file(project, name))
        except FileNotFoundError:
            continue
