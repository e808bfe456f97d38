import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { findProgram } from "../find-program.ts";
import { emptiedDrivers, needsDrivers, withoutPrograms } from "./safe-git.ts";

test("C3: git is not looked for in relative folders nor among a project's packages", () => {
  const base = tempDir();
  const dirs = ["node_modules/.bin", "a/node_modules/b", "system"].map((name) => path.join(base, name));
  for (const dir of dirs) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, "git"), "");
  }
  const near = path.relative(process.cwd(), path.join(base, "system"));
  expect(findProgram("git", [near, ".", "", ...dirs].join(path.delimiter))).toBe(path.join(base, "system/git"));
  expect(findProgram("git", [near, dirs[0], dirs[1]].join(path.delimiter))).toBeUndefined();
});

test("L1: every filter is emptied under its own name, and none is required", () => {
  expect(emptiedDrivers("filter.a=b c.clean\0filter.x.required\0filter.x.required\0")).toEqual({
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "filter.a=b c.clean",
    GIT_CONFIG_VALUE_0: "",
    GIT_CONFIG_KEY_1: "filter.x.required",
    GIT_CONFIG_VALUE_1: "false",
  });
});

test.each([
  [["status"], true, ["status", "--ignore-submodules=dirty"]],
  [["diff", "HEAD"], true, ["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "HEAD"]],
  [["-c", "a=b", "log", "-p"], true, ["-c", "a=b", "log", "--no-ext-diff", "--no-textconv", "-p"]],
  [["blame", "a"], true, ["blame", "--no-textconv", "a"]],
  [["write-tree"], true, ["write-tree"]],
  [["ls-files", "--stage", "-z"], false, ["ls-files", "--stage", "-z"]],
  [["ls-files", "-z", "--stage", "--modified"], true, ["ls-files", "-z", "--stage", "--modified"]],
  [["ls-files", "--stage", "-z", "--", "a"], true, ["ls-files", "--stage", "-z", "--", "a"]],
  [["ls-files"], true, ["ls-files"]],
  [["--git-dir", "x", "config", "a", "b"], false, ["--git-dir", "x", "config", "a", "b"]],
])("L1 L6: %j is run without the programs a repository names", (args, drivers, given) => {
  expect(needsDrivers(args)).toBe(drivers);
  expect(withoutPrograms(args)).toEqual(given);
});
