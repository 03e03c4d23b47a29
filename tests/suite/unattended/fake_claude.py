"""What a client can do wrong, in the client's own protocol: prompts in, events out, our hooks called as it calls them."""

import json
import os
import subprocess
import sys
import time


def hook(event, **fields):
    with open(sys.argv[sys.argv.index("--settings") + 1]) as file:
        settings = json.load(file)
    for group in settings["hooks"].get(event, ()):
        payload = {"hook_event_name": event, "session_id": "s", **fields}
        subprocess.run(group["hooks"][0]["command"], shell=True, input=json.dumps(payload).encode(), check=True)


def say(**event):
    print(json.dumps(event), flush=True)


spent = 0.0
for line in sys.stdin:
    prompt = json.loads(line)["message"]["content"][0]["text"]
    action = prompt.partition("### Action\n")[2].partition("\n\n")[0]
    say(type="assistant", message={"content": [{"type": "text", "text": f"doing: {action} sk-ant-0123456789abcdef"}]})
    if action == "Crash":
        sys.stderr.write("Segmentation fault, sort of\n")
        sys.exit(9)
    if action == "Hang":
        subprocess.Popen(["sleep", "600"])  # a child of its own, in its group
        time.sleep(600)
    if action == "Babble":
        print('not JSON at all\n[]\n"result"', flush=True)
    if action == "Twice":
        for _ in range(2):  # as where hooks are registered twice
            hook(
                "PostToolUse",
                tool_name="mcp__demo__echo",
                tool_input={},
                tool_response="once",
                tool_use_id="1",
                duration_ms=3,
            )
    if action != "Unhooked":
        hook("Stop", last_assistant_message=f"I did: {action} (process {os.getpid()})")
    spent += 0.25
    wrong = action == "Give up"
    say(
        type="result",
        subtype="error_max_turns" if wrong else "success",
        is_error=wrong,
        result="",
        total_cost_usd=spent,
    )
