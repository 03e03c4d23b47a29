"""What the agent starts: `python -I -S boot.py [EVENT] [--agent NAME]`.

Tiny on purpose: Python compiles the file it is started with each time; everything else comes compiled, from the shelf.
"""

import marshal
import posix
import sys

try:
    fd = posix.open(__file__[:-7] + "__pycache__/start." + sys.implementation.cache_tag + ".shelf", posix.O_RDONLY)
    exec(marshal.loads(posix.read(fd, 1 << 18)))
except Exception:  # there is no shelf, or a damaged one
    exec(open(__file__[:-7] + "boot_slowly.py").read())  # noqa: SIM115 - each word here is compiled at every event
