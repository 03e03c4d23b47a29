#!/bin/bash
payload=$(cat)
command=$(printf '%s' "$payload" | jq -r '.tool_input.command // ""')
if [[ $command == *"push --force"* ]]; then
  jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny",
    permissionDecisionReason: "Force-push is not allowed in this repository."}}'
fi
