/**
 * The attacker sends a whole repository, `.git` included (an archive, a shared disk): its configuration
 * and attributes name programs. He wants Sylk's own git, which runs outside the sandbox, to start one.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openRepository } from "../../../src/workspace/git/open-repository.ts";
import { sent, setups, startsNothing } from "./programs-of-a-repository.ts";

// One way of each kind; all of them in the long form.
test.each(Object.entries(setups).filter((_, index) => index % 3 === 0))(
  "L1 L6: Sylk's git starts no program of the repository: %s",
  async (name, plant) => {
    expect.hasAssertions();
    await startsNothing(name, plant);
  },
);

test("L1: the counter-proof: the person's own git does start them", () => {
  for (const name of [
    "clean and smudge filters",
    "a filter process alone",
    "a filter from an included file",
    "a planted repository where a submodule belongs",
  ]) {
    const repo = sent();
    setups[name]?.(repo);
    writeFileSync(path.join(repo.root, "a.js"), "two\n");
    try {
      repo.git("add", "-u");
      repo.git("status");
    } catch {
      // What it started need not have done its work.
    }
    expect([name, existsSync(repo.mark)]).toEqual([name, true]);
  }
});

test("L1: with a filter such as LFS, files stay the bytes git stores, and a merge brings none of them in", async () => {
  const repo = sent();
  const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n";
  writeFileSync(path.join(repo.root, "big.bin"), pointer);
  repo.git("add", "-A");
  repo.git("commit", "-qm", "pointer");
  repo.git("config", "filter.lfs.smudge", repo.evil);
  repo.git("config", "filter.lfs.required", "true");
  writeFileSync(path.join(repo.root, ".gitattributes"), "*.bin filter=lfs\n");
  const repository = await openRepository({ root: repo.root, stateDir: path.join(repo.base, "state"), clock: systemClock });
  const work = await repository.createWorkTree({ id: "w" });
  expect(readFileSync(path.join(work.path, "big.bin"), "utf8")).toBe(pointer);
  writeFileSync(path.join(work.path, "a.js"), "changed\n");
  expect((await work.changes()).map((change) => change.path)).toEqual(["a.js"]);
});

test("C3: a `.git` planted after Sylk looked is not asked: it keeps to the repository it found", async () => {
  const repo = sent();
  const inner = path.join(repo.root, "packages/app");
  mkdirSync(inner, { recursive: true });
  writeFileSync(path.join(inner, "app.js"), "app\n");
  repo.git("add", "-A");
  repo.git("commit", "-qm", "app");
  const head = repo.git("rev-parse", "HEAD").trim();
  const repository = await openRepository({ root: inner, stateDir: path.join(repo.base, "state"), clock: systemClock });
  execFileSync("git", ["init", "-q", inner]);
  expect((await repository.snapshot({ message: "s" })).commit).toBe(head);
  expect(await repository.status()).toEqual([]);
});
