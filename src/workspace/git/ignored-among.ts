/** Which of these files git keeps out of the repository. Where there is no repository, none. */
import { SylkError, type Clock } from "../../kernel/index.ts";
import { createGitReader } from "./git.ts";

/** `files` are relative to `root`, and no part of them is a link. */
export async function ignoredAmong(root: string, files: readonly string[], clock: Clock): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const listed = await createGitReader(root, clock)
    .run(["check-ignore", "-z", "--stdin"], { input: files.join("\0"), accept: [0, 1, 128] })
    .catch((error: unknown) => {
      if (SylkError.is(error, "GIT_MISSING")) return { stdout: Buffer.alloc(0) };
      throw error;
    });
  return new Set(
    listed.stdout
      .toString("utf8")
      .split("\0")
      .filter((name) => name !== ""),
  );
}
