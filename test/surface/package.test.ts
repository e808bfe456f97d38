/** The package people install: built, packed, unpacked, and started from the tarball's own files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
let folder = "";
let unpacked = "";

const run = (file: string, args: string[], cwd: string): string =>
  execFileSync(file, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sylk-package-"));
  const tarball = run(process.execPath, ["scripts/pack.ts", folder], ROOT).trim();
  rmSync(path.join(folder, "package"), { recursive: true });
  run("tar", ["-xzf", tarball, "-C", folder], folder);
  unpacked = path.join(folder, "package");
  // Stands for the installation of its dependencies, which are the same packages.
  symlinkSync(path.join(ROOT, "node_modules"), path.join(unpacked, "node_modules"));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the packed command runs from its bundle", () => {
  const entry = path.join(unpacked, "sylk.mjs");
  expect(run(process.execPath, [entry, "--version"], folder).trim()).toBe(manifest["version"]);
  expect(run(process.execPath, [entry, "--help"], folder)).toContain("doctor");
  expect(run(process.execPath, [entry, "agents", "show", "engineer"], folder)).toContain("changes code and shows that it works");
  expect(readdirSync(path.join(unpacked, "task-types"))).toContain("implement_feature");
});

test("from its own files and an empty home it looks at the machine, searches, and brings its manual page", () => {
  const entry = path.join(unpacked, "sylk.mjs");
  const [home, project] = ["empty-home", "small"].map((name) => path.join(folder, name)) as [string, string];
  for (const dir of [home, project]) mkdirSync(dir);
  writeFileSync(path.join(project, "add.js"), "export function addNumbers(a, b) {\n  return a + b;\n}\n");
  const env = { PATH: process.env["PATH"], HOME: home };
  const sylk = (...args: string[]): string =>
    execFileSync(process.execPath, [entry, ...args], { cwd: project, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  expect(JSON.parse(sylk("doctor", "--json"))).toMatchObject({ healthy: true });
  expect(sylk("search", "addNumbers")).toContain("add.js:1");
  expect(sylk("models", "list")).toContain("anthropic/claude-sonnet-4-5");
  expect(readFileSync(path.join(unpacked, "man/sylk.1"), "utf8")).toContain(".TH SYLK 1");
});

test("the package brings the demonstration whole: project, request and recording", () => {
  expect(new Set(readdirSync(path.join(unpacked, "demo")))).toEqual(new Set(["cassette.yaml", "project", "request.txt"]));
  const files = readdirSync(path.join(unpacked, "demo/project"), { recursive: true });
  expect(files).toEqual(expect.arrayContaining(["AGENTS.md", "package.json", "src/reports/index.js", "test/text.test.js"]));
});

test("the published manifest asks for Node 24, brings none, and declares what the bundle imports", () => {
  const published = JSON.parse(readFileSync(path.join(unpacked, "package.json"), "utf8")) as Record<string, unknown>;
  expect(published).toMatchObject({
    name: "sylk",
    bin: { sylk: "./sylk.mjs" },
    man: ["./man/sylk.1"],
    engines: { node: ">=24" },
    type: "module",
  });
  expect(published["optionalDependencies"]).toBeUndefined();
  expect(published["devDependencies"]).toBeUndefined();
  expect(published["private"]).toBeUndefined();
  const declared = Object.keys(published["dependencies"] as object);
  const bundle = readdirSync(path.join(unpacked, "dist"))
    .map((name) => readFileSync(path.join(unpacked, "dist", name), "utf8"))
    .join("\n");
  const imported = new Set(
    [...bundle.matchAll(/(?:from|import\()\s*["'`]((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^"'`]*)?["'`]/g)].map((m) => m[1] as string),
  );
  expect([...imported].filter((name) => !declared.includes(name) && name !== "node" && !isBuiltin(name))).toEqual([]);
  expect(imported.size).toBeGreaterThan(3);
});

test("what stands before the first frame is in the bundle itself, with the licences of whoever wrote it", () => {
  const bundle = readdirSync(path.join(unpacked, "dist")).map((name) => readFileSync(path.join(unpacked, "dist", name), "utf8"));
  const notices = readFileSync(path.join(unpacked, "THIRD-PARTY.txt"), "utf8");
  for (const name of ["@earendil-works/pi-tui", "commander", "yaml", "zod"]) {
    expect(bundle.filter((text) => text.includes(`from"${name}"`))).toEqual([]);
    expect(notices).toMatch(new RegExp(`^${name} \\d`, "mu"));
  }
  expect(notices).toMatch(/^marked \d[\s\S]*Permission is hereby granted/mu);
});
