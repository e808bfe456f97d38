/**
 * The attacker runs commands in the sandbox (a Makefile of the repository, called by the model). He wants a
 * git folder of his where the person's git looks next: in place of a submodule's, behind a `.git` that only
 * names it, or where there was none. Then the person's next `git status` starts his program.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { type Project, project, withSubmodules, noticeOf } from "./swapped-repositories.ts";

const SOURCES = path.resolve(import.meta.dirname, "../../../src");

test.skipIf(NO_SANDBOX !== undefined)("R4: what can start no program stays: a fresh repository, a work tree of the person's", async () => {
  const { root, git } = withSubmodules();
  await using workspace = sandboxedWorkspace(root, sandboxWith());
  const made = await noticeOf(workspace, "git init -q plain && cd plain && git config user.name B && echo 1 > a && git add -A");
  expect(made).toBeUndefined();
  expect(existsSync(path.join(root, "plain/.git/index"))).toBe(true);
  const going = workspace.processes.run({ command: "touch ready; until [ -e go ]; do sleep 0.05; done" });
  await until(path.join(root, "ready"));
  git("worktree", "add", "-q", "trees/mine");
  writeFileSync(path.join(root, "go"), "");
  expect(await going).toMatchObject({ kind: "exited", exitCode: 0, notice: undefined });
  expect(existsSync(path.join(root, "trees/mine/.git"))).toBe(true);
});

for (const [how, make] of Object.entries({
  "a file": ({ root, git }: Project) => {
    git("init", "-q", "-b", "main", `--separate-git-dir=${root}/.bare`, ".");
  },
  "a file with a path of its own kind, some folders down": ({ root, git }: Project) => {
    mkdirSync(path.join(root, "some/where"), { recursive: true });
    git("init", "-q", "-b", "main", `--separate-git-dir=${root}/some/where/.bare`, ".");
    writeFileSync(path.join(root, ".git"), "gitdir: some/where/.bare\n");
  },
  "a link": ({ root, git }: Project) => {
    git("init", "-q", "-b", "main");
    execFileSync("mv", [".git", ".bare"], { cwd: root });
    symlinkSync(".bare", path.join(root, ".git"));
  },
  "a work tree's file, whose shared folder is the writable one": ({ git }: Project) => {
    git("init", "-q", "--bare", ".bare");
    const tree = git("--git-dir=.bare", "hash-object", "-t", "tree", "-w", "/dev/null").trim();
    const commit = git("--git-dir=.bare", "commit-tree", tree, "-m", "x").trim();
    git("--git-dir=.bare", "update-ref", "refs/heads/main", commit);
    git("--git-dir=.bare", "worktree", "add", "-q", "-f", "main", "main");
  },
  "a repository further down": ({ root, git }: Project) => {
    git("init", "-q", "-b", "main");
    git("init", "-q", `--separate-git-dir=${root}/.bare`, "inner");
  },
}))
  test.skipIf(NO_SANDBOX !== undefined)(
    `R5: a git folder inside the project that is named by ${how} is not written by commands`,
    async () => {
      const made = project();
      make(made);
      const { root } = made;
      const bare = execFileSync("find", [root, "-type", "d", "-name", ".bare"], { encoding: "utf8" }).trim();
      const before = readFileSync(path.join(bare, "config"), "utf8");
      await using workspace = sandboxedWorkspace(root, sandboxWith());
      await run(workspace, `echo evil > ${bare}/hooks/pre-commit; echo evil >> ${bare}/config; rm -rf ${bare}/objects`);
      await run(workspace, `mv ${bare} ${bare}.old && cp -r ${bare}.old ${bare} && echo evil >> ${bare}/config`);
      expect(await run(workspace, "echo ran")).toEqual({ code: 0, said: "ran\n" });
      await run(workspace, `cd ${root} && mv some some.old && cp -r some.old some && echo evil >> ${bare}/config`);
      expect(existsSync(path.join(bare, "hooks/pre-commit"))).toBe(false);
      expect(existsSync(path.join(bare, "objects"))).toBe(true);
      expect(readFileSync(path.join(bare, "config"), "utf8")).toBe(before);
    },
  );

/** When a file is there. */
async function until(file: string): Promise<void> {
  const watching = watch(path.dirname(file));
  while (!existsSync(file)) await once(watching, "change");
  watching.close();
}

