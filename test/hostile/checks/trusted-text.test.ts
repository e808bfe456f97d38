/**
 * The attacker has: a repository whose check (`make test`, `npm test`) the person has read and agreed to, and a way to
 * change other files in it (a pull, the model). He wants his program run under that consent, where no sandbox bounds it,
 * without touching the line that was read.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkThing } from "../../../src/guard/index.ts";
import { checksFrom } from "../../../src/tooling/discovered-checks.ts";
import { agreedTo } from "../../support/agreed-checks.ts";

/** What would have happened: the line, run by hand. */
function evilRuns({ root, mark }: { root: string; mark: string }, program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { cwd: root, stdio: "ignore" });
  } catch {
    // It may fail after it ran.
  }
  return existsSync(mark);
}

const MAKEFILE = "test:\n\t@true\n";

test.each([
  ["a line above the target", { Makefile: `X := $(shell EVIL)\n${MAKEFILE}` }],
  ["a file to include", { Makefile: `include other.mk\n${MAKEFILE}`, "other.mk": "X := $(shell EVIL)\n" }],
  ["another shell", { Makefile: `SHELL = ./sh.sh\n${MAKEFILE}`, "sh.sh": "#!/bin/sh\nEVIL\n" }],
  ["a file that make prefers", { GNUmakefile: "test:\n\t@EVIL\n" }],
  ["another file that make prefers", { makefile: "test:\n\t@EVIL\n" }],
  ["a file that make makes its own from", { "Makefile.sh": "test:\n\t@EVIL\n" }],
])("H4: `make test` runs as it was agreed to, and not after %s came", async (_what, change: Record<string, string>) => {
  const t = await agreedTo({ Makefile: MAKEFILE });
  utimesSync(path.join(t.root, "Makefile"), 1, 1);
  expect(await t.runs("make test")).toBe(true);
  t.put(change);
  if (existsSync(path.join(t.root, "sh.sh"))) chmodSync(path.join(t.root, "sh.sh"), 0o755);
  expect(await t.runs("make test")).toBe(false);
  expect(evilRuns(t, "make", "test")).toBe(true);
});

test.each([["other.mk"], ["sub/deep.mk"]])("H4: what an agreed Makefile includes is part of the consent: %s", async (changed) => {
  const t = await agreedTo({
    Makefile: `-include other.mk \\\n  missing.mk\n${MAKEFILE}`,
    "other.mk": "\tinclude sub/deep.mk # more\n",
    "sub/deep.mk": "A = 1\n",
  });
  expect(await t.runs("make test")).toBe(true);
  t.put({ [changed]: "X := $(shell EVIL)\n" });
  expect(await t.runs("make test")).toBe(false);
});

test("H4: a file that was missing and is included counts as soon as it is there", async () => {
  const t = await agreedTo({ Makefile: `-include local.mk\n${MAKEFILE}` });
  expect(await t.runs("make test")).toBe(true);
  t.put({ "local.mk": "X := $(shell EVIL)\n" });
  expect(await t.runs("make test")).toBe(false);
});

test.each([
  ["a name that is computed", "include $(X).mk\n"],
  ["a pattern", "include *.mk\n"],
  ["a place outside", "include ../other.mk\n"],
  ["a link out", "include link.mk\n"],
  ["lines made while it is read", "$(eval include x.mk)\n"],
  ["a library", "load ./evil.so\n"],
])("H4: what cannot be followed cannot be agreed to: %s", async (_what, line) => {
  const t = await agreedTo({ Makefile: MAKEFILE });
  symlinkSync("/etc/hostname", path.join(t.root, "link.mk"));
  writeFileSync(path.join(t.root, "..", "other.mk"), "");
  expect(await t.offered()).toEqual(["make test"]);
  t.put({ Makefile: line + MAKEFILE });
  expect(await t.offered()).toEqual([]);
  expect(await t.runs("make test")).toBe(false);
});

