/** `sylk -c` goes on with what was last worked on, and says what that is; what its person stopped is only named. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";

vi.setConfig({ testTimeout: 600_000 });

const NEVER = "rules:\n  - answer: { text: x, delay_ms: 3600000 }\n";
const DONE = script([{ name: "complete", input: { summary: "done" } }]);

test("a question that was stopped with Escape is named and not begun again; a task that was killed after it is gone on with", async () => {
  const here = scriptedProject({ "a.txt": "a\n" }, NEVER);
  const env = { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules, NO_COLOR: "1" };
  const sylk = (...args: string[]) => runSylk(here.dir, env, args);
  const model = (rules: string): void => writeFileSync(here.rules.slice("scripted/".length), rules);
  const statuses = async (what: string): Promise<string[]> =>
    (JSON.parse((await sylk(what, "list", "--json")).out) as { status: string }[]).map(({ status }) => status);
  {
    await using session = await openHeadlessSession({ dir: here.dir, env });
    await session.sees("ready");
    session.say("what is this");
    await session.sees(/working[\s\S]*thinks|planning ·/u);
    session.type(KEYS.escape);
    await session.sees(/interrupted; go on[\s\S]*ready$/u);
  }
  model(DONE);
  const stopped = await sylk("-c");
  expect([stopped.code, stopped.err]).toEqual([
    1,
    expect.stringMatching(/“what is this” \(\w{8}\) was stopped by you[^\n]*\n {2}fix: sylk session resume \w{8} goes on/u),
  ]);
  {
    await using session = await openHeadlessSession({ dir: here.dir, env }, { first: ["session", "continue", "--newest"] });
    await session.sees(/“what is this” \(\w{8}\) was stopped by you[\s\S]*\/resume \w{8}\s+goes on/u);
  }
  expect(await statuses("session")).toEqual(["interrupted"]);

  await sylk("exec", "the first goal", "--no-checks");
  model(NEVER);
  const child = spawn(process.execPath, [MAIN, "exec", "the second goal", "--no-checks", "--json"], {
    cwd: here.dir,
    env: { ...env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise((resolve) => child.on("close", resolve));
  let said = "";
  child.stdout.on("data", (text: Buffer) => {
    said += text.toString();
    if (said.includes('"asking"')) child.kill("SIGKILL");
  });
  await ended;
  expect((await statuses("task")).slice(0, 2)).toEqual(["interrupted", "complete"]);

  model(DONE);
  const { err } = await sylk("-c");
  expect(err).toMatch(/^going on with the task “the second goal” \(\w{8}\)$/mu);
  expect(err).toMatch(/^“what is this” \(\w{8}\) has not ended either: sylk session resume \w{8} goes on$/mu);
  expect((await statuses("task")).slice(0, 2)).toEqual(["complete", "complete"]);
  expect(await statuses("session")).toEqual(["interrupted"]);
});

test("what was stopped, gone on with by /resume and cut off then is gone on with by `sylk -c`; what only was stopped is named in a session, and is no error", async () => {
  const here = scriptedProject({ "a.txt": "a\n" }, NEVER);
  const env = { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules, NO_COLOR: "1" };
  const first = ["session", "continue", "--newest"];
  {
    await using session = await openHeadlessSession({ dir: here.dir, env });
    await session.sees("ready");
    session.say("what is this");
    await session.sees(/planning ·/u);
    session.type(KEYS.escape);
    await session.sees(/interrupted; go on[\s\S]*ready$/u);
  }
  {
    await using session = await openHeadlessSession({ dir: here.dir, env }, { first });
    const shown = await session.sees(/“what is this” \(\w{8}\) was stopped by you[\s\S]*\/resume \w{8}\s+goes on[\s\S]*ready$/u);
    expect(shown).toMatch(/^› sylk -c$/mu);
    expect(shown).not.toContain("error:");
    session.say("/resume");
    await session.sees(/› \/resume[\s\S]*planning ·/u);
  }
  await using session = await openHeadlessSession({ dir: here.dir, env }, { first });
  await session.sees(/going on with “what is this”[\s\S]*planning ·/u);
});
