import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { putFiles, tempFolder } from "../../../test/support/temp-workspace.ts";
import { systemClock } from "../../kernel/index.ts";
import type { RememberedChoice } from "./choose-tools.ts";
import { createToolFinder } from "./discover-tools.ts";
import { toolCommand, toolFor } from "./tool-command.ts";
import type { ToolCategory, ToolDiscovery } from "./types.ts";

interface Project extends Disposable {
  root: string;
  find(remembered?: Record<string, RememberedChoice>): Promise<ToolDiscovery>;
}

/** A project with files and fake executables; only those executables exist. */
function project(files: Record<string, string>, binaries: string[] = []): Project {
  const root = tempFolder("discover");
  putFiles(root, files);
  const bin = path.join(root, ".path");
  mkdirSync(bin);
  for (const name of binaries) {
    const file = name.includes("/") ? path.join(root, name) : path.join(bin, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o755);
  }
  return {
    root,
    find: (remembered) => createToolFinder({ root, clock: systemClock, trusts: () => true, searchPath: bin, remembered }).find(),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const ids = (found: ToolDiscovery): Partial<Record<ToolCategory, string>> =>
  Object.fromEntries(
    found.choices.filter((choice) => choice.root === "." && choice.tier === 1).map((choice) => [choice.category, choice.tool.id]),
  );

const TS = { "src/a.ts": "", "src/b.ts": "" };

test("~DIS-004 ~DIS-011 FMT-004 FMT-005: a config file, a dependency and a local binary give high confidence with the reason", async () => {
  using p = project(
    { ...TS, ".prettierrc": "{}", "package.json": JSON.stringify({ devDependencies: { prettier: "^3.1.0" } }), "package-lock.json": "{}" },
    ["node_modules/.bin/prettier"],
  );
  const found = await p.find();
  expect(toolFor(found, "formatter", "src/a.ts")).toMatchObject({
    tier: 1,
    requiresUser: false,
    warnings: [],
    tool: {
      id: "prettier",
      confidence: 0.95,
      level: "high",
      source: "config_file",
      version: "^3.1.0",
      configPath: ".prettierrc",
      installed: true,
      commands: { file: ["node_modules/.bin/prettier", "--write", "$FILE"] },
    },
  });
  expect(found.packageManagers).toEqual([{ id: "npm", install: ["npm", "ci"], confidence: 0.95, reason: "found package-lock.json" }]);
});

test("FMT-004: configuration without the executable is answered with a warning", async () => {
  using p = project({ ...TS, "eslint.config.mjs": "" });
  const linter = toolFor(await p.find(), "linter", "src/a.ts");
  expect(linter?.tool).toMatchObject({ id: "eslint", installed: false, confidence: 0.5, level: "high" });
  expect(linter?.warnings).toEqual(["eslint is configured but its executable was not found"]);
});

test("~FMT-012 ~FMT-013 ~FMT-049: priority decides between configured tools, and own configuration beats a bare dependency", async () => {
  using both = project({
    ...TS,
    "biome.json": "{}",
    ".prettierrc": "{}",
    "vitest.config.ts": "",
    "package.json": JSON.stringify({ devDependencies: { jest: "1", mocha: "1" } }),
  });
  const found = await both.find();
  expect(ids(found)).toMatchObject({ formatter: "biome", linter: "biome", test_framework: "vitest" });
  expect(toolFor(found, "formatter")?.alternatives.map((item) => item.id)).toEqual(["prettier"]);
  using mocha = project({ ...TS, ".mocharc.json": "{}", "package.json": JSON.stringify({ devDependencies: { vitest: "1" } }) });
  expect(ids(await mocha.find())).toMatchObject({ test_framework: "mocha" });
});

test("~FMT-048 DIS-012: a framework known only as a dependency is found, with medium confidence", async () => {
  using p = project({ ...TS, "package.json": JSON.stringify({ devDependencies: { jest: "29" } }) });
  expect(toolFor(await p.find(), "test_framework")).toMatchObject({ tool: { id: "jest", level: "medium", source: "package_manifest" } });
});

test.each([
  ["eslint", "linter", "eslint"],
  ["prettier", "formatter", "prettier"],
  ["jest", "test_framework", "jest"],
  ["vitest", "test_framework", "vitest"],
  ["mocha", "test_framework", "mocha"],
  ["typescript", "type_checker", "tsc"],
  ["@biomejs/biome", "linter", "biome"],
  ["@biomejs/biome", "formatter", "biome"],
  ["ruff", "linter", "ruff"],
  ["black", "formatter", "black"],
  ["pytest", "test_framework", "pytest"],
  ["mypy", "type_checker", "mypy"],
  ["pyright", "type_checker", "pyright"],
] as const)("DIS-012: the dependency %s is taken as %s %s", async (dependency, category, tool) => {
  const python = ["ruff", "black", "pytest", "mypy", "pyright"].includes(dependency);
  const py = { "app/a.py": "", "app/b.py": "", "pyproject.toml": `[project]\nname = 'x'\ndependencies = ['${dependency}>=1']\n` };
  using p = project(python ? py : { ...TS, "package.json": JSON.stringify({ devDependencies: { [dependency]: "1" } }) });
  expect(toolFor(await p.find(), category)?.tool).toMatchObject({ id: tool, source: "package_manifest" });
});

test("~DIS-011: sections of pyproject.toml and setup.cfg count as configuration; the file alone does not", async () => {
  const py = { "app/a.py": "", "app/b.py": "" };
  using ruff = project({ ...py, "pyproject.toml": "[tool.ruff]\nline-length = 100\n[tool.pytest.ini_options]\n[tool.mypy]\n" });
  expect(ids(await ruff.find())).toMatchObject({ formatter: "ruff", linter: "ruff", test_framework: "pytest", type_checker: "mypy" });
  using plain = project({ ...py, "pyproject.toml": "[project]\nname = 'x'\ndependencies = ['black>=24', 'requests']\n" });
  expect(ids(await plain.find())).toMatchObject({ formatter: "black", test_framework: "unittest" });
  using cfg = project({ ...py, "setup.cfg": "[tool:pytest]\n[flake8]\n" });
  expect(ids(await cfg.find())).toMatchObject({ linter: "flake8", test_framework: "pytest" });
});

test("~FMT-053 ~FMT-061: languages that bring their tools need only their manifest", async () => {
  using go = project({ "go.mod": "module x\n", "a.go": "", "b.go": "" }, ["go", "gofmt"]);
  expect(ids(await go.find())).toMatchObject({ formatter: "gofmt", type_checker: "go-vet", test_framework: "go-test", build: "go-build" });
  using rust = project({ "Cargo.toml": "[package]\n", "src/main.rs": "", "src/lib.rs": "" }, ["cargo"]);
  expect(ids(await rust.find())).toMatchObject({
    formatter: "rustfmt",
    linter: "clippy",
    type_checker: "cargo-check",
    test_framework: "cargo-test",
  });
});

test("~DIS-007 ~DIS-013 ~DIS-014: with nothing configured the language's default is offered for the user to decide", async () => {
  using p = project(TS);
  expect(toolFor(await p.find(), "linter")).toMatchObject({
    tier: 3,
    requiresUser: true,
    tool: { id: "oxlint", level: "low", source: "language_default", confidence: 0.1, installCommand: ["npm", "install", "-D", "oxlint"] },
  });
});

test("~DIS-008: a remembered choice wins over what the project configures, also a command of the user's own", async () => {
  using p = project({ ...TS, "biome.json": "{}", ".prettierrc": "{}" });
  const found = await p.find({ formatter: { tool: "prettier" }, "test_framework:typescript": { command: ["./run-tests", "--fast"] } });
  expect(toolFor(found, "formatter")).toMatchObject({
    tool: { id: "prettier", source: "user_choice", confidence: 1 },
    alternatives: [{ id: "biome" }],
  });
  expect(toolFor(found, "test_framework")).toMatchObject({ tool: { id: "custom", commands: { run: ["./run-tests", "--fast"] } } });
});

test("DIS-005: scripts, make targets, CI commands and editor settings are evidence", async () => {
  using script = project({
    ...TS,
    "package.json": JSON.stringify({ scripts: { test: "tap --no-cov", lint: "standard" } }),
    "pnpm-lock.yaml": "",
  });
  const found = await script.find();
  expect(toolFor(found, "test_framework")).toMatchObject({
    tool: { id: "script:test", source: "script", commands: { run: ["pnpm", "test"] } },
  });
  using make = project({ "a.c": "", "b.c": "", Makefile: "test: all\n\t./run\nlint:\n\tcppcheck .\n" });
  expect(toolFor(await make.find(), "linter")).toMatchObject({ tool: { commands: { run: ["make", "lint"] } } });
  using ci = project({
    "a.py": "",
    "b.py": "",
    ".github/workflows/ci.yml": "jobs:\n  t:\n    steps:\n      - uses: actions/setup-mypy\n      - run: ruff check .\n",
  });
  const fromCi = await ci.find();
  expect(toolFor(fromCi, "linter")).toMatchObject({
    tool: { id: "ruff", source: "ci", level: "medium", reason: "used in .github/workflows/ci.yml, executable not found" },
  });
  expect(toolFor(fromCi, "type_checker")).toMatchObject({ tier: 3 });
});

test("FMT-051 FMT-003: each package of a repository gets its own tools", async () => {
  using p = project({
    "package.json": JSON.stringify({ workspaces: ["packages/*"], devDependencies: { vitest: "3" } }),
    "packages/web/package.json": JSON.stringify({ devDependencies: { jest: "29" } }),
    "packages/web/src/a.ts": "",
    "services/api/go.mod": "module api\n",
    "services/api/main.go": "",
    "src/x.ts": "",
  });
  const found = await p.find();
  expect(toolFor(found, "test_framework", "packages/web/src/a.ts")).toMatchObject({ root: "packages/web", tool: { id: "jest" } });
  expect(toolFor(found, "test_framework", "src/x.ts")).toMatchObject({ root: ".", tool: { id: "vitest" } });
  expect(toolFor(found, "test_framework", "services/api/main.go")).toMatchObject({ root: "services/api", tool: { id: "go-test" } });
});

test("~FMT-047: commands are filled in relative to their package, with report arguments when a report file is given", async () => {
  using p = project({ "services/api/go.mod": "module api\n", "services/api/pkg/a_test.go": "", ...TS, "vitest.config.ts": "" });
  const found = await p.find();
  const go = toolFor(found, "test_framework", "services/api/pkg/a_test.go");
  expect(go && toolCommand(go, "file", { file: "services/api/pkg/a_test.go" })).toEqual({
    argv: ["go", "test", "./pkg"],
    cwd: "services/api",
    report: undefined,
  });
  const vitest = toolFor(found, "test_framework", "src/a.ts");
  expect(vitest && toolCommand(vitest, "single", { file: "src/a.test.ts", test: "adds $ and &", reportFile: "/tmp/r.json" })).toEqual({
    argv: ["vitest", "run", "-t", "adds $ and &", "src/a.test.ts", "--reporter=json", "--outputFile=/tmp/r.json"],
    cwd: ".",
    report: { format: "vitest-json", in: "file" },
  });
  expect(vitest && toolCommand(vitest, "file")).toBeUndefined();
});

test("~DIS-001: a project's own table adds tools; a broken one is an error that names the file", async () => {
  using p = project({
    ...TS,
    ".sylk/tools.yaml": "- id: tidy\n  category: formatter\n  languages: [typescript]\n  configs: [tidy.cfg]\n  file: [tidy, $FILE]\n",
    "tidy.cfg": "",
  });
  expect(ids(await p.find())).toMatchObject({ formatter: "tidy" });
  putFiles(p.root, { ".sylk/tools.yaml": "id: 3\n" });
  await expect(p.find()).rejects.toMatchObject({ code: "TOOLS_FILE_INVALID", tier: "user_fixable" });
});

test("FMT-003: answers are kept until a file they depend on changes", async () => {
  using p = project({ ...TS, ".prettierrc": "{}" });
  const finder = createToolFinder({ root: p.root, clock: systemClock, trusts: () => true });
  expect((await finder.find()).cached).toBe(false);
  expect((await finder.find()).cached).toBe(true);
  putFiles(p.root, { "biome.json": "{}" });
  const again = await finder.find();
  expect([again.cached, toolFor(again, "formatter")?.tool.id]).toEqual([false, "biome"]);
  expect((await finder.find({ refresh: true })).cached).toBe(false);
});

test("a manifest that cannot be parsed is a warning, not an end", async () => {
  using p = project({ ...TS, "package.json": "{ broken", ".prettierrc": "{}" });
  const formatter = toolFor(await p.find(), "formatter");
  expect(formatter?.tool.id).toBe("prettier");
  expect(formatter?.warnings.some((warning) => warning.startsWith("package.json cannot be parsed"))).toBe(true);
});
