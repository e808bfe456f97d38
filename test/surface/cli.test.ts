/** The command as a user starts it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { privateOf, script, scriptedProject } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

function sylk(args: readonly string[], options: { cwd?: string; env?: Record<string, string>; input?: string } = {}) {
  const cwd = options.cwd ?? tempDir();
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    SYLK_HOME: path.join(cwd, "home"),
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...options.env,
  };
  const run = spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    env,
    encoding: "utf8",
    ...(options.input === undefined ? { stdio: ["ignore", "pipe", "pipe"] as const } : { input: options.input }),
  });
  return { code: run.status, out: run.stdout, err: run.stderr, cwd, env };
}

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

test("looking creates nothing: no .sylk in a folder that had none", () => {
  const cwd = tempDir();
  const env = { SYLK_HOME: path.join(cwd, "home") };
  const looked = (...args: string[]) => sylk(args, { cwd, env });
  expect(looked("journal", "tail")).toMatchObject({ code: 0, out: "", err: "nothing has happened here yet\n" });
  expect(looked("journal", "show", "1")).toMatchObject({ code: 1, err: expect.stringContaining("no event 1") as string });
  expect(looked("journal", "export")).toMatchObject({ code: 0, out: "" });
  expect(looked("task", "list").out).toContain("no tasks yet");
  expect(looked("task", "show", "last")).toMatchObject({ code: 1, err: expect.stringContaining("there is no task here yet") as string });
  expect(looked("goal", "stats").code).toBe(0);
  expect(looked("usage").out).toBe("no model was called yet\n");
  expect(looked("doctor").out).toContain("none yet");
  expect(existsSync(path.join(cwd, ".sylk"))).toBe(false);
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

test("STO-010: what is private to a person is kept out of version control", () => {
  const { dir, env, rules } = scriptedProject({ "a.txt": "a" }, script([{ name: "complete", input: { summary: "x" } }]));
  sylk(["init"], { cwd: dir, env });
  sylk(["config", "set", "log.level", "debug", "--local"], { cwd: dir, env });
  sylk(["task", "start", "x", "--no-checks", "-m", rules], { cwd: dir, env });
  const status = () => spawnSync("git", ["status", "--porcelain", "--untracked-files=all"], { cwd: dir, encoding: "utf8" }).stdout;
  expect(status()).toBe("?? a.txt\n");
  sylk(["init", "--share"], { cwd: dir, env });
  expect(status()).toBe("?? .sylk/config.schema.json\n?? .sylk/config.yaml\n?? a.txt\n");
});

test("config set, get, list and where a value comes from", () => {
  const { cwd } = sylk(["config", "set", "log.level", "debug"]);
  expect(sylk(["config", "get", "log.level"], { cwd }).out).toBe("debug\n");
  expect(JSON.parse(sylk(["config", "get", "log.level", "--json"], { cwd }).out)).toMatchObject({ value: "debug", layer: "user" });
  expect(sylk(["config", "get", "log.level"], { cwd, env: { SYLK_LOG_LEVEL: "error" } }).out).toBe("error\n");
  const wrong = sylk(["config", "set", "log.level", "loud"], { cwd });
  expect(wrong.code).toBe(52);
  expect(wrong.err).toContain("fix:");
  expect(sylk(["config", "get", "log.levels"], { cwd }).err).toContain("there is no setting log.levels");
  // Alone it shows what somebody set, and how to see the rest.
  const alone = sylk(["config"], { cwd });
  expect(alone).toMatchObject({ code: 0, out: "log.level  debug  (user)\n" });
  expect(alone.err).toMatch(/^\d+ more are as they are built in: `sylk config list` shows them$/mu);
  expect(sylk(["config", "lsit"], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining("unknown command 'lsit'") as string });
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

const FIX = script([
  { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
  { name: "complete", input: { summary: "add() adds" } },
]);
const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n',
};

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

test("exit codes tell how a task ended: not verified 3, needs a person 4, provider 7, not signed in 41", () => {
  const end = (rules: string, checks: string[]): number | null => {
    const project = scriptedProject(FILES, rules);
    return sylk(["task", "start", "goal", ...checks, "-m", project.rules], { cwd: project.dir, env: project.env }).code;
  };
  expect(
    end(
      script([
        { name: "write_file", input: { path: "new.txt", content: "x" } },
        { name: "complete", input: { summary: "done" } },
      ]),
      [],
    ),
  ).toBe(3);
  expect(end(script([{ name: "ask_user", input: { question: "which one?" } }]), ["--check", "node check.mjs"])).toBe(4);
  expect(end("rules:\n  - answer: { error: { status: 401, message: bad key } }\n", [])).toBe(41);
  expect(end("rules:\n  - answer: { error: { status: 404, message: no such model } }\n", [])).toBe(7);
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

test("STO-003: deleting the cache and state folders leaves everything working", () => {
  const { dir, env, rules } = scriptedProject(FILES, FIX);
  expect(sylk(["task", "start", "x", "--check", "node check.mjs", "-m", rules], { cwd: dir, env }).code).toBe(0);
  for (const name of ["cache", "state"]) spawnSync("rm", ["-rf", path.join(env["SYLK_HOME"] as string, name)]);
  expect(sylk(["task", "list"], { cwd: dir, env })).toMatchObject({ code: 0 });
  expect(existsSync(path.join(privateOf({ dir, env }), "sylk.db"))).toBe(true);
});
