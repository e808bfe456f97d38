/** The project's files for the refresh of memory: listed and compared, never changed. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { mapLimit, SylkError, type Clock } from "../kernel/index.ts";
import type { ProjectFiles } from "./truth/refresh-truth.ts";
import { createGitReader, gateByRule, openWorkspace, type Workspace } from "../workspace/index.ts";

const MAX_FILES = 200_000;
const STAT_LANES = 32;

const onlyLooking = gateByRule("memory_refresh", ["read"]);

export function createProjectFiles(parts: {
  root: string;
  clock: Clock;
  redact: (text: string) => string;
}): ProjectFiles & AsyncDisposable {
  const { root, clock } = parts;
  let opened: Workspace | undefined;
  const workspace = (): Workspace => (opened ??= openWorkspace({ root, gate: onlyLooking, redact: parts.redact, clock }));
  const reader = createGitReader(root, clock);
  const git = async (args: string[], signal: AbortSignal): Promise<string | undefined> => {
    const found = await reader.run(args, { accept: [1, 128, 129], signal }).catch((error: unknown) => {
      if (SylkError.is(error) && error.code === "GIT_MISSING") return undefined;
      throw error;
    });
    return found?.code === 0 ? found.stdout.toString("utf8") : undefined;
  };
  const list = async (signal: AbortSignal): Promise<string[]> => {
    const found = await workspace().search.list({ maxFiles: MAX_FILES, order: "path", signal });
    if (found.kind === "files") return found.files;
    throw new SylkError({
      code: "MEMORY_CANNOT_LIST",
      tier: "user_fixable",
      message: `the files of ${root} cannot be listed (${found.kind})`,
    });
  };
  return {
    root,
    list,
    commit: async (signal) => ((await git(["rev-parse", "HEAD"], signal)) ?? "").trim(),
    async changedSince({ commit, atMs }, signal) {
      const [changed, added] =
        commit === ""
          ? [undefined, undefined]
          : await Promise.all([
              git(["diff", "--name-only", "--relative", commit], signal),
              git(["ls-files", "--others", "--exclude-standard"], signal),
            ]);
      if (changed !== undefined && added !== undefined) return [...changed.split("\n"), ...added.split("\n")].filter((file) => file !== "");
      const files = await list(signal);
      const times = await mapLimit(
        files,
        STAT_LANES,
        async (file) => (await stat(path.join(root, file)).catch(() => undefined))?.mtimeMs ?? 0,
        signal,
      );
      return files.filter((_file, i) => (times[i] ?? 0) >= atMs);
    },
    [Symbol.asyncDispose]: async () => opened?.[Symbol.asyncDispose](),
  };
}
