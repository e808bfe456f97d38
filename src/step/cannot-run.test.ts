import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import type { RunOutcome } from "../workspace/index.ts";
import { cannotRun } from "./cannot-run.ts";

const exited = (exitCode: number): RunOutcome => ({ kind: "exited", exitCode }) as RunOutcome;

function folder(files: Record<string, string>): string {
  const root = tempDir("sylk-cannot-run");
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
  return root;
}

const JS = { "package.json": '{ "devDependencies": { "xo": "1", "@scope/tool": "1" } }' };

test.each([
  ["a script's program", JS, exited(127), "sh: 1: xo: not found", { why: "xo was not found", fix: "npm install" }],
  [
    "the same in bash, with a lock file",
    { ...JS, "yarn.lock": "" },
    exited(127),
    "bash: line 1: xo: command not found",
    { why: "xo was not found", fix: "yarn install --immutable" },
  ],
  [
    "a program behind make",
    { Makefile: "test:\n\tpytest\n", "requirements.txt": "pytest\n" },
    exited(2),
    "pytest: not found\nmake: *** [Makefile:2: test] Error 127",
    { why: "pytest was not found", fix: "pip install -r requirements.txt" },
  ],
  [
    "a declared package",
    JS,
    exited(1),
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@scope/tool' imported from /x/a.mjs",
    { why: "the package @scope/tool is not installed", fix: "npm install" },
  ],
  [
    "a runner of Python",
    { "pyproject.toml": "" },
    exited(1),
    "/usr/bin/python3: No module named pytest",
    { why: "the package pytest is not installed", fix: "pip install -e ." },
  ],
  [
    "a module of Go",
    { "go.mod": "module x" },
    exited(1),
    "a.go:3:8: no required module provides package example.com/y; to add it:",
    { why: "no required module provides package example.com/y;", fix: "go mod download" },
  ],
  ["a script nobody wrote", JS, exited(1), 'npm error Missing script: "test"', { why: 'Missing script: "test"' }],
  ["a program that may not be started", {}, exited(126), "sh: ./run: Permission denied", { why: "a program may not be executed" }],
])("5: %s is missing: it could not run, and what would help is named", (_name, files, outcome, text, expected) => {
  expect(cannotRun(outcome, text, { root: folder(files), ranBefore: false })).toEqual(expected);
});

test.each([
  ["a file of the project that is not written yet", {}, "Error: Cannot find module '/proj/check.mjs'"],
  ["a relative import", JS, "Cannot find module './missing.cjs' from 'b.test.cjs'"],
  ["a package nobody declared", JS, "Cannot find package 'lodash' imported from /proj/a.mjs"],
  ["a module of the project in Python", { "pyproject.toml": "[project]\nname = 'calc'" }, "ModuleNotFoundError: No module named 'planned'"],
  ["a failing test", JS, "AssertionError: command not found should be told"],
])("5: %s is a failure", (_name, files, text) => {
  expect(cannotRun(exited(1), text, { root: folder(files), ranBefore: false })).toBeUndefined();
});

test("5: what ran before and is missing now is the work's own doing", () => {
  const root = folder(JS);
  expect(cannotRun(exited(127), "sh: 1: xo: not found", { root, ranBefore: true })).toBeUndefined();
  const missing = { kind: "not_started", reason: "missing_binary", message: "xo was not found", fix: undefined } as const;
  expect(cannotRun(missing, "", { root, ranBefore: true })).toBeUndefined();
  expect(cannotRun(missing, "", { root, ranBefore: false })).toEqual({ why: "xo was not found", fix: "npm install" });
});

test("what passed ran, whatever it says; what may not run here is told as forbidden", () => {
  const root = folder(JS);
  for (const text of ["sh: 1: xo: not found", "Cannot find package '@scope/tool' imported from /x/a.mjs"])
    expect(cannotRun(exited(0), text, { root, ranBefore: false })).toBeUndefined();
  expect(cannotRun({ kind: "refused", reason: "by a rule", rule: "r" }, "", { root, ranBefore: true })).toEqual({
    why: "it is not allowed here: by a rule",
    forbidden: true,
  });
});

test("a program that the sandbox hides is told as that: where it is, and the setting that shows it", () => {
  const outside = () => ({ file: "/home/a/bin/pnpm", real: "/home/a/.store/pnpm/pnpm.cjs" });
  const told = (sandbox: string) =>
    cannotRun({ kind: "exited", exitCode: 127, sandbox } as RunOutcome, "sh: 1: pnpm: not found", {
      root: folder({}),
      ranBefore: false,
      outside,
    });
  expect(told("bubblewrap")).toEqual({
    why: "pnpm was not found inside the sandbox, though it is there outside: /home/a/bin/pnpm, which is /home/a/.store/pnpm/pnpm.cjs; security.sandbox.writable lets commands see its folder",
    fix: `sylk config set security.sandbox.writable '["/home/a/.store/pnpm"]'`,
  });
  expect(told("none")).toEqual({ why: "pnpm was not found" });
});
