"""What the agent starts: `python -I -S boot.py [EVENT] [--agent NAME]`.

Tiny on purpose: Python compiles the file it is started with each time, everything imported comes from a `.pyc`.
"""

import gc
import sys

gc.disable()  # nothing here lives long enough to be worth looking for; a handler gets it back (hook.py)

try:
    # -I hides our own folder. Appended, not put first: nothing of ours can shadow the standard library.
    sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0])
    from hookwright.shelf import put_to_use

    put_to_use()
    from hookwright.hook import main
except Exception as error:  # half an installation must not stop the agent
    sys.stderr.write(f"hookwright: cannot start ({error}); the event goes unanswered. Reinstall hookwright.\n")
    sys.exit(0)
main(sys.argv[1:])
