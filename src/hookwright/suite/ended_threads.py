"""Python code with a deadline where no signal can be heard: in a thread of its own, which is ended when it is late."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
AGAIN_S = 0.1


class _Ended(SystemExit):
    """Not for anybody to catch: `except Exception` of a library lets it through; a thread ends of it without a word."""


def done_within(allowed_s: float, work: Callable[[], Found]) -> Found:
    """What the work comes to. Raises TimeoutError when it takes longer; it then stops at its next line of Python."""
    found: list[Found] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # whatever it is: told to who waits
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(allowed_s)
    if thread.is_alive():
        threading.Thread(target=_end, args=(thread,), daemon=True).start()
        raise TimeoutError
    if raised:
        raise raised[0]
    return found[0]


def _end(thread: threading.Thread) -> None:
    """Asked again until it has ended: what is raised inside a destructor or a collector's callback is dropped there."""
    while thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Ended))
        thread.join(AGAIN_S)