/** Another process of Sylk runs a command there. */
async function otherProcess(root: string, command: string): Promise<number> {
  const script = `
    const { createSandbox } = await import(${JSON.stringify(`${SOURCES}/workspace/sandbox/create-sandbox.ts`)});
    const { openWorkspace } = await import(${JSON.stringify(`${SOURCES}/workspace/open-workspace.ts`)});
    const { systemClock } = await import(${JSON.stringify(`${SOURCES}/kernel/index.ts`)});
    const policy = { mode: "require", allowedHosts: [], registries: false, writable: [], hidden: [], own: [], visible: [], limits: { memoryMb: 1024, openFiles: 256, fileMb: 8, processes: 48, tempMb: 4 } };
    await using sandbox = createSandbox({ policy, home: "/nonexistent", env: {}, clock: systemClock });
    await using workspace = openWorkspace({ root: ${JSON.stringify(root)}, sandbox, clock: systemClock, redact: (text) => text, gate: { decide: async () => ({ kind: "allow", rule: "test" }) } });
    const outcome = await workspace.processes.run({ command: ${JSON.stringify(command)} });
    process.exitCode = outcome.kind === "exited" ? outcome.exitCode : 99;`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number];
  return code;
}

test.skipIf(NO_SANDBOX !== undefined)(
  "R7: a second Sylk in the folder does not open the place of `.git` under a running command",
  async () => {
    const { root } = project();
    writeFileSync(path.join(root, "a.txt"), "a");
    await using workspace = sandboxedWorkspace(root, sandboxWith());
    const going = run(
      workspace,
      "touch ready; until [ -e go ]; do sleep 0.05; done; mkdir -p .git .sylk; echo x > .git/config; echo x > .sylk/x",
    );
    await until(path.join(root, "ready"));
    expect(await otherProcess(root, "true")).toBe(0);
    expect(readdirSync(root)).toEqual(expect.arrayContaining([".git", ".sylk"]));
    writeFileSync(path.join(root, "go"), "");
    expect((await going).code).not.toBe(0);
    expect(readdirSync(root).sort()).toEqual(["a.txt", "go", "ready"]);
  },
);

test.skipIf(NO_SANDBOX !== undefined)(
  "R7: a `.git` or `.sylk` that came in all the same is put aside and told of; what a person made stays",
  async () => {
    const { root, git } = project();
    await using workspace = sandboxedWorkspace(root, sandboxWith());
    const line =
      "touch ready; until [ -e go ]; do sleep 0.05; done; rm -f ready go; mkdir .git .sylk && git init -q . && git config core.fsmonitor ./evil.sh && echo x > .sylk/config.yaml";
    const going = noticeOf(workspace, line);
    await until(path.join(root, "ready"));
    // Somebody clears the folder up: the place is open.
    execFileSync("rmdir", [".git", ".sylk"], { cwd: root });
    writeFileSync(path.join(root, "go"), "");
    const notice = await going;
    expect(notice).toContain(".git appeared");
    expect(notice).toContain(".sylk appeared");
    expect(readdirSync(root).sort()).toEqual([".git.made-by-a-command", ".sylk.made-by-a-command"]);
    const second = noticeOf(workspace, "touch ready; until [ -e go ]; do sleep 0.05; done; rm -f ready go");
    await until(path.join(root, "ready"));
    git("init", "-q", "-b", "main");
    git("config", "core.pager", "less");
    writeFileSync(path.join(root, "go"), "");
    expect(await second).toBeUndefined();
    expect(existsSync(path.join(root, ".git/HEAD"))).toBe(true);
  },
);
