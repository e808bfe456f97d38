import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { machineModelViews, modelConfigSchema, openModelGate, type ModelResult } from "../../src/model/index.ts";
import { tempDir } from "../support/temp.ts";

const RULES = `
rules:
  - when: { step: 1 }
    answer: { text: paid, usage: { input: 100, output: 20 } }
  - when: { step: 2 }
    answer: { text: never, delay_ms: 600000 }
  - answer: { text: ok, usage: { input: 100, output: 700 } }
`;

test("LLM-091 ~MUL-039: what a killed process held is given back once, and what it spent stays spent", async () => {
  const dir = tempDir();
  const database = path.join(dir, "machine.db");
  writeFileSync(path.join(dir, "rules.yaml"), RULES);
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "model-budget-holder.ts"), database, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");

  await using store = await sqliteDriver.open({ path: database, clock: systemClock, views: machineModelViews });
  expect(await store.counters.value("budget/session/s/tokens")).toBeGreaterThanOrEqual(900);

  const open = (): ReturnType<typeof openModelGate> =>
    openModelGate({
      config: modelConfigSchema.parse({ budgets: { session: { tokens: 1000 } } }),
      env: {},
      clock: systemClock,
      cwd: dir,
      redact: (text) => text,
      machine: store,
    });
  const ask = (gate: ReturnType<typeof openModelGate>, maxOutputTokens: number): Promise<ModelResult> =>
    gate
      .stream(
        {
          model: "scripted/rules.yaml",
          system: "",
          user: "hello",
          tools: [],
          role: "r",
          session: "s",
          task: "t",
          phase: "p",
          purpose: "x",
          priority: 60,
          lane: "pipeline",
          step: 3,
          maxOutputTokens,
          inputTokens: 100,
        },
        new AbortController().signal,
      )
      .result();

  await using one = open();
  await using two = open();
  const [first, second] = await Promise.all([ask(one, 700), ask(two, 700)]);
  expect([first?.kind, second?.kind].sort()).toEqual(["budget", "ok"]);
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
  expect(await store.counters.value("budget/session/s/tokens")).toBe(120 + 800);
});
