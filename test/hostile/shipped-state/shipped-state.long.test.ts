/** `shipped-state.test.ts` goes on here with what takes longer. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { clone, everythingIn, repository, victim } from "../support.ts";

test("H5: links in `.sylk` move none of Sylk's own writes", async () => {
  const me = victim();
  const evil = repository(me.base, { "a.ts": "export const a = 1;\n" }, (folder) => {
    mkdirSync(path.join(folder, ".sylk"));
    for (const name of [
      "sylk.db",
      "tasks",
      "memory",
      "knowledge.db",
      "local",
      "skills",
      "backups",
      "MEMORY.md",
      ".gitignore",
      "config.yaml",
    ])
      symlinkSync(path.join(me.outside, name), path.join(folder, ".sylk", name));
  });
  const here = clone(evil, path.join(me.base, "clone"));
  writeFileSync(path.join(me.base, "rules.yaml"), "rules:\n  - answer: { tool_calls: [{ name: complete, input: { summary: done } }] }\n");
  await me.sylk(here, "init", "--share");
  await me.sylk(here, "search", "a");
  await me.sylk(here, "task", "start", "say hi", "--no-checks", "-m", `scripted/${path.join(me.base, "rules.yaml")}`);
  await me.sylk(here, "memory", "save", "architect", "x", "--body", "y");
  await me.sylk(here, "config", "set", "memory.place", "project", "--project");
  await me.sylk(here, "memory", "save", "architect", "x2", "--body", "y");
  await me.sylk(here, "skill", "create", "write release notes", "--target", "agents", "--yes");
  expect(everythingIn(me.outside)).toEqual([]);
});

test("what is private stays whole when the folder is cleaned, emptied of `.sylk` or may only be read", async () => {
  const me = victim();
  const evil = repository(me.base, { "a.test.ts": "export {};\n" });
  const here = clone(evil, path.join(me.base, "clone"));
  writeFileSync(path.join(me.base, "rules.yaml"), "rules:\n  - answer: { tool_calls: [{ name: complete, input: { summary: done } }] }\n");
  await me.sylk(here, "task", "start", "say hi", "--no-checks", "-m", `scripted/${path.join(me.base, "rules.yaml")}`);
  await me.sylk(here, "search", "a");
  // Nothing for a test runner, a formatter or `git add -A` to find.
  expect(everythingIn(here).filter((name) => !name.startsWith(".git"))).toEqual(["a.test.ts"]);
  execFileSync("git", ["-C", here, "clean", "-q", "-fdx"]);
  execFileSync("rm", ["-rf", path.join(here, ".sylk")]);
  execFileSync("chmod", ["-R", "a-w", here]);
  try {
    expect((await me.sylk(here, "task", "list")).out).toContain("say hi");
    expect((await me.sylk(here, "journal", "verify")).code).toBe(0);
    expect((await me.sylk(here, "search", "a")).code).toBe(0);
  } finally {
    execFileSync("chmod", ["-R", "u+w", here]);
  }
});
