/** What `swapped-repositories.test.ts` and its long form share. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Workspace } from "../../../src/workspace/open-workspace.ts";
import { tempDir } from "../../support/temp.ts";

export interface Project {
  base: string;
  root: string;
  /** Written by the attacker's program. */
  mark: string;
  git: (...args: string[]) => string;
}

export function project(): Project {
  const base = tempDir("swapped");
  const root = path.join(base, "project");
  mkdirSync(root);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  return { base, root, mark: path.join(base, "PWN"), git };
}

/** With submodules `sub` and `vendor/deep/lib`, and `empty`, which was never fetched. */
export function withSubmodules(): Project {
  const made = project();
  const { base, root, git } = made;
  const lib = path.join(base, "lib");
  execFileSync("git", ["init", "-q", lib]);
  writeFileSync(path.join(lib, "x.js"), "x\n");
  for (const args of [
    ["add", "-A"],
    ["commit", "-qm", "x"],
  ])
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: lib });
  git("init", "-q", "-b", "main");
  for (const place of ["sub", "vendor/deep/lib", "node_modules/own"]) git("submodule", "add", "-q", lib, place);
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: lib, encoding: "utf8" }).trim();
  git("update-index", "--add", "--cacheinfo", `160000,${commit},empty`);
  mkdirSync(path.join(root, "empty"));
  git("commit", "-qm", "with submodules");
  return made;
}

export async function noticeOf(workspace: Workspace, command: string): Promise<string | undefined> {
  const outcome = await workspace.processes.run({ command });
  return "notice" in outcome ? outcome.notice : JSON.stringify(outcome);
}
