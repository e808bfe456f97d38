/** A project that ships with Sylk, copied into a temporary folder as a repository with one commit: to try things on. */
import { cp, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { systemPaths, type Clock } from "../kernel/index.ts";
import { createGit } from "./git/git.ts";

export interface SampleFolder {
  /** The copy. */
  readonly project: string;
  /** For what Sylk itself keeps, beside the copy. */
  readonly home: string;
  /** Removes both. */
  drop(): Promise<void>;
}

export async function openSampleFolder(from: string, { clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<SampleFolder> {
  const place = systemPaths.temp("demo");
  await mkdir(place, { recursive: true, mode: 0o700 });
  const root = await realpath(await mkdtemp(path.join(place, "run-")));
  const drop = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 3 });
  const project = path.join(root, path.basename(from));
  try {
    await cp(from, project, { recursive: true });
    const git = createGit(project, clock);
    for (const args of [
      ["init", "--quiet"],
      ["add", "--all"],
      ["commit", "--quiet", "--message", "as it was"],
    ])
      await git.run(args, { signal });
  } catch (error) {
    await drop();
    throw error;
  }
  return { project, home: path.join(root, "home"), drop };
}
