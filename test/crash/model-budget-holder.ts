/** A process that holds part of a budget, says so, and waits to be killed. */
import { sqliteDriver } from "../../src/journal/index.ts";
import { SylkError, systemClock } from "../../src/kernel/index.ts";
import { machineModelViews, modelConfigSchema, openModelGate } from "../../src/model/index.ts";

const [database, cwd] = process.argv.slice(2) as [string, string];
const store = await sqliteDriver.open({ path: database, clock: systemClock, views: machineModelViews });
const config = modelConfigSchema.parse({ budgets: { session: { tokens: 1000 } } });
const gate = openModelGate({ config, env: {}, clock: systemClock, cwd, redact: (text) => text, machine: store });
const request = {
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
} as const;
const signal = new AbortController().signal;

const paid = await gate
  .stream({ ...request, model: "scripted/rules.yaml", step: 1, maxOutputTokens: 200, inputTokens: 100 }, signal)
  .result();
if (paid.kind !== "ok") throw new SylkError({ code: "MODEL_TASK_BUDGET", tier: "permanent", message: JSON.stringify(paid) });
void gate.stream({ ...request, model: "scripted/rules.yaml", step: 2, maxOutputTokens: 700, inputTokens: 100 }, signal);
while ((await store.counters.value("budget/session/s/tokens")) < 900) await new Promise((resolve) => setTimeout(resolve, 5));
process.stdout.write("holding\n");
setInterval(() => undefined, 1000);
