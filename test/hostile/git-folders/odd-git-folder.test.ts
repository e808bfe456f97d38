/**
 * The attacker sends an archive whose `.git` holds pipes, links to devices, or a configuration that names
 * one, or says that the project's files are those of a folder above. He wants Sylk's own git to hang, to eat
 * the memory, or to take the person's other files for the project's.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { createGitReader } from "../../../src/workspace/index.ts";
import { openRepository } from "../../../src/workspace/git/open-repository.ts";
import { tempDir } from "../../support/temp.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

function sent(): { base: string; root: string; git: (...args: string[]) => void } {
  const base = tempDir("odd-git");
  const root = path.join(base, "project");
  mkdirSync(root);
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: root, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(root, "a.js"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  return { base, root, git };
}

const FILES = [
  "config",
  "HEAD",
  "packed-refs",
  "index",
  "info/exclude",
  "info/attributes",
  "objects/info/alternates",
  "commondir",
  "refs/heads/main",
  "objects/pack/pack-a\nb.idx",
];

for (const name of FILES)
  test(`R8: git is not started where .git/${JSON.stringify(name)} is a pipe or leads to a device`, async () => {
    for (const make of [
      (place: string) => execFileSync("mkfifo", [place]),
      (place: string) => symlinkSync("/dev/zero", place),
      (place: string) => symlinkSync("/proc/kmsg", place),
    ]) {
      const { base, root } = sent();
      const place = path.join(root, ".git", name);
      rmSync(place, { force: true });
      make(place);
      const refused = { code: "GIT_ODD_FILE", message: expect.stringContaining(path.join(".git", name)) as string };
      // A deadline far below git's own, so that the old way shows as a wrong answer instead of a long wait.
      await expect(createGitReader(root, systemClock).run(["status"], { timeoutMs: 1_500 })).rejects.toMatchObject(refused);
      await expect(openRepository({ root, stateDir: path.join(base, "state"), clock: systemClock })).rejects.toMatchObject(refused);
    }
  });

test("R8: a configuration that names a device or a pipe, also by a detour, is not followed", async () => {
  const { base, root } = sent();
  const config = path.join(root, ".git/config");
  const pipe = path.join(base, "pipe");
  for (const place of [pipe, `${pipe}\n`]) execFileSync("mkfifo", [place]);
  writeFileSync(path.join(base, "more"), "[include]\n\tpath = /dev/zero\n");
  for (const text of [
    "[include]\n\tpath = /dev/zero\n",
    '[include] PATH="/dev/ze"ro # x\n',
    "[include]\n\tpath = /dev/\\\nzero\n",
    `[includeIf "gitdir:/"]\n\tpath = ../../pipe\n`,
    `[include]\n\tpath = ${base}/more\n`,
    `[core]\n\texcludesFile = ${pipe}\n`,
    `[core]\n\texcludesFile = "${pipe}\\n"\n`,
  ]) {
    const one = sent();
    appendFileSync(path.join(one.root, ".git/config"), text.replaceAll("../../pipe", pipe));
    const asked = createGitReader(one.root, systemClock).run(["status"], { timeoutMs: 1_500 });
    await expect(asked).rejects.toMatchObject({ code: "GIT_ODD_FILE" });
  }
  // What ordinary repositories say is no reason.
  symlinkSync(path.join(base, "mine"), path.join(root, ".git/info/attributes"));
  writeFileSync(path.join(base, "mine"), "* text=auto\n");
  appendFileSync(config, `[core]\n\thooksPath = /dev/null\n\tpager = less -R\n[include]\n\tpath = ${base}/not-there\n`);
  await expect(createGitReader(root, systemClock).run(["status"])).resolves.toMatchObject({ code: 0 });
});

test("R8: a search does not wait for a pipe in the git folder either", async () => {
  const { root } = sent();
  rmSync(path.join(root, ".git/info/exclude"), { force: true });
  execFileSync("mkfifo", [path.join(root, ".git/info/exclude")]);
  using t = tempWorkspace({}, { root, limits: { searchTimeoutMs: 3_000 } });
  await expect(t.workspace.search.grep({ pattern: "one" })).resolves.toMatchObject({ matches: [{ path: "a.js" }] });
});

test("R9: a repository that calls a folder above its own is not used for it", async () => {
  const { base, root, git } = sent();
  writeFileSync(path.join(base, "diary.txt"), "private\n");
  git("config", "core.worktree", base);
  const repository = await openRepository({ root, stateDir: path.join(tempDir("state"), "s"), clock: systemClock });
  expect(repository.kind).toBe("shadow");
  expect((await repository.status()).map((one) => one.path)).toEqual(["a.js"]);
  const tree = await repository.createWorkTree({ id: "w" });
  expect(execFileSync("ls", ["-A", tree.path], { encoding: "utf8" })).toBe(".git\na.js\n");
});

test("R9: ordinary repositories are used as before: from a folder further down, apart from their folder, as a submodule", async () => {
  const { base, root, git } = sent();
  mkdirSync(path.join(root, "deep"));
  // An empty `.git` is none: git looks further up.
  mkdirSync(path.join(root, "deep/.git"));
  const kind = async (folder: string): Promise<string> =>
    (await openRepository({ root: folder, stateDir: path.join(base, "state"), clock: systemClock })).kind;
  expect(await kind(path.join(root, "deep"))).toBe("git");
  const apart = path.join(base, "apart");
  execFileSync("git", ["init", "-q", "--separate-git-dir", path.join(base, "store.git"), apart]);
  expect(await kind(apart)).toBe("git");
  git("-c", "protocol.file.allow=always", "submodule", "add", "-q", root, "sub");
  expect(await kind(path.join(root, "sub"))).toBe("git");
  git("worktree", "add", "-q", path.join(base, "second"));
  expect(await kind(path.join(base, "second"))).toBe("git");
});
