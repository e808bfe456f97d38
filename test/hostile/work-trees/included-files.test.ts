/**
 * The attacker has: an unpacked repository with `.git`, and a model that may run `make`. When a work tree is made,
 * Sylk copies what `.worktreeinclude` names and links installed packages. He wants it to copy a file of the
 * victim's into the tree under a harmless name, or to write through a link that the checkout put into the tree.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { everythingIn, repository, victim, type Victim } from "../support.ts";

const DONE = "rules:\n  - answer: { tool_calls: [{ name: complete, input: { summary: done } }] }\n";

const inTree = (me: Victim, folder: string, rules: string) => {
  writeFileSync(path.join(me.base, "rules.yaml"), rules);
  return me.sylk(folder, "task", "start", "look", "--no-checks", "-w", "-m", `scripted/${path.join(me.base, "rules.yaml")}`);
};

test("R1: a link that `.worktreeinclude` names is not followed into the tree", async () => {
  const me = victim();
  mkdirSync(path.join(me.home, ".ssh"));
  writeFileSync(path.join(me.home, ".ssh/config"), "Host heron\n");
  const folder = repository(me.base, { "a.txt": "a\n", ".gitignore": "*.cfg\n", ".worktreeinclude": "*.cfg\n" });
  symlinkSync(path.join(me.home, ".ssh/config"), path.join(folder, "local.cfg"));
  writeFileSync(path.join(folder, "own.cfg"), "PELICAN\n");
  const read = (file: string, step: number) =>
    `  - when: { step: ${step} }\n    answer: { tool_calls: [{ name: read_file, input: { path: ${file} } }] }\n`;
  await inTree(me, folder, `rules:\n${read("local.cfg", 1)}${read("own.cfg", 2)}${DONE.split("\n")[1]}\n`);
  const seen = (await me.sylk(folder, "task", "context", "last", "--step", "3")).out;
  expect(seen).toContain("PELICAN");
  expect(seen).not.toContain("heron");
});

test("R2: nothing is copied or linked through a link that the checkout brought", async () => {
  const me = victim();
  const folder = repository(
    me.base,
    { "a.txt": "a\n", ".gitignore": "d/\n/e/node_modules/\n", ".worktreeinclude": "d/evil.sh\n" },
    (at) => {
      symlinkSync(me.outside, path.join(at, "d"));
      symlinkSync(me.outside, path.join(at, "e"));
    },
  );
  execFileSync("git", ["-C", folder, "update-index", "--assume-unchanged", "d", "e"]);
  for (const name of ["d", "e"]) rmSync(path.join(folder, name));
  mkdirSync(path.join(folder, "d"));
  writeFileSync(path.join(folder, "d/evil.sh"), "ATTACKER TEXT\n");
  mkdirSync(path.join(folder, "e/node_modules/pkg"), { recursive: true });
  appendFileSync(path.join(folder, "e/node_modules/pkg/index.js"), "1\n");
  await inTree(me, folder, DONE);
  expect(everythingIn(me.outside)).toEqual([]);
});
