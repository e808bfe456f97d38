/** What `programs-of-a-repository.test.ts` and its long form share. */
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { createProjectFiles } from "../../../src/memory/project-files.ts";
import { SylkError, systemClock } from "../../../src/kernel/index.ts";
import { createGitReader } from "../../../src/workspace/index.ts";
import { openRepository } from "../../../src/workspace/git/open-repository.ts";
import { tempDir } from "../../support/temp.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

interface Sent {
  base: string;
  root: string;
  mark: string;
  evil: string;
  git: (...args: string[]) => string;
}

export function sent(): Sent {
  const base = tempDir("sent");
  const root = path.join(base, "project");
  const mark = path.join(base, "PWNED");
  const evil = path.join(base, "evil.sh");
  mkdirSync(root);
  writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> '${mark}'\ncat\n`);
  chmodSync(evil, 0o755);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(root, "a.js"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  return { base, root, mark, evil, git };
}

/** Everything Sylk does with git on the host. */
async function useAll({ base, root }: Sent): Promise<void> {
  const repository = await openRepository({ root, stateDir: path.join(base, "state"), clock: systemClock });
  await repository.status();
  await repository.snapshot({ message: "s" });
  const work = await repository.createWorkTree({ id: "w" });
  writeFileSync(path.join(work.path, "a.js"), "three\n");
  writeFileSync(path.join(work.path, "b.js"), "new\n");
  await work.checkpoint("one");
  await work.diff();
  await work.restore((await work.checkpoints())[0]?.commit ?? "HEAD");
  using t = tempWorkspace({}, { root });
  await t.workspace.merging.plan(work);
  await work.commit({ message: "all" });
  await work.discard({ force: true });
  await using files = createProjectFiles({ root, clock: systemClock, redact: (text) => text });
  const signal = new AbortController().signal;
  await files.changedSince({ commit: await files.commit(signal), atMs: 0 }, signal);
  const reader = createGitReader(root, systemClock);
  await reader.run(["log", "-p", "--max-count=3"]);
  await reader.run(["blame", "-L", "1,1", "--porcelain", "--", "a.js"], { accept: [128] });
}

export const setups: Record<string, (repo: Sent) => void> = {
  "clean and smudge filters": ({ git, evil, root }) => {
    git("config", "filter.evil.clean", evil);
    git("config", "filter.evil.smudge", evil);
    git("config", "filter.evil.required", "true");
    writeFileSync(path.join(root, ".gitattributes"), "* filter=evil\n");
  },
  "a filter process with an odd name, from info/attributes": ({ git, evil, root }) => {
    git("config", "filter.a=b c.process", evil);
    git("config", "filter.a=b c.clean", evil);
    git("config", "filter.plain.clean", evil);
    writeFileSync(path.join(root, ".git/info/attributes"), "*.js filter=plain\n");
  },
  "a filter process alone": ({ git, evil, root }) => {
    git("config", "filter.proc.process", evil);
    writeFileSync(path.join(root, ".gitattributes"), "* filter=proc\n");
  },
  "a filter whose name is no text": ({ evil, root }) => {
    writeFileSync(path.join(root, ".gitattributes"), Buffer.from("* filter=\xff\n", "latin1"));
    appendFileSync(path.join(root, ".git/config"), Buffer.from(`[filter "\xff"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`, "latin1"));
  },
  "a filter from an included file": ({ git, evil, root, base }) => {
    writeFileSync(path.join(base, "more"), `[filter "inc"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`);
    git("config", "include.path", path.join(base, "more"));
    writeFileSync(path.join(root, ".gitattributes"), "* filter=inc\n");
  },
  "external diff, text converter, merge driver, pager, signatures": ({ git, evil, root }) => {
    for (const [key, value] of [
      ["diff.external", evil],
      ["diff.d.command", evil],
      ["diff.d.textconv", evil],
      ["merge.d.driver", `${evil} %A`],
      ["core.pager", evil],
      ["pager.log", evil],
      ["gpg.program", evil],
      ["log.showSignature", "true"],
      ["commit.gpgSign", "true"],
    ] as const)
      git("config", key, value);
    writeFileSync(path.join(root, ".gitattributes"), "* diff=d merge=d\n");
  },
  "monitor, hooks, editor": ({ git, evil, root }) => {
    git("config", "core.fsmonitor", evil);
    git("config", "core.editor", evil);
    for (const name of ["post-checkout", "pre-commit", "post-commit", "post-index-change", "reference-transaction"]) {
      writeFileSync(path.join(root, ".git/hooks", name), readFileSync(evil));
      chmodSync(path.join(root, ".git/hooks", name), 0o755);
    }
  },
  "a remote that is fetched from when an object is missing": ({ git, evil }) => {
    git("config", "remote.origin.url", `ext::${evil}`);
    git("config", "remote.origin.promisor", "true");
    git("config", "extensions.partialClone", "origin");
    git("config", "protocol.ext.allow", "always");
  },
  "a planted repository where a submodule belongs": ({ git, evil, root }) => {
    git("update-index", "--add", "--cacheinfo", `160000,${git("rev-parse", "HEAD").trim()},lib`);
    git("commit", "-qm", "link");
    mkdirSync(path.join(root, "lib"));
    const inner = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: path.join(root, "lib"), stdio: "ignore" });
    inner("init", "-q");
    writeFileSync(path.join(root, "lib/x.js"), "x\n");
    inner("add", "-A");
    inner("commit", "-qm", "x");
    inner("config", "filter.evil.clean", evil);
    inner("config", "core.fsmonitor", evil);
    writeFileSync(path.join(root, "lib/.gitattributes"), "* filter=evil\n");
    writeFileSync(path.join(root, "lib/x.js"), "y\n");
  },
};

export async function startsNothing(name: string, plant: (repo: Sent) => void): Promise<void> {
  const repo = sent();
  plant(repo);
  writeFileSync(path.join(repo.root, "a.js"), "two\n");
  // Where a name cannot be replaced under itself, git is not used at all.
  const used = await useAll(repo).then(
    () => "used",
    (error: unknown) => (SylkError.is(error) ? error.code : "broken"),
  );
  expect(used).toBe(name === "a filter whose name is no text" ? "GIT_ODD_SETTING" : "used");
  expect(existsSync(repo.mark) ? readFileSync(repo.mark, "utf8") : "").toBe("");
}
