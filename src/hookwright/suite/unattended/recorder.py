"""The hook of a headless run: writes down the tool calls and the answer that the client tells of, and says nothing.

Started by its path with `-I -S` and the file to write to. It is registered for one run only, in its own settings.
"""

import posix
import sys

sys.path[0] = __file__.rpartition("/hookwright/")[0]  # our own folder could shadow the standard library

from hookwright.suite import evidence  # noqa: E402 - only now can it be found
from hookwright.wire import NotJson, decode, read_all  # noqa: E402


def main() -> None:
    """Write one line for one event."""
    try:
        raw = decode(read_all(0))
    except NotJson:
        return
    if not isinstance(raw, dict):
        return
    if raw.get("hook_event_name") == "Stop":
        evidence.append(sys.argv[1], {"kind": "answer", "text": raw.get("last_assistant_message")})
    else:
        evidence.add_call(sys.argv[1], evidence.call_of_event(raw))


if __name__ == "__main__":
    try:
        main()
    finally:
        posix._exit(0)  # whatever went wrong: to the client any other code would mean something
