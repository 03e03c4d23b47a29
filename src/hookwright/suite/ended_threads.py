"""Python code with a deadline where no signal can be heard: in a thread of its own, which is ended when it is late."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


class _Ended(BaseException):
    """Not for anybody to catch: `except Exception` of a library lets it through."""


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
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Ended))
        raise TimeoutError
    if raised:
        raise raised[0]
    return found[0]
