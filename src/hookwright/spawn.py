"""Start a program: cheap, in a folder of its choice, with nothing of ours but the three descriptors it is given."""

import posix
import sys


def start(argv: list[str], cwd: str, env: dict[bytes, bytes], stdio: tuple[int, int, int]) -> int:
    """Start a program in a session of its own, with these descriptors as its stdin, stdout and stderr -> its pid.

    `subprocess` costs one and a half Python starts. `posix_spawn` is as fast as the C function below it, but knows no
    working directory: it would have to be changed for the whole process, under the feet of a server's other threads.
    """
    words = [_bytes(word) for word in argv]
    try:
        from _posixsubprocess import fork_exec
    except ImportError:
        return _start_slowly(words, cwd, env, stdio)
    fault, fault_end = posix.pipe()
    with_vfork = (True,) if sys.version_info < (3, 14) else ()
    try:
        try:
            pid: int = fork_exec(
                words, _candidates(words[0], env), True, (fault_end,), _bytes(cwd),  # type: ignore[arg-type]
                [name + b"=" + value for name, value in env.items()],
                stdio[0], -1, -1, stdio[1], -1, stdio[2], fault, fault_end,
                True, True, -1, None, None, None, -1, None, *with_vfork,  # type: ignore[arg-type]
            )  # fmt: skip
        except TypeError:  # not public: another Python may have another idea of its arguments
            return _start_slowly(words, cwd, env, stdio)
        finally:
            posix.close(fault_end)
        told = posix.read(fault, 1000)
    finally:
        posix.close(fault)
    if told:
        posix.waitpid(pid, 0)
        raise _fault(told, argv[0], cwd)
    return pid


def reap(pids: list[int]) -> None:
    """Take the remains of those that have ended out of the list: a hook is gone long before, a server gathers them."""
    for pid in list(pids):
        try:
            if posix.waitpid(pid, posix.WNOHANG)[0]:
                pids.remove(pid)
        except OSError:
            pids.remove(pid)


def _start_slowly(words: list[bytes], cwd: str, env: dict[bytes, bytes], stdio: tuple[int, int, int]) -> int:
    import subprocess

    stdin, stdout, stderr = stdio
    child = subprocess.Popen(
        words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=_bytes(cwd), env=env, start_new_session=True
    )
    child.returncode = 0  # we reap it; nothing is left to do when this object goes
    return child.pid


def _candidates(word: bytes, env: dict[bytes, bytes]) -> list[bytes]:
    """Where a program may be, as the shell would look for it."""
    if b"/" in word:
        return [word]
    return [(folder or b".") + b"/" + word for folder in env.get(b"PATH", b"/usr/bin:/bin").split(b":")]


def _fault(told: bytes, program: str, cwd: str) -> OSError:
    """What the child said instead of becoming the program: `OSError:<errno in hex>:<noexec when it had no folder>`."""
    _, _, rest = told.partition(b":")
    number, _, where = rest.partition(b":")
    errno = int(number or b"0", 16)
    return OSError(errno, posix.strerror(errno), cwd if where.startswith(b"noexec") else program)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
