const payload = JSON.parse(require("fs").readFileSync(0, "utf8"));
if ((payload.tool_input.command || "").includes("push --force")) {
  const reason = "Force-push is not allowed in this repository.";
  const own = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason };
  console.log(JSON.stringify({ hookSpecificOutput: own }));
}
