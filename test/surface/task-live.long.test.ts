/** `task-live.test.ts` goes on here with what takes longer. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/kernel/index.ts";
import { connectApi } from "../../src/surface/http/index.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { startWireServer } from "../support/wire-server/wire-server.ts";
import type { WireAnswer } from "../support/wire-server/wire-types.ts";
import { MAIN } from "../support/built-command.ts";
import { projectFor } from "./task-live.ts";

test.skipIf(NO_TERMINAL !== undefined)(
  "D6: seconds are counted while a model is silent, each edit is shown as a coloured hunk, and the bell and the title tell who looks elsewhere",
  async () => {
    const answers: WireAnswer[] = [
      { delayMs: 1_400, toolCalls: [{ name: "edit_file", input: { path: "n.txt", find: "1", replace: "2" } }] },
      { toolCalls: [{ name: "complete", input: { summary: "fine" } }] },
    ];
    await using server = await startWireServer(() => (answers.length > 1 ? answers.shift() : answers[0]) ?? {});
    const project = projectFor({ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "key-for-tests" }, "");
    const run = async (env: Record<string, string | undefined>): Promise<string> =>
      (
        await atTerminal([process.execPath, MAIN, "make it two", "-m", "openai/tiny", "--check", "grep -q 2 n.txt"], {
          cwd: project.dir,
          env,
          typed: [],
        })
      ).screen;
    const screen = await run({ ...project.env, NO_COLOR: undefined });
    expect(screen).toContain("openai/tiny thinks 1 s");
    expect(screen).toContain("\u001b[31m-1\u001b[39m");
    expect(screen).toContain("\u001b[32m+2\u001b[39m");
    expect(screen).toContain("\u001b[22;2t\u001b]2;sylk: step 1\u0007");
    expect(screen.split("\u0007")).toHaveLength(1 + 2 + 1 + 1);
    expect(screen).toContain("\u001b[23;2t");
    writeFileSync(path.join(project.base, "home/config.yaml"), "terminal: { notify: false, title: false }\n");
    const quiet = await run({ ...project.env, NO_COLOR: "1" });
    expect(quiet).not.toContain("\u0007");
    expect(quiet).toContain("fine");
  },
);

test("whoever watches over a server sees the words of a task that runs there, and --json says what is asked beside what happened", async () => {
  const project = scriptedProject({ "n.txt": "1\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const env = { ...project.env, NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const sylk = (args: string[], onText?: (text: string) => void): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [MAIN, ...args], { cwd: project.dir, env });
      onTestFinished(() => void child.kill("SIGKILL"));
      let [out, err] = ["", ""];
      child.stdout.on("data", (text: Buffer) => {
        out += text.toString();
        onText?.(out);
      });
      child.stderr.on("data", (text: Buffer) => {
        err += text.toString();
        onText?.(err);
      });
      child.on("close", (code) => resolve({ code, out, err }));
    });
  const served = await new Promise<{ url: string; token_file: string }>((resolve) => {
    // It prints its address and the file that holds the token, as its help says.
    void sylk(["serve"], (text) => {
      const [, url, file] = / at (http:\S+);[^]*the token in (.+)\n/.exec(text) ?? [];
      if (url !== undefined && file !== undefined) resolve({ url, token_file: file });
    });
  });
  const check = "sh -c 'until test -f go; do echo waiting; sleep 0.05; done'";
  const there = ["--connect", served.url, "task"];
  const started = await sylk([...there, "start", "rest", "-m", project.rules, "--check", check, "--detach"]);
  expect(started).toMatchObject({ code: 0, err: "" });
  const id = started.out.trim();
  const running = sylk([...there, "resume", id, "--json"]);
  // Until somebody runs it there is nothing to watch.
  const api = connectApi({ url: served.url, token: readFileSync(served.token_file, "utf8").trim(), clock: systemClock });
  for await (const part of api.live({ task: id }, new AbortController().signal)) if (part.type === "output") break;
  const watched = await sylk([...there, "watch", id], (text) => {
    if (text.includes("│ waiting")) writeFileSync(path.join(project.dir, "go"), "");
  });
  expect(watched.err).toContain("│ waiting");
  expect(watched.out).toContain("step 1");
  const { out, code } = await running;
  const types = out
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect([...new Set(types)].toSorted()).toEqual(["action", "asking", "decision", "outcome", "step", "task", "verification"]);
  expect(types.at(-1)).toBe("outcome");
  expect(code).toBe(3);
});

test("what a model says stands once, below its step, and a task that was killed in its first step had begun", async () => {
  // It is killed as soon as its words are seen; on a busy machine the next step may have begun by then.
  const rules =
    'rules:\n  - when: { step: 1 }\n    answer: { text: "Looking around first.\\nThen more.", tool_calls: [{ name: read_file, input: { path: n.txt } }] }\n  - answer: { text: "Reading on.", tool_calls: [{ name: read_file, input: { path: n.txt } }] }\n';
  const project = scriptedProject({ "n.txt": "1\n" }, rules);
  const env = { ...project.env, NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const check = "sh -c 'test -f n.txt && sleep 3'";
  const child = spawn(process.execPath, [MAIN, "task", "start", "look", "-m", project.rules, "--check", check], { cwd: project.dir, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  const ended = new Promise((resolve) => child.on("close", resolve));
  child.stderr.on("data", (text: Buffer) => {
    err += text.toString();
    if (err.includes("Looking around")) child.kill("SIGKILL");
  });
  await ended;
  expect(err).toMatch(/step 1 · .*\n {2}Looking around first\. Then more\./);
  expect(err.split("Looking around")).toHaveLength(2);
  const { out } = await runSylk(project.dir, env, ["task", "list"]);
  expect(out).toContain("interrupted");
  expect(out).toMatch(/step +[1-9]\d*\//u);
  expect(out).not.toContain("not started");
});

test.skipIf(NO_TERMINAL !== undefined)(
  "a terminal of 60 columns breaks no line of ordinary output between the letters of a word",
  async () => {
    const project = scriptedProject(
      { "n.txt": "1\n" },
      script([{ name: "ask_user", input: { question: "shall it be the one or rather the other, and why so?" } }]),
    );
    const goal = "make the numbers in the file into words that people like to read, all of them";
    const env = { ...project.env, NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
    await runSylk(project.dir, env, ["task", "start", goal, "--no-checks", "-m", project.rules]);
    for (const words of ["task list", "task show last", "doctor", "questions"]) {
      const { screen } = await atTerminal([process.execPath, MAIN, ...words.split(" ")], { cwd: project.dir, env, typed: [], columns: 60 });
      const long = screen.split(/\r?\n/u).filter((line) => line.length > 60);
      // A word that is longer than the rest of the line cannot be helped.
      expect(long.filter((line) => !/^\s*(?:\S+\s+)?\S{30,}$/u.test(line))).toEqual([]);
    }
  },
);
