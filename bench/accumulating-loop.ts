/**
 * The loop other agents run, for comparison: one conversation that grows with every answer and
 * result. Same actions, same workspace, same checks as a task; only the memory differs.
 *   node bench/accumulating-loop.ts --goal "…" --check "…" --model provider/model [--max-steps 30] [-C dir]
 * Prints one JSON line per step (input tokens, action) and a last one with the outcome.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { must, systemClock } from "../src/kernel/index.ts";
import { sqliteDriver } from "../src/journal/index.ts";
import { modelConfigSchema, openModelGate, type ModelMessage } from "../src/model/index.ts";
import { countRequestTokens } from "../src/model/tokens/count-tokens.ts";
import { openWorkspace } from "../src/workspace/index.ts";
import type { ActionContext } from "../src/step/actions/action.ts";
import { createRegistry, toolSpecOf, withLimits } from "../src/step/actions/registry.ts";
import { parseAnswer } from "../src/step/parse-answer.ts";
import { PROFILES, type Profile } from "../src/step/profiles.ts";
import { runChecks } from "../src/step/run-checks.ts";
import type { TaskState } from "../src/step/task-state.ts";
import { taskTypeOf } from "../src/step/task-type.ts";
import { inTempDir } from "./measure.ts";

const { values } = parseArgs({
  options: {
    goal: { type: "string" },
    check: { type: "string", multiple: true },
    model: { type: "string" },
    "max-steps": { type: "string", default: "30" },
    C: { type: "string", short: "C", default: "." },
  },
});
const root = path.resolve(values.C);
const checks = (values.check ?? []).map((command, i) => ({ name: `check ${i + 1}`, command }));
const signal = new AbortController().signal;

await inTempDir(async (dir) => {
  await using store = await sqliteDriver.open({ path: path.join(dir, "sylk.db"), clock: systemClock });
  await using gate = openModelGate({
    config: modelConfigSchema.parse({}),
    env: process.env,
    clock: systemClock,
    cwd: root,
    redact: (text) => text,
  });
  const workspace = openWorkspace({
    root,
    gate: { decide: async () => ({ kind: "allow", rule: "bench" }) },
    redact: (text) => text,
    clock: systemClock,
    blobs: store.blobs,
  });
  const registry = createRegistry();
  const type = taskTypeOf({ type: "implement_feature", checks: [] }, { projectDir: root, trusts: () => false });
  const role = { actions: [], consults: [], capabilities: ["file_read", "file_write", "execute"] as const };
  const tools = registry
    .allowed({ type, phase: "change", role })
    .filter(({ name }) => !["load_context", "note_fact", "scratchpad"].includes(name))
    .map((action) => withLimits(toolSpecOf(action), PROFILES["wide"] as Profile));
  const state = {
    memory: { items: [], facts: [], notes: [], ready: [] },
    changedFiles: {},
    lastDetail: {},
    created: { checks },
    history: [],
    seen: [],
  } as unknown as TaskState;
  const context: ActionContext = {
    workspace,
    state,
    step: 0,
    callId: "bench_0_0",
    profile: { ...(PROFILES["wide"] as Profile) },
    blobs: store.blobs,
    signal,
    recordDir: path.join(dir, "runs"),
    track: () => Promise.resolve({ begin: () => Promise.resolve(), end: () => Promise.resolve({ files: [], unknown: [] }) }),
    credentials: { grant: async () => ({}) } as unknown as ActionContext["credentials"],
    diff: () => Promise.resolve(""),
    runChecks: () => runChecks({ workspace, blobs: store.blobs, checks, signal }),
    runCheck: async (check) => must((await runChecks({ workspace, blobs: store.blobs, checks: [check], signal }))[0]),
  };
  const system =
    "You are a software engineer working in a project folder. Call one tool at a time until the goal is met, then call complete.";
  const messages: ModelMessage[] = [
    { role: "user", content: `Goal: ${values.goal}\nChecks: ${checks.map((check) => check.command).join("; ")}` },
  ];
  let total = 0;
  for (let step = 1; step <= Number(values["max-steps"]); step += 1) {
    const request = {
      model: values.model ?? "",
      system,
      user: "",
      messages,
      tools,
      maxOutputTokens: 4_096,
      role: "engineer",
      session: "bench",
      task: "accumulating",
      step,
      phase: "change",
      purpose: "bench",
      priority: 60 as const,
      lane: "pipeline" as const,
    };
    const tokens = countRequestTokens(request);
    total += tokens;
    const answer = await gate.stream(request, signal).result();
    if (answer.kind !== "ok") throw new Error(`the model did not answer: ${answer.kind}`);
    const parsed = parseAnswer(answer, {
      find: (name) => registry.get(name, { outputs: {} }),
      allowed: tools.map((tool) => tool.name),
      maxReads: context.profile.items,
    });
    messages.push({
      role: "assistant",
      content: `${answer.text}\n${answer.toolCalls.map((call) => `[${call.name} ${call.raw}]`).join("\n")}`,
    });
    if (parsed.kind === "invalid") {
      messages.push({ role: "user", content: `That could not be used: ${parsed.reason}` });
      continue;
    }
    let results = "";
    for (const { action, args } of parsed.calls) {
      const result = await action.execute(args, { ...context, step });
      const shown = await Promise.all(
        (result.effects ?? []).flatMap((effect) =>
          effect.op === "put" ? [store.blobs.get(effect.item.content as Parameters<typeof store.blobs.get>[0])] : [],
        ),
      );
      results += `${action.name}: ${result.summary}\n${shown.map((bytes) => Buffer.from(bytes).toString("utf8")).join("\n")}\n`;
      console.log(JSON.stringify({ step, tokens, action: action.name, ok: result.ok }));
      if (action.name !== "complete" && (action.effect === "none" || action.effect === "memory")) continue;
      const verdict = await runChecks({ workspace, blobs: store.blobs, checks, signal });
      const failing = verdict.filter((check) => !check.passed);
      if (action.name === "complete" && failing.length === 0) {
        console.log(JSON.stringify({ outcome: "complete", verified: true, steps: step, total_input_tokens: total }));
        return;
      }
      for (const check of failing)
        results += `${check.name} fails: ${check.output === undefined ? check.summary : Buffer.from(await store.blobs.get(check.output as Parameters<typeof store.blobs.get>[0])).toString("utf8")}\n`;
      if (failing.length === 0) results += "All checks pass.\n";
    }
    messages.push({ role: "user", content: results });
  }
  console.log(JSON.stringify({ outcome: "out of steps", verified: false, total_input_tokens: total }));
});
