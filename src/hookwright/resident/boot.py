"""What the agent starts on the events that stay commands beside a server: `python -I -S boot.py PROJECT`.

The same hook as everywhere; at the beginning of a conversation and at each prompt it also sees to the server. It is
started a few times in an hour, so it imports the usual way.
"""

import sys

try:
    sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0].rpartition("/")[0])
    from hookwright.hook import main
    from hookwright.resident.upkeep import respond_and_look_after
except Exception as error:  # half an installation must not stop the agent
    sys.stderr.write(f"hookwright: cannot start ({error}); the event goes unanswered. Reinstall hookwright.\n")
    sys.exit(0)
main(sys.argv[2:], respond_and_look_after(sys.argv[1] if len(sys.argv) > 1 else ""))
