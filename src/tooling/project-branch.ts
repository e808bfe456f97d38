/** On which branch the user stands. */
import type { Clock } from "../kernel/index.ts";
import { createGitReader } from "../workspace/index.ts";

/** Null: on none, or not in git. */
export async function projectBranch(projectDir: string, clock: Clock): Promise<string | null> {
  const { stdout } = await createGitReader(projectDir, clock).run(["symbolic-ref", "--quiet", "--short", "HEAD"], { accept: [1, 128] });
  return stdout.toString("utf8").trim() || null;
}
