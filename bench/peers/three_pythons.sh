#!/bin/bash
# The way of the hook-driven test framework's wrapper: a python3 for each thing that it asks of its payload.
payload=$(cat)
event=$(printf '%s' "$payload" | python3 -c "import json, sys; print(json.load(sys.stdin).get('hook_event_name', ''))")
command=$(printf '%s' "$payload" | python3 -c "import json, sys; print(json.load(sys.stdin)['tool_input'].get('command', ''))")
if [[ $event == PreToolUse && $command == *"push --force"* ]]; then
  python3 -c "
import json
print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': 'deny',
    'permissionDecisionReason': 'Force-push is not allowed in this repository.'}}))"
fi
