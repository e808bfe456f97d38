/** The command as a user starts it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { scriptedProject } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";
import { sylk, FIX, FILES } from "./cli.ts";

test("--version prints the version of the package", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(sylk(["--version"])).toMatchObject({ code: 0, out: `${version}\n`, err: "" });
});

test("without arguments a newcomer sees findings and what to try", () => {
  const { code, out } = sylk([]);
  expect(code).toBe(0);
  expect(out).toContain("✓ node");
  expect(out).toContain('sylk "make the tests pass"');
  expect(out).not.toContain("\u001b[");
});

test("help shows examples; an unknown command says what happened and what to do, exit 2", () => {
  expect(sylk(["journal", "--help"]).out).toContain("Examples:");
  const wrong = sylk(["jurnal"]);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toBe("error: there is no command `jurnal`\n  fix: did you mean `sylk journal`? `sylk help` lists all\n");
});

test("--json carries errors on stdout as one JSON value", () => {
  const wrong = sylk(["journal", "show", "7", "--json"]);
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.out)).toMatchObject({ type: "error", error: { code: "JOURNAL_NO_SUCH_EVENT", tier: "user_fixable" } });
});

test("doctor names every finding with a fix, and is machine-readable", () => {
  const report = JSON.parse(sylk(["doctor", "--json"]).out) as {
    healthy: boolean;
    findings: { name: string; status: string; fix?: string }[];
  };
  expect(report.healthy).toBe(true);
  expect(report.findings.map((finding) => finding.name)).toEqual(
    expect.arrayContaining([
      "node",
      "git",
      "ripgrep",
      "sandbox",
      "providers",
      "configuration",
      "database",
      "config folder",
      "project folder",
    ]),
  );
  expect(report.findings.filter((finding) => finding.status !== "ok" && finding.fix === undefined)).toEqual([]);
});

test("init makes a project known, shares settings on request and never overwrites", () => {
  const first = sylk(["init"]);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining("private  ") as string });
  expect(existsSync(path.join(first.cwd, ".sylk"))).toBe(false);
  expect(sylk(["init", "--share"], { cwd: first.cwd }).out).toContain("created  .sylk/config.yaml");
  const config = path.join(first.cwd, ".sylk/config.yaml");
  writeFileSync(config, "log: { level: debug }\n");
  const again = sylk(["init", "--share"], { cwd: first.cwd });
  expect(again.out).toContain("kept     .sylk/config.yaml");
  expect(readFileSync(config, "utf8")).toBe("log: { level: debug }\n");
});

test("CFG-005: a malformed configuration warns in one line and everything still works", () => {
  const cwd = tempDir();
  mkdirSync(path.join(cwd, ".sylk"), { recursive: true });
  writeFileSync(path.join(cwd, ".sylk/config.yaml"), "log: { level: loud\n");
  const run = sylk(["config", "get", "log.level"], { cwd });
  expect(run).toMatchObject({ code: 0, out: "info\n" });
  expect(run.err).toMatch(/warning: 1 setting ignored .*line \d/);
  // Not before what shows it anyway or needs no setting.
  for (const words of [
    ["config", "path"],
    ["trust", "status"],
  ])
    expect(sylk(words, { cwd }).err).not.toContain("warning");
});

test("completion scripts know commands and sub-commands", () => {
  for (const shell of ["bash", "zsh", "fish"]) expect(sylk(["completion", shell]).out).toMatch(/journal[\s\S]*verify/);
  const check = spawnSync("bash", ["-n"], { input: sylk(["completion", "bash"]).out });
  expect(check.status).toBe(0);
});

test("a task from the command line: JSON lines as it happens, exit 0 when verified, journal that verifies", () => {
  const { dir, env, rules } = scriptedProject(FILES, FIX);
  const run = sylk(["task", "start", "make add() add", "--check", "node check.mjs", "-m", rules, "--json"], { cwd: dir, env });
  expect(run.err).toBe("");
  expect(run.code).toBe(0);
  const lines = run.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({ type: "task", version: 1, goal: "make add() add" });
  expect(lines.map((line) => line["type"])).toEqual(expect.arrayContaining(["step", "action", "verification", "decision"]));
  expect(lines.at(-1)).toMatchObject({ type: "outcome", status: "complete", verified: true });
  expect(readFileSync(path.join(dir, "add.mjs"), "utf8")).toContain("a + b");
  expect(sylk(["journal", "verify"], { cwd: dir, env })).toMatchObject({ code: 0 });
  const shown = sylk(["task", "show", "last"], { cwd: dir, env });
  for (const part of ["make add() add", "edit_file add.mjs", "✓ node check.mjs", "model calls"]) expect(shown.out).toContain(part);
  expect(sylk(["task", "context", "last", "--step", "1"], { cwd: dir, env }).out).toContain("make add() add");
});

test("the goal may come from stdin, and a task without a model says what to set", () => {
  const { dir, env } = scriptedProject(FILES, FIX);
  const run = sylk(["task", "start", "--check", "node check.mjs"], { cwd: dir, env, input: "make add() add\n" });
  expect(run.code).toBe(41);
  expect(run.err).toMatch(/no model provider is set up[\s\S]*fix: /);
});

test("a question is answered and the task goes on from there", () => {
  const project = scriptedProject(
    FILES,
    'rules:\n  - when: { text: "use plus" , step: ">=2" }\n    answers:\n      - tool_calls: [{ name: edit_file, input: { path: add.mjs, find: "a - b", replace: "a + b" } }]\n      - tool_calls: [{ name: complete, input: { summary: done } }]\n  - answer: { tool_calls: [{ name: ask_user, input: { question: "plus or minus?" } }] }\n',
  );
  const at = { cwd: project.dir, env: project.env };
  expect(sylk(["task", "start", "make it right", "--check", "node check.mjs", "-m", project.rules], at).code).toBe(4);
  expect(sylk(["task", "show", "last"], at).out).toContain("plus or minus?");
  expect(sylk(["task", "answer", "last", "use", "plus"], at).code).toBe(0);
  expect(sylk(["task", "resume", "last"], at).code).toBe(0);
});
