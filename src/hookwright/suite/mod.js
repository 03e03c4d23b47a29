// hookwright's hooks module for Claude Code 2.1.287 and newer: while a test run is on, the word "next" (or "retry")
// is replaced by the test it stands for, so that the model reads only that. Early access: everything works without it,
// and whatever goes wrong here leaves the prompt as it was typed.

const WORDS = ["next", "n", "retry"];
const PATIENCE_MS = 25000;

/** @type {import('claude-code').Register} */
export function register(on) {
  on("prompt.submit", async ($, e, next) => {
    if (!WORDS.includes(e.text.trim().toLowerCase())) return next(e);
    const launcher = `${$.plugin.root}/hooks/hookwright.sh`;
    const session = await $.session.id();
    const folder = await $.session.cwd();
    const asked = await $.process.run(
      ["/bin/sh", launcher, "run", "suite", "prompt", "--session", session, "--folder", folder, "--", e.text],
      { env: { CLAUDE_PROJECT_DIR: folder }, timeoutMs: PATIENCE_MS },
    );
    return next(asked.exitCode === 0 && asked.stdout !== "" ? { ...e, text: asked.stdout } : e);
  }).catch(($, e, next) => next(e));
}
