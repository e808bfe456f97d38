/**
 * The attacker runs commands in the sandbox (a Makefile of the repository, called by the model) or sends
 * an archive with a `.git` in it. He wants the next command, or Sylk itself, to take his `.git` for the
 * project's: then its folders would be opened for writing.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../support/temp.ts";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";

function victim(): { base: string; home: string; keys: string; project: string } {
  const base = tempDir("planted");
  const home = path.join(base, "home");
  const project = path.join(base, "project");
  mkdirSync(path.join(home, ".ssh"), { recursive: true });
  mkdirSync(project);
  writeFileSync(path.join(home, ".ssh/authorized_keys"), "mine\n");
  return { base, home, project, keys: path.join(home, ".ssh/authorized_keys") };
}

test.skipIf(NO_SANDBOX !== undefined)(
  "C3: a `.git` file that a command writes opens nothing for the next one, and nothing stays behind",
  async () => {
    const { home, keys, project } = victim();
    execFileSync("git", ["init", "-q", "."], { cwd: project });
    const sub = path.join(project, "sub");
    mkdirSync(sub);
    await using workspace = sandboxedWorkspace(sub, sandboxWith({}, home));
    const planted = await run(workspace, `echo "gitdir: ${home}/.ssh" > .git || (mkdir -p .git && echo x > .git/config)`);
    expect(planted.code).not.toBe(0);
    const used = await run(workspace, `echo EVIL >> ${keys}; cat ${keys}`);
    expect(used.said).not.toContain("mine\n");
    expect(readFileSync(keys, "utf8")).toBe("mine\n");
    expect(readdirSync(sub)).toEqual([]);
  },
);

test.skipIf(NO_SANDBOX !== undefined)("C3: a `.git` file that came with an archive opens nothing", async () => {
  const { home, keys, project } = victim();
  writeFileSync(path.join(project, ".git"), `gitdir: ${home}/.ssh\n`);
  await using workspace = sandboxedWorkspace(project, sandboxWith({}, home));
  await run(workspace, `echo EVIL >> ${keys}; echo "gitdir: /" > .git; rm -f .git`);
  expect(readFileSync(keys, "utf8")).toBe("mine\n");
  expect(readFileSync(path.join(project, ".git"), "utf8")).toBe(`gitdir: ${home}/.ssh\n`);
});

test.skipIf(NO_SANDBOX !== undefined)(
  "C3: a whole forged work tree, pointing back as git's own do, opens nothing through its links",
  async () => {
    const { base, home, keys, project } = victim();
    const tree = path.join(project, "w");
    const common = path.join(base, "forged/.git");
    const admin = path.join(common, "worktrees/w");
    for (const dir of [tree, admin, path.join(common, "refs/heads")]) mkdirSync(dir, { recursive: true });
    symlinkSync(path.join(home, ".ssh"), path.join(common, "objects"));
    writeFileSync(path.join(tree, ".git"), `gitdir: ${admin}\n`);
    writeFileSync(path.join(admin, "gitdir"), `${tree}/.git\n`);
    writeFileSync(path.join(admin, "commondir"), "../..\n");
    writeFileSync(path.join(admin, "HEAD"), "ref: refs/heads/sylk/w\n");
    await using workspace = sandboxedWorkspace(tree, sandboxWith({}, home));
    expect(await run(workspace, "echo runs")).toEqual({ code: 0, said: "runs\n" });
    const tried = await run(workspace, `cat ${common}/objects/authorized_keys ${keys}; echo EVIL >> ${common}/objects/authorized_keys`);
    expect(tried.said).not.toContain("mine\n");
    expect(readFileSync(keys, "utf8")).toBe("mine\n");
  },
);

test.skipIf(NO_SANDBOX !== undefined)("C3: a `.git` that is a link is put back as it was", async () => {
  const { base, project } = victim();
  execFileSync("git", ["init", "-q", "real"], { cwd: base });
  symlinkSync(path.join(base, "real/.git"), path.join(project, ".git"));
  await using workspace = sandboxedWorkspace(project, sandboxWith());
  expect(await run(workspace, "rm -f .git; git init -q . && git config core.fsmonitor ./evil.sh && echo planted")).toMatchObject({
    said: expect.stringContaining("planted") as string,
  });
  expect(readlinkSync(path.join(project, ".git"))).toBe(path.join(base, "real/.git"));
  expect(readFileSync(path.join(project, ".git/config"), "utf8")).not.toContain("evil");
});

test.skipIf(NO_SANDBOX !== undefined)("C3: the `.git` of repositories further down cannot be changed or swapped", async () => {
  const { project } = victim();
  execFileSync("git", ["init", "-q", "."], { cwd: project });
  execFileSync("git", ["init", "-q", "inner"], { cwd: project });
  await using workspace = sandboxedWorkspace(project, sandboxWith());
  expect(await run(workspace, "git -C inner status --porcelain")).toEqual({ code: 0, said: "" });
  const inner = await run(workspace, "cd inner && git config core.fsmonitor ./evil.sh");
  expect(inner.code).not.toBe(0);
  await run(workspace, "mv inner/.git inner/x; rm -rf inner/.git; echo x > inner/.git/hooks/pre-commit");
  expect(existsSync(path.join(project, "inner/.git/hooks/pre-commit"))).toBe(false);
  expect(readFileSync(path.join(project, "inner/.git/config"), "utf8")).not.toContain("evil");
});

test.skipIf(NO_SANDBOX !== undefined)(
  "C3: no command can make a `.sylk` that would count, and the person's folder is as it was",
  async () => {
    const { project } = victim();
    writeFileSync(path.join(project, "a.txt"), "a");
    await using workspace = sandboxedWorkspace(project, sandboxWith());
    const made = await run(workspace, "mkdir -p .sylk && echo 'security: {}' > .sylk/config.yaml");
    expect(made.code).not.toBe(0);
    const both = await Promise.all(["sleep 0.2; echo x > .git/config", "echo x > .sylk/x", "true"].map((line) => run(workspace, line)));
    expect(both.map((one) => one.code === 0)).toEqual([false, false, true]);
    expect(readdirSync(project)).toEqual(["a.txt"]);
  },
);