test.each([
  [
    "more files than are followed",
    Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}.mk`, `include ${i + 1}.mk\n`])),
    "include 0.mk\n",
  ],
  ["a file too large to be read whole", { "0.mk": `#${" ".repeat(4 * 1024 * 1024)}\n` }, "include 0.mk\n"],
  ["files kept under RCS", { "RCS/Makefile,v": "" }, ""],
  ["files kept under SCCS", { "SCCS/s.Makefile": "" }, ""],
])("H4: what cannot be read to its end cannot be agreed to: %s", async (_what, files: Record<string, string>, line) => {
  const t = await agreedTo({ Makefile: MAKEFILE });
  expect(await t.offered()).toEqual(["make test"]);
  t.put({ ...files, Makefile: line + MAKEFILE });
  expect(await t.offered()).toEqual([]);
  expect(await t.runs("make test")).toBe(false);
});

test.each([".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml", "pnpm-workspace.yaml"])(
  "H4: `npm test` is asked about again when %s comes or changes: it can name the shell",
  async (file) => {
    const t = await agreedTo({ "package.json": JSON.stringify({ scripts: { test: "true" } }) });
    expect(await t.runs("npm test")).toBe(true);
    t.put({ [file]: "script-shell=./sh.sh\n" });
    expect(await t.runs("npm test")).toBe(false);
    // Agreed to with it, it is part of what was agreed to.
    const [before] = checksFrom(await t.finder.find()).map(checkThing);
    t.put({ [file]: "script-shell=./other.sh\n" });
    const [after] = checksFrom(await t.finder.find()).map(checkThing);
    expect(after?.hash).not.toBe(before?.hash);
  },
);

const TOOL = {
  "tsconfig.json": "{}",
  "a.ts": "",
  "package.json": `{"devDependencies":{"typescript":"1"}}`,
  "node_modules/typescript/bin/tsc": "#!/bin/sh\ntrue\n",
};

test.each([
  ["its program", "node_modules/typescript/bin/tsc"],
  ["the place its link leads to", "node_modules/other/bin/tsc"],
])("H3: a tool of the project is asked about again when %s changed", async (_what, changed) => {
  const t = await agreedTo(TOOL, (root) => {
    mkdirSync(path.join(root, "node_modules/.bin"));
    chmodSync(path.join(root, "node_modules/typescript/bin/tsc"), 0o755);
    symlinkSync("../typescript/bin/tsc", path.join(root, "node_modules/.bin/tsc"));
  });
  const [line = ""] = await t.offered();
  expect(line).toContain("node_modules/.bin/tsc");
  expect(await t.runs(line)).toBe(true);
  // The same text elsewhere loads other files.
  t.put({ [changed]: changed.includes("other") ? "#!/bin/sh\ntrue\n" : "#!/bin/sh\nEVIL\n" });
  if (changed.includes("other")) {
    rmSync(path.join(t.root, "node_modules/.bin/tsc"));
    chmodSync(path.join(t.root, changed), 0o755);
    symlinkSync("../other/bin/tsc", path.join(t.root, "node_modules/.bin/tsc"));
  }
  expect(await t.runs(line)).toBe(false);
});

test.each([
  ["npm test", { "package.json": JSON.stringify({ scripts: { test: "x=1 tool --all" } }) }, "node_modules/.bin/tool"],
  ["npm test", { "package.json": JSON.stringify({ scripts: { test: "cd sub && ./run.sh" } }) }, "sub/run.sh"],
  ["npm test", { "package.json": JSON.stringify({ scripts: { test: "node --import=./hook.mjs t.js" } }), "t.js": "" }, "hook.mjs"],
  ["make test", { Makefile: "test:\n\t@sh scripts/run.sh\n" }, "scripts/run.sh"],
])("H3: `%s` is asked about again when a program its lines name changed: %o", async (line, files: Record<string, string>, program) => {
  const t = await agreedTo({ ...files, [program]: "true\n" });
  expect(await t.runs(line)).toBe(true);
  t.put({ "unrelated.js": "1\n" });
  expect(await t.runs(line)).toBe(true);
  t.put({ [program]: "EVIL\n" });
  expect(await t.runs(line)).toBe(false);
});
