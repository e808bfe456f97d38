import { expect, test } from "vitest";
import { systemClock } from "../kernel/index.ts";
import { putFiles, tempFolder } from "../../test/support/temp-workspace.ts";
import { createToolFinder } from "./discover/discover-tools.ts";
import type { ToolDiscovery } from "./discover/types.ts";
import { chmodSync } from "node:fs";
import path from "node:path";
import { programsOf } from "./discovered-checks.ts";
import { narrowTests } from "./narrow-tests.ts";

async function discovered(files: Record<string, string>, programs: string[]): Promise<ToolDiscovery> {
  const folder = tempFolder("narrow");
  putFiles(folder, { ...files, ...Object.fromEntries(programs.map((name) => [`node_modules/.bin/${name}`, "#!/bin/sh\n"])) });
  for (const name of programs) chmodSync(path.join(folder, "node_modules/.bin", name), 0o755);
  return createToolFinder({ root: folder, clock: systemClock, searchPath: "", trusts: () => false }).find();
}

const manifest = (test: string, packages: string[] = []): string =>
  JSON.stringify({ scripts: { test }, devDependencies: Object.fromEntries(packages.map((name) => [name, "1"])) });

test("FMT-071: tests of changed files are found by the runner where it can, and by their names elsewhere", async () => {
  const vitest = await discovered({ "package.json": manifest("vitest run", ["vitest"]), "src/a.ts": "", "b.ts": "" }, ["vitest"]);
  const changed = (files: string[], all: string[]) => ({ kind: "changed" as const, files, all });
  expect(narrowTests(vitest, changed(["src/a.ts", "b.ts"], []))?.argv.join(" ")).toBe(
    "node_modules/.bin/vitest related --run --passWithNoTests src/a.ts b.ts",
  );
  const mocha = await discovered({ "package.json": manifest("mocha", ["mocha"]), "src/a.js": "", "b.js": "" }, ["mocha"]);
  const all = ["src/a.js", "b.js", "test/a.test.js", "test/b.spec.js", "test/c.test.js", "src/a.json"];
  expect(narrowTests(mocha, changed(["src/a.js", "b.js"], all))?.argv).toEqual([
    "node_modules/.bin/mocha",
    "test/a.test.js",
    "test/b.spec.js",
  ]);
  expect(narrowTests(mocha, changed(["other.js"], all))).toBeUndefined();
});

test("~FMT-070: a file or a name is handed to the project's runner in its own way", async () => {
  const python = await discovered({ "pyproject.toml": "[tool.pytest.ini_options]\n", "a.py": "", "test_a.py": "" }, ["pytest"]);
  const named = (file?: string, name?: string) => narrowTests(python, { kind: "named", file, name })?.argv.join(" ");
  expect(named("test_a.py")).toBe("node_modules/.bin/pytest test_a.py");
  expect(named("test_a.py", "test_one")).toBe("node_modules/.bin/pytest test_a.py::test_one");
  const vitest = await discovered({ "package.json": manifest("vitest run", ["vitest"]), "src/a.ts": "", "b.ts": "" }, ["vitest"]);
  expect(narrowTests(vitest, { kind: "named", name: "adds" })?.argv.join(" ")).toBe("node_modules/.bin/vitest run -t adds");
  const none = await discovered({ "a.txt": "" }, []);
  expect(narrowTests(none, { kind: "named", file: "a.txt" })).toBeUndefined();
});

test("all tests without what stands before them: as the project's own line runs them, else as the runner is usually run", async () => {
  const scripts = { lint: "eslint .", test: "npm run lint && vitest run --typecheck" };
  const manifestOf = (own: Record<string, string>): string => JSON.stringify({ scripts: own, devDependencies: { vitest: "1" } });
  const found = await discovered({ "package.json": manifestOf(scripts), "src/a.ts": "" }, ["vitest"]);
  const alone = (command: string): string | undefined => narrowTests(found, { kind: "alone", command })?.argv.join(" ");
  expect(alone("npm test")).toBe("node_modules/.bin/vitest run --typecheck");
  expect(alone("npm run lint && npm test")).toBe("node_modules/.bin/vitest run");
  // What is no line of the project's says what the person wants.
  expect(alone("node check.mjs")).toBeUndefined();
});

test("V15: what a check runs is known through the project's own lines; programs that run anything are left out", async () => {
  const scripts = {
    pretest: "rimraf out && npm run lint",
    lint: "eslint .",
    test: "NODE_ENV=test c8 vitest run; bash after.sh",
    deploy: "ship it",
  };
  const found = await discovered({ "package.json": JSON.stringify({ scripts }), "a.js": "" }, []);
  expect(programsOf(found, ["npm test"])).toEqual([["npm", "test"], ["rimraf"], ["eslint"], ["vitest"]]);
  expect(programsOf(found, ["pytest -q", "sh -c 'x; y'", "go test ./..."])).toEqual([
    ["pytest", "-q"],
    ["pytest"],
    ["go", "test", "./..."],
    ["go"],
  ]);
});
