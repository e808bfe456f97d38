/**
 * Projects in a temporary folder, to try things on: one that ships with Sylk, as a repository with one commit, or the
 * user's own as it was at a commit, with its history. The original is only read.
 */
import { cp, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { SylkError, systemPaths, type Clock } from "../kernel/index.ts";
import { createGit } from "./git/git.ts";
import { linkDependencies } from "./git/link-dependencies.ts";

export interface SampleFolder {
  /** The copy. */
  readonly project: string;
  /** For what Sylk itself keeps, beside the copy. */
  readonly home: string;
  /** Removes both. */
  drop(): Promise<void>;
}

interface Opening {
  clock: Clock;
  signal: AbortSignal;
}

/** `fill` makes the project below a folder that is there for it alone, and says where it stands. */
async function openFolder(name: string, fill: (root: string) => Promise<string>): Promise<SampleFolder> {
  const place = systemPaths.temp(name);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const root = await realpath(await mkdtemp(path.join(place, "run-")));
  const drop = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 3 });
  try {
    return { project: await fill(root), home: path.join(root, "home"), drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

export function openSampleFolder(from: string, { clock, signal }: Opening): Promise<SampleFolder> {
  return openFolder("demo", async (root) => {
    const project = path.join(root, path.basename(from));
    await cp(from, project, { recursive: true });
    const git = createGit(project, clock);
    for (const args of [
      ["init", "--quiet"],
      ["add", "--all"],
      ["commit", "--quiet", "--message", "as it was"],
    ])
      await git.run(args, { signal });
    return project;
  });
}

/** The folder `from` as it was at a commit; dependencies that are installed there are linked, as into every work tree. */
export async function openCopyAt(from: string, commit: string, { clock, signal }: Opening): Promise<SampleFolder> {
  const own = createGit(from, clock);
  const found = await own.run(["rev-parse", "--verify", "--quiet", `${commit}^{commit}`], { accept: [1, 128], signal });
  if (found.code !== 0)
    throw new SylkError({
      code: "GIT_NO_COMMIT",
      tier: "user_fixable",
      message: `${from} has no commit ${commit.slice(0, 12)}`,
      fix: "fetch the branch that holds it, or go to the folder of the project it belongs to",
    });
  const [common = "", prefix = ""] = (await own.text(["rev-parse", "--git-common-dir", "--show-prefix"], { signal })).split("\n");
  return openFolder("replay", async (root) => {
    const top = path.join(root, "project");
    // All objects are taken over, those of states that no branch holds too; nothing comes from elsewhere.
    const clone = ["clone", "--quiet", "--local", "--no-checkout", path.resolve(from, common), top];
    await createGit(root, clock).run(clone, { signal, env: { GIT_ALLOW_PROTOCOL: "file" } });
    const git = createGit(top, clock);
    await git.run(["checkout", "--quiet", "-B", "main", commit], { signal });
    await git.run(["remote", "remove", "origin"], { signal });
    const project = path.join(top, prefix);
    await linkDependencies(own, from, project, signal);
    return project;
  });
}
