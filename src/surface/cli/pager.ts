/**
 * Shows a long text with the user's own pager, as git does: the program the environment names, on the user's terminal,
 * fed with text that has passed the door. Not a command of a task: nothing of an agent or a project chooses it.
 */
import { spawnSync } from "node:child_process";

/** What ends at once when all fits, keeps colours and leaves the text on the screen. */
const LESS = "FRX";

/** The pager to use; undefined when nobody looks, all fits or none is wanted. */
function pagerFor(text: string, env: NodeJS.ProcessEnv): string | undefined {
  const wanted = env["SYLK_PAGER"] ?? env["PAGER"] ?? "less";
  const fits = text.split("\n").length < (process.stdout.rows || 24);
  return !process.stdout.isTTY || fits || wanted === "" || wanted === "cat" || env["TERM"] === "dumb" ? undefined : wanted;
}

/** False when it was not shown: no pager, or one that could not be started. */
export function showPaged(text: string): boolean {
  const { env } = process;
  const pager = pagerFor(text, env);
  if (pager === undefined) return false;
  const { status, error } = spawnSync("sh", ["-c", pager], {
    input: text,
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...env, LESS: env["LESS"] ?? LESS },
  });
  // A user who leaves before the end closes the pipe early.
  const left = error !== undefined && "code" in error && error.code === "EPIPE";
  return (error === undefined || left) && status !== 127 && status !== 126;
}
