"""The start without a shelf, run by boot.py as a part of itself: everything is imported the usual way."""

import sys

try:
    # -I hides our own folder. Appended, not put first: nothing of ours can shadow the standard library.
    sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0])
    from hookwright.hook import main
except Exception as error:  # half an installation must not stop the agent
    sys.stderr.write(f"hookwright: cannot start ({error}); the event goes unanswered. Reinstall hookwright.\n")
    sys.exit(0)
main(sys.argv[1:])
