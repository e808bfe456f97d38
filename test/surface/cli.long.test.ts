/** `cli.test.ts` goes on here with what takes longer. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { privateOf, script, scriptedProject } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";
import { sylk, FIX, FILES } from "./cli.ts";

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

test("STO-003: deleting the cache and state folders leaves everything working", () => {
  const { dir, env, rules } = scriptedProject(FILES, FIX);
  expect(sylk(["task", "start", "x", "--check", "node check.mjs", "-m", rules], { cwd: dir, env }).code).toBe(0);
  for (const name of ["cache", "state"]) spawnSync("rm", ["-rf", path.join(env["SYLK_HOME"] as string, name)]);
  expect(sylk(["task", "list"], { cwd: dir, env })).toMatchObject({ code: 0 });
  expect(existsSync(path.join(privateOf({ dir, env }), "sylk.db"))).toBe(true);
});
