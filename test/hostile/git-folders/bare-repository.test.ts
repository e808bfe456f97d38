/**
 * The attacker is the model. Its user began in a repository without a checkout (or in a folder of one), where every file
 * is git's own: hooks and settings that start programs at the next push or fetch. It wants to write one.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runSylk } from "../../support/run-sylk.ts";
import { script } from "../../support/scripted-project.ts";
import { tempDir } from "../../support/temp.ts";

function bare() {
  const base = tempDir("sylk-bare");
  const dir = path.join(base, "shared.git");
  execFileSync("git", ["init", "-q", "--bare", dir]);
  const rules = path.join(base, "rules.yaml");
  const writes = (file: string) => ({ name: "write_file", input: { path: file, content: "#!/bin/sh\n" } });
  writeFileSync(rules, script([writes("hooks/post-receive"), writes("post-receive"), { name: "complete", input: { summary: "done" } }]));
  const env = { PATH: process.env["PATH"], HOME: path.join(base, "home"), SYLK_HOME: path.join(base, "sylk"), NO_COLOR: "1" };
  mkdirSync(env.HOME);
  const sylk = (cwd: string) => runSylk(cwd, env, ["task", "start", "x", "--check", "true", "-m", `scripted/${rules}`]);
  return { dir, sylk };
}

test("nobody works in a repository that has no checkout, nor in a folder of it", { timeout: 60_000 }, async () => {
  const { dir, sylk } = bare();
  const config = readFileSync(path.join(dir, "config"), "utf8");
  for (const cwd of [dir, path.join(dir, "hooks")]) {
    const { code, err } = await sylk(cwd);
    expect([code === 0, err]).toEqual([false, expect.stringContaining("is a git folder")]);
    expect(err).toContain("git worktree add");
  }
  expect(existsSync(path.join(dir, "hooks/post-receive"))).toBe(false);
  expect(readFileSync(path.join(dir, "config"), "utf8")).toBe(config);
});

test("a checkout that has files of such names is worked in as any other", { timeout: 60_000 }, async () => {
  const { dir, sylk } = bare();
  const checkout = path.join(path.dirname(dir), "checkout");
  execFileSync("git", ["clone", "-q", dir, checkout], { stdio: "ignore" });
  for (const name of ["objects", "refs", "hooks"]) mkdirSync(path.join(checkout, name));
  appendFileSync(path.join(checkout, "HEAD"), "ref: refs/heads/main\n");
  await sylk(checkout);
  expect(existsSync(path.join(checkout, "post-receive"))).toBe(true);
});
